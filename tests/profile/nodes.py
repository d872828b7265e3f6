#!/usr/bin/env python3
"""nodes.py AMITY PROGRAM FOLDER: each node has a profile and a timeline of its own, with its waits for pages. 77: no nodes here."""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

amity, program, folder = sys.argv[1:]
LOOPS = (10, 12)  # lines of planted_pages.c, about


class nodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(dir=folder)
        cls.addClassCleanup(cls.folder.cleanup)
        raw, target = (str(pathlib.Path(cls.folder.name) / name) for name in ("trace", "json"))
        words = [amity, "run", "--nodes", "2", "-t", "1", "--profile", "--trace", raw, "--", program]
        variables = {**os.environ, "AMITY_NODES_REGIONS": "always"}
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=variables)
        if done.returncode != 0 and "userfaultfd" in done.stderr:
            print(done.stderr, end="")
            os._exit(77)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        cls.said = done.stderr
        subprocess.run([amity, "trace", f"{raw}.0", f"{raw}.1", "-o", target], check=True, timeout=60)
        cls.events = json.loads(pathlib.Path(target).read_text())["traceEvents"]

    def test_each_has_a_table_with_its_regions(self):
        tables = re.split(r"(?m)^amity: profile of ", self.said)[1:]
        self.assertEqual(sorted(re.search(r"node (\d)\)", t).group(1) for t in tables), ["0", "1"], self.said)
        for table in tables:
            lines = sorted(int(line) for line in re.findall(r"planted_pages\.c:(\d+), parallel region$", table, re.M))
            self.assertEqual(len(lines), 2, table)
            for found, planted in zip(lines, LOOPS):
                self.assertAlmostEqual(found, planted, delta=2, msg=table)
            self.assertRegex(table, r"(?m)^ *[0-9.]+ % +[0-9.]+ +[0-9.]+ +[1-9]\d*  waits for pages of other nodes")

    def test_the_timelines_have_as_many_waits(self):
        groups = {e["pid"]: e["args"]["name"] for e in self.events if e["name"] == "process_name"}
        shown = collections.Counter(
            groups[e["pid"]].split(":")[0][-1] for e in self.events if e["ph"] == "X" and e["cat"] == "device"
        )
        for table in re.split(r"(?m)^amity: profile of ", self.said)[1:]:
            node = re.search(r"node (\d)\)", table).group(1)
            self.assertEqual(shown[node], int(re.search(r"(\d+)  waits for pages", table).group(1)), table)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
