#!/usr/bin/env python3
"""Tests of lit.py: python3 tests/conformance/lit_test.py"""

import unittest

import lit

_FEATURES = {"clang", "clang-22", "linux", "ompt"}
_WORDS = [("%build-and-run", "%build && %run"), ("%build", "%clang %s -o %t"), ("%run", "%t"), ("%clang", lit.COMPILE + "cc"),
          ("%s", "/src/a.c"), ("%t", "a.tmp")]


def parse(*lines: str) -> lit.Plan:
    return lit.parse("\n".join(lines), _FEATURES)


class Plans(unittest.TestCase):
    def test_a_file_without_run_is_skipped(self):
        self.assertTrue(parse("int main(void) {}").skip)

    def test_lines_that_go_on(self):
        plan = parse("// RUN: %build && \\", "// RUN:   env A=1 %run 2>&1 \\", "// RUN: | FileCheck %s", "/* RUN: %run */")
        self.assertEqual(plan.skip, "")
        self.assertEqual(plan.lines, ["%build &&  env A=1 %run 2>&1  | FileCheck %s", "%run"])

    def test_steps_know_what_builds(self):
        steps = parse("// RUN: %build-and-run | sort", "// RUN: %clang -E %s | grep '&& a'").steps(_WORDS)
        self.assertEqual([(s.command, s.output) for s in steps],
                         [("cc /src/a.c -o a.tmp", "a.tmp"), ("a.tmp | sort", ""), ("cc -E /src/a.c | grep '&& a'", "")])

    def test_unsupported_needs_the_very_feature(self):
        self.assertEqual(parse("// RUN: x", "// UNSUPPORTED: clang-2, gcc").skip, "")
        self.assertEqual(parse("// RUN: x", "// UNSUPPORTED: gcc, clang-22").skip, "not for clang-22")

    def test_requires_all(self):
        self.assertEqual(parse("// RUN: x", "// REQUIRES: ompt, linux").skip, "")
        self.assertEqual(parse("// RUN: x", "// REQUIRES: ompt, hwloc").skip, "needs hwloc")

    def test_xfail(self):
        self.assertEqual(parse("// RUN: x", "// XFAIL: clang").skip, "expected to fail with clang")


class Expressions(unittest.TestCase):
    def test_operators(self):
        self.assertTrue(lit.holds("linux && !(gcc || icc)", _FEATURES))
        self.assertFalse(lit.holds("gcc || !ompt", _FEATURES))

    def test_anything_else_is_an_error(self):
        for bad in ("clang &&", "a $ b"):
            with self.assertRaises(ValueError):
                lit.holds(bad, _FEATURES)


if __name__ == "__main__":
    unittest.main()
