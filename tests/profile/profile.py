#!/usr/bin/env python3
"""profile.py AMITY PROGRAM FOLDER: the profile of planted.c, beside what the program itself has measured."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from table import differences

amity, program, folder = sys.argv[1:]
ATTEMPTS = 4  # a thread that the kernel keeps from its core between two looks at the clock, one of them ours, is nobody's fault


def run(*words, **variables):
    done = subprocess.run([amity, *words], capture_output=True, text=True, timeout=60, env={**os.environ, **variables})
    if done.returncode != 0:
        raise AssertionError(f"{words}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout, done.stderr


class profile(unittest.TestCase):
    def test_what_is_planted_is_found(self):
        for _ in range(ATTEMPTS):
            said, table = run("run", "--profile", "--", program)
            self.assertRegex(table, r"(?m)^amity: profile of profile_planted_\w+ \(pid \d+\): [0-9.]+ s on \d+ cores")
            wrong = list(differences(said, table))
            if not wrong:
                break
        self.assertEqual(wrong, [], table)
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
