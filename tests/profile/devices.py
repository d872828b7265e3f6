#!/usr/bin/env python3
"""devices.py AMITY PROGRAM FOLDER: the operations of a device in the profile and in the timeline. 77: there is no device."""

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
CALLS = {"write": 4, "churn": 6, "read": 3}  # of planted_devices.cpp
MEGABYTES = {"write": 1.6, "churn": 0.0, "read": 0.6}
ROW = re.compile(r"^ *[0-9.]+ % +([0-9.]+) +([0-9.]+) +(\d+)  (\w+), (\w+ device \d+ .*?)( \*)?$", re.M)


class devices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(dir=folder)
        cls.addClassCleanup(cls.folder.cleanup)
        raw, file = (pathlib.Path(cls.folder.name) / name for name in ("raw", "json"))
        words = [amity, "run", "--profile", "--trace", str(raw), "--", program]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, env={**os.environ, "AMITY_CACHE": "none"})
        if done.returncode == 77:
            print(done.stdout, end="")
            os._exit(77)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        cls.table = done.stderr
        subprocess.run([amity, "trace", str(raw), "-o", str(file)], check=True, timeout=60)
        cls.events = json.loads(file.read_text())["traceEvents"]

    def test_the_table_has_them_all(self):
        rows = {what: (float(s), float(mb), int(calls), star) for s, mb, calls, what, _, star in ROW.findall(self.table)}
        self.assertEqual({what: row[2] for what, row in rows.items()}, CALLS, self.table)
        self.assertEqual({what: row[1] for what, row in rows.items()}, MEGABYTES, self.table)
        self.assertEqual({row[3] for row in rows.values()}, {""}, self.table)  # the device's own times
        wall = float(re.search(r": ([0-9.]+) s on", self.table).group(1))
        self.assertLessEqual(sum(row[0] for row in rows.values()), wall)  # one after the other

    def test_the_timeline_says_the_same(self):
        rows = {what: float(s) for s, _, _, what, _, _ in ROW.findall(self.table)}
        slices = [e for e in self.events if e["ph"] == "X" and e["cat"] == "device"]
        times, calls, queues = collections.Counter(), collections.Counter(), collections.defaultdict(list)
        for e in slices:
            what = e["name"].split(",")[0]
            times[what] += e["dur"] * 1e-6
            calls[what] += 1
            queues[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
        self.assertEqual(calls, CALLS)
        for what, seconds in times.items():
            self.assertAlmostEqual(seconds, rows[what], delta=0.02 * seconds + 0.001)
        for its in queues.values():
            its.sort()
            for before, after in zip(its, its[1:]):
                self.assertLessEqual(before[1], after[0] + 0.002)

    def test_an_arrow_leads_to_each(self):
        begins = {e["id"]: e for e in self.events if e["ph"] == "s"}
        ends = {e["id"]: e for e in self.events if e["ph"] == "f"}
        self.assertEqual(set(begins), set(ends))
        self.assertEqual(len(begins), sum(CALLS.values()))
        at = {(e["pid"], e["tid"], e["ts"]) for e in self.events if e["ph"] == "X" and e["cat"] == "device"}
        for number, end in ends.items():
            self.assertGreaterEqual(end["ts"], begins[number]["ts"])
            self.assertIn((end["pid"], end["tid"], end["ts"]), at)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
