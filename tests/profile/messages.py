#!/usr/bin/env python3
"""messages.py AMITY PROGRAM FOLDER: remote calls between two ranks: their row, and the arrows of the timeline."""

import collections
import json
import pathlib
import sys
import tempfile
import unittest

from table import ATTEMPTS, differences, run

program, folder = sys.argv[2:]
CALLS = 20  # of planted_messages.cpp


class messages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir=folder)
        self.file = pathlib.Path(self.folder.name) / "file"
        self.addCleanup(self.folder.cleanup)

    def test_remote_calls_have_a_row(self):
        for _ in range(ATTEMPTS):
            said, _ = run("run", "-n", "2", "--", program, AMITY_PROFILE=str(self.file))
            table, _ = run("profile", f"{self.file}.1")
            wrong = list(differences(said, table))
            if not wrong:
                break
        self.assertEqual(wrong, [], table)

    def test_an_arrow_leads_from_each_send_to_its_handler(self):
        run("run", "-n", "2", "--trace", str(self.file), "--", program)
        run("trace", f"{self.file}.0", f"{self.file}.1", "-o", f"{self.file}.json")
        events = json.loads(pathlib.Path(f"{self.file}.json").read_text())["traceEvents"]
        names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        rank = {pid: int(name.split("rank ")[1][0]) for pid, name in names.items()}
        begins = {e["id"]: e for e in events if e["ph"] == "s"}
        ends = {e["id"]: e for e in events if e["ph"] == "f"}
        self.assertEqual(set(begins), set(ends))
        handlers = collections.defaultdict(list)
        for e in events:
            if e["ph"] == "X" and e["name"].endswith("message handler"):
                handlers[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
        between = collections.Counter()
        for number, begin in begins.items():
            end = ends[number]
            self.assertGreaterEqual(end["ts"], begin["ts"])
            self.assertTrue(any(b - 0.01 <= end["ts"] <= e + 0.01 for b, e in handlers[end["pid"], end["tid"]]), end)
            between[rank[begin["pid"]], rank[end["pid"]]] += 1
        self.assertGreaterEqual(between[0, 1], CALLS)
        self.assertGreaterEqual(between[1, 0], CALLS)
        # A call came while all of the second's workers were busy: the monitor saw to it.
        acts = {e["name"] for e in events if e["ph"] == "i" and rank[e["pid"]] == 1}
        self.assertTrue(any(name.startswith("progress: ") for name in acts), acts)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
