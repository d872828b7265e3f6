#!/usr/bin/env python3
"""timeline.py AMITY PROGRAM BLOCKING FOLDER: the timeline of planted.c agrees with the profile, and outlives the program."""

import collections
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from table import run as outputs_of

amity, program, blocking, folder = sys.argv[1:]


def run(*words, **variables):
    return outputs_of(*words, **variables)[1]


def events_of(*files):
    target = f"{files[0]}.json"
    said = run("trace", *map(str, files), "-o", target)
    return json.loads(pathlib.Path(target).read_text())["traceEvents"], said


class timeline(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir=folder)
        self.file = pathlib.Path(self.folder.name) / "trace"
        self.addCleanup(self.folder.cleanup)

    def check_slices(self, events):
        """None overlaps another of its track, and each track and process has a name."""
        tracks = collections.defaultdict(list)
        for e in events:
            if e["ph"] == "X":
                self.assertIn(e["cat"], ("work", "waiting", "runtime"))
                self.assertGreaterEqual(e["dur"], 0)
                self.assertGreaterEqual(e["ts"], 0)
                tracks[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
        for slices in tracks.values():
            slices.sort()
            for (_, end), (begin, _) in zip(slices, slices[1:]):
                self.assertLessEqual(end, begin + 0.0015)  # microseconds, of which three digits are written
        named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
        self.assertEqual(set(tracks) - named, set())
        groups = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        self.assertEqual({pid for pid, _ in tracks} - set(groups), set())
        return groups

    def test_it_agrees_with_the_profile(self):
        table = run("run", "--profile", "--trace", str(self.file), "--", program)
        events, said = events_of(self.file)
        self.assertEqual(said, "")
        groups = self.check_slices(events)
        self.assertEqual(sorted(name.split(": ")[1] for name in groups.values()), ["OpenMP threads", "cores"])
        sums = collections.Counter()
        for e in events:
            if e["ph"] == "X" and groups[e["pid"]].endswith("cores"):
                sums[e["name"]] += e["dur"] * 1e-6
        checked = 0
        for numbers, title in re.findall(r"^ *[0-9.]+ % +((?:[0-9.]+ +){4})\d*  (planted\.c:\d+, .*)$", table, re.M):
            total = sum(map(float, numbers.split()))
            self.assertAlmostEqual(sums[title], total, delta=max(0.02 * total, 0.003), msg=f"{title}\n{table}")
            checked += 1
        self.assertGreaterEqual(checked, 5, table)

    def test_the_monitors_rescues_are_there(self):
        said = run("run", "--stats", "--trace", str(self.file), "--", blocking)
        events, _ = events_of(self.file)
        shown = [e for e in events if e["ph"] == "i" and e["name"].startswith("rescue: ")]
        self.assertEqual(len(shown), int(re.search(r"(\d+) rescues", said).group(1)), said)
        self.assertGreater(len(shown), 0)
        self.assertEqual({e["cat"] for e in shown}, {"monitor"})

    def test_a_killed_program_leaves_one(self):
        with subprocess.Popen([amity, "run", "--trace", str(self.file), "--", program], stdout=subprocess.DEVNULL) as child:
            deadline = time.monotonic() + 30
            while not self.file.exists() or self.file.stat().st_size == 0:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            time.sleep(0.15)
            child.send_signal(signal.SIGKILL)
        events, _ = events_of(self.file)
        self.check_slices(events)
        self.assertTrue(any(e["ph"] == "X" for e in events))

    def test_a_small_file_keeps_the_newest(self):
        source = self.file.with_suffix(".c")
        source.write_text("#include <omp.h>\nint main(void){for(int i=0;i<100000;++i)\n#pragma omp parallel num_threads(2)\n{}\n"
                          "return 0;}\n")
        built = self.file.with_suffix(".out")
        subprocess.run(["gcc", "-g", "-fopenmp", str(source), "-o", str(built)], check=True, timeout=60)
        run("run", "--trace", str(self.file), "--trace-last", "5M", "--", str(built))
        self.assertLess(self.file.stat().st_size, 6 << 20)
        events, said = events_of(self.file)
        self.assertIn("was full: its oldest events are gone", said)
        self.check_slices(events)

    def test_two_processes_on_one_clock(self):
        run("run", "-n", "2", "-t", "2", "--trace", str(self.file), "--", program)
        files = [self.file.with_name(f"trace.{rank}") for rank in range(2)]
        events, _ = events_of(*files)
        groups = self.check_slices(events)
        self.assertEqual(len(groups), 4)
        begins = collections.defaultdict(lambda: float("inf"))
        for e in events:
            if e["ph"] == "X":
                begins[e["pid"]] = min(begins[e["pid"]], e["ts"])
        self.assertLess(max(begins.values()) - min(begins.values()), 20e6)

    def test_what_goes_wrong_is_said(self):
        said = run("run", "--", program, AMITY_TRACE="/nowhere/trace")
        self.assertIn("amity: AMITY_TRACE='/nowhere/trace' can't be written: No such file or directory; there is no trace", said)
        self.assertIn("is no trace: it does not begin as", run("trace", program, "-o", str(self.file), status=125))
        self.file.write_bytes(b"AMITYTL2")
        self.assertIn("is no trace", run("trace", str(self.file), "-o", "/dev/null", status=125))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
