#!/usr/bin/env python3
"""tasks.py AMITY PROGRAM FOLDER: the profile of planted_tasks.cpp, which has no OpenMP, or of planted_mixed.cpp."""

import json
import pathlib
import sys
import tempfile
import unittest

from table import run, table_that_agrees

program, folder = sys.argv[2:]
is_mixed = pathlib.Path(program).name.endswith("mixed")


class tasks(unittest.TestCase):
    def test_what_is_planted_is_found(self):
        table = table_that_agrees(self, program)
        self.assertIn("outside of regions and tasks" if is_mixed else "outside of tasks", table)

    @unittest.skipIf(is_mixed, "it has OpenMP")
    def test_figures_are_of_tasks_alone(self):
        _, said = run("run", "--stats", "--", program)
        self.assertRegex(said, r"(?m)^amity: profile_planted_tasks_O\d \(pid \d+\): 2 carriers, no OpenMP runtime was loaded, "
                               r"[1-9]\d* tasks, .* rescues$")

    def test_a_file_adds_up(self):
        with tempfile.TemporaryDirectory(dir=folder) as here:
            path = pathlib.Path(here) / "raw"
            run("run", "--", program, AMITY_PROFILE=str(path))
            lines = [each.split("\t") for each in path.read_text().splitlines()]
            wall, carriers = next((int(w[1]), int(w[2])) for w in lines if w[0] == "time")
            counted = sum(sum(map(int, w[3:7])) for w in lines if w[0] == "row")
            self.assertGreaterEqual(carriers, 2)
            self.assertAlmostEqual(counted / (wall * carriers), 1, delta=0.02)

    def test_tasks_are_on_the_tracks_of_cores(self):
        with tempfile.TemporaryDirectory(dir=folder) as here:
            path = pathlib.Path(here) / "trace"
            run("run", "--trace", str(path), "--", program)
            run("trace", str(path), "-o", f"{path}.json")
            events = json.loads(pathlib.Path(f"{path}.json").read_text())["traceEvents"]
        groups = {e["pid"]: e["args"]["name"].split(": ")[1] for e in events if e["name"] == "process_name"}
        tracks = {}
        for e in events:
            if e["ph"] == "X":
                tracks.setdefault((groups[e["pid"]], e["tid"]), []).append((e["ts"], e["ts"] + e["dur"], e["name"], e["cat"]))
        for slices in tracks.values():
            slices.sort()
            for (_, end, *_), (begin, *_) in zip(slices, slices[1:]):
                self.assertLessEqual(end, begin + 0.0015)
        on_cores = [s for (group, _), slices in tracks.items() if group == "cores" for s in slices]
        self.assertTrue(any(name.endswith(", tasks") and cat == "work" for _, _, name, cat in on_cores))
        self.assertTrue(any(cat == "waiting" for *_, cat in on_cores))
        self.assertEqual(any(group != "cores" for group, _ in tracks), is_mixed)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
