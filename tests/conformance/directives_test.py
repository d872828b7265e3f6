#!/usr/bin/env python3
"""Tests of directives.py: python3 tests/conformance/directives_test.py"""

import unittest

import directives

_KEYWORDS = {"c": True, "c++": False, "lp64": True, "ia32": False, "offload_device": False, "tls_runtime": True}


def parse(*lines: str) -> directives.Plan:
    selectors = directives.Selectors("x86_64-unknown-linux-gnu", _KEYWORDS.get)
    return directives.parse("\n".join(lines), selectors, "c")


class Words(unittest.TestCase):
    def test_braces_keep_and_quotes_unescape(self):
        self.assertEqual(directives.split_list(r'run { target { a b } } "x \[y\] \\z" bare'),
                         ["run", " target { a b } ", r"x [y] \z", "bare"])

    def test_open_brace_is_an_error(self):
        with self.assertRaises(ValueError):
            directives.split_list("{ a")


class Plans(unittest.TestCase):
    def test_a_file_without_directives_is_run(self):
        plan = parse("int main(void) {}")
        self.assertEqual((plan.action, plan.skip, plan.flags("-O2")), ("run", "", ["-O2"]))

    def test_selectors_of_dg_do(self):
        self.assertEqual(parse("/* { dg-do run { target i?86-*-* x86_64-*-* } } */").skip, "")
        self.assertEqual(parse("/* { dg-do run { target *-*-linux* } } */").skip, "")
        self.assertIn("not for this target", parse("/* { dg-do run { target offload_device } } */").skip)
        self.assertEqual(parse("// { dg-do link { target { { i?86-*-* x86_64-*-* } && lp64 } } }").skip, "")
        self.assertIn("not for", parse("// { dg-do run { target { ! lp64 } } }").skip)

    def test_any_selected_dg_do_selects(self):
        plan = parse("/* { dg-do run { target offload_device } } */", "/* { dg-do link { target lp64 } } */")
        self.assertEqual((plan.action, plan.skip), ("link", ""))

    def test_options(self):
        plan = parse(
            '/* { dg-options "-O0 -g" { target c } } */', '/* { dg-options "-O3" { target c++ } } */',
            '/* { dg-additional-options "-std=gnu99" {target c } } */', '/* { dg-additional-options "-m32" { target ia32 } } */')
        self.assertEqual(plan.flags("-O2"), ["-O0", "-g", "-std=gnu99"])

    def test_environment_and_sources(self):
        plan = parse('/* { dg-set-target-env-var OMP_PLACES "{0}:4" } */', '/* { dg-additional-sources "a.c b.c" } */')
        self.assertEqual(plan.environment, {"OMP_PLACES": "{0}:4"})
        self.assertEqual(plan.additional_sources, ["a.c", "b.c"])

    def test_requirements(self):
        self.assertEqual(parse("/* { dg-require-effective-target tls_runtime } */").skip, "")
        self.assertEqual(parse("/* { dg-require-effective-target offload_device } */").skip, "needs offload_device")

    def test_outputs_are_one_expression(self):
        plan = parse(r'/* { dg-output "one(\n|\r)" } */', '/* { dg-output "two" } */', '/* { dg-shouldfail "it aborts" } */')
        self.assertRegex("one\ntwo", plan.output)
        self.assertTrue(plan.should_fail)

    def test_what_is_unknown_is_told(self):
        self.assertEqual(parse("/* { dg-invented 1 } */").unknown, ["dg-invented"])
        with self.assertRaises(ValueError):
            parse("/* { dg-do run { target no_such_thing } } */")


if __name__ == "__main__":
    unittest.main()
