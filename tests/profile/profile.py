#!/usr/bin/env python3
"""profile.py AMITY PROGRAM FOLDER: the profile of planted.c, beside what the program itself has measured."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from table import run, table_that_agrees

amity, program, folder = sys.argv[1:]


class profile(unittest.TestCase):
    def test_what_is_planted_is_found(self):
        table = table_that_agrees(self, program)
        self.assertRegex(table, r"planted\.c:\d+, (critical|dynamic loop): \d+ % ")

    def test_a_file_adds_up_and_can_be_read_later(self):
        with tempfile.TemporaryDirectory(dir=folder) as here:
            path = pathlib.Path(here) / "raw"
            _, errors = run("run", "--", program, AMITY_PROFILE=str(path))
            self.assertNotIn("profile", errors)
            lines = [each.split("\t") for each in path.read_text().splitlines()]
            wall, carriers = next((int(w[1]), int(w[2])) for w in lines if w[0] == "time")
            counted = sum(sum(map(int, w[3:7])) for w in lines if w[0] == "row")
            self.assertGreaterEqual(carriers, 2)
            self.assertAlmostEqual(counted / (wall * carriers), 1, delta=0.02)
            table, _ = run("profile", str(path))
            self.assertIn("planted.c:", table)

    def test_what_goes_wrong_is_said(self):
        _, errors = run("run", "--", program, AMITY_PROFILE="/nowhere/raw")
        self.assertIn("AMITY_PROFILE='/nowhere/raw' can't be written: No such file or directory; there is no profile", errors)
        _, errors = run("run", "--", program, AMITY_PROFILE="|/nowhere/amity")
        self.assertIn("'/nowhere/amity' could not be started to print the profile: No such file or directory", errors)
        done = subprocess.run([amity, "profile", program], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 125)
        self.assertIn("is no profile: it does not begin with", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
