#!/usr/bin/env python3
"""redirect.py AMITY COMPILER FOLDER: what `amity run` does with libraries that carry an OpenMP runtime of their own, as Python's
wheels do, what `amity run -v` says of it, and what happens where amity_redirect.so is missing.

FOLDER is made anew, with two wheels: package/ has a library, package.libs/ the copy of libgomp, under another name, that it needs.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import bundled

here = pathlib.Path(__file__).resolve().parent
amity, compiler, folder = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], pathlib.Path(sys.argv[3])
# Nobody else's wishes: neither a library to preload nor a -v around this test.
environment = {name: value for name, value in os.environ.items() if not name.startswith(("LD_", "AMITY_", "OMP_"))}


def run(*command, **more):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=60, env=environment | more)


class redirect(unittest.TestCase):
    def test_without_amity_the_wheel_uses_its_own(self):
        result = run(uses, wheel)
        self.assertEqual(result.returncode, 0, result)
        self.assertIn("wheel.libs/libgomp-1.so", result.stdout)

    def test_a_wheel_is_led_to_amity_and_v_says_so(self):
        result = run(amity, "run", "-v", "--", uses, wheel)
        self.assertEqual(result.returncode, 0, result)
        self.assertRegex(result.stdout, r"^\S*/libomp_amity\.so\S*\n$")
        self.assertRegex(result.stderr,
                         r"^amity: uses \(process \d+\): libgomp-1\.so -> Amity \(asked for by \S*/wheel/wheel\.so\)\n$")

    def test_each_name_is_said_once(self):
        result = run(amity, "run", "-v", "--", uses, wheel, other, wheel)
        self.assertRegex(result.stdout, r"^\S*/libomp_amity\.so\S*\n$", result)
        self.assertRegex(result.stderr, r"^amity: .* libgomp-1\.so -> Amity .*\namity: .*libgomp-2\.so -> Amity .*/other\.so\)\n$")

    def test_a_path_is_shown_as_it_was_asked_for(self):
        result = run(amity, "run", "-v", "--", uses, wheel, folder / "other.libs/libgomp-2.so")  # which has no plugin_run
        self.assertIn("/other.libs/libgomp-2.so -> Amity (asked for by the program)\n", result.stderr)

    def test_a_program_that_is_linked_to_a_runtime(self):
        result = run(amity, "run", "-v", "--", plain)
        self.assertEqual(result.returncode, 0, result)
        self.assertRegex(result.stderr, r"^amity: plain \(process \d+\): libgomp\.so\.1 -> Amity \(asked for by the program\)\n$")

    def test_no_runtime(self):
        result = run(amity, "run", "-v", "--", uses)
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.assertRegex(result.stderr, r"^amity: uses \(process \d+\): no OpenMP runtime was loaded, Amity's or another\n$")

    def test_other_processes_are_named(self):
        result = run(amity, "run", "-v", "--", "bash", "-c", '"$0" "$1"; "$0"; :', uses, wheel)
        self.assertRegex(result.stderr, r"^amity: uses \(process \d+\): libgomp-1\.so -> .*\n"
                                        r"amity: bash \(process \d+\): no OpenMP runtime was loaded, Amity's or another\n$", result)

    def test_one_inside_another_says_it_once(self):
        result = run(amity, "run", "-v", "--", amity, "run", "-v", "--", uses, wheel)
        self.assertEqual(result.returncode, 0, result)
        self.assertRegex(result.stderr,
                         r"^amity: uses \(process \d+\): libgomp-1\.so -> Amity \(asked for by \S*/wheel/wheel\.so\)\n$")

    def test_a_runtime_that_is_not_replaced_is_said_to_be_so(self):
        # Nothing is known today that gets past the auditor; so it is led to a folder that isn't there.
        auditor = amity.parent.parent / "lib/amity/amity_redirect.so"
        result = run(uses, wheel, LD_AUDIT=str(auditor), AMITY_REDIRECT_REPORT="1")
        self.assertEqual(result.returncode, 0, result)
        self.assertRegex(result.stderr,
                         r"^amity: uses \(process \d+\): \S*/wheel\.libs/libgomp-1\.so is loaded as it is: NOT Amity\n$")

    def test_nothing_is_said_without_v(self):
        result = run(amity, "run", "--", uses, wheel, AMITY_REDIRECT_REPORT="1")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_amity_redirect_is_missing(self):
        tree = folder / "incomplete"
        (tree / "bin").mkdir(parents=True)
        (tree / "lib/amity").mkdir(parents=True)
        shutil.copy(amity, tree / "bin/amity")
        library = amity.parent.parent / "lib/libomp_amity.so.1"
        (tree / "lib/libomp_amity.so.1").symlink_to(library)
        (tree / "lib/amity/libgomp.so.1").symlink_to("../libomp_amity.so.1")
        for options in ([], ["-v"]):
            result = run(tree / "bin/amity", "run", *options, "--", uses, wheel)
            self.assertEqual((result.returncode, result.stdout), (125, ""), result)
            for word in (str(tree / "lib/amity/amity_redirect.so"), "is missing", "nothing is run", "--target products"):
                self.assertIn(word, result.stderr)

    def test_a_folder_that_the_loader_s_lists_cannot_hold(self):
        for name, sign in (("a:b", ":"), ("a;b", ";"), ("a$ORIGIN", "$")):
            result = run(complete_tree(name) / "bin/amity", "run", "--", plain)
            self.assertEqual((result.returncode, result.stdout), (125, ""), result)
            for word in ("LD_LIBRARY_PATH", name, f"'{sign}'", "nothing is run"):
                self.assertIn(word, result.stderr)

    def test_a_folder_with_a_blank(self):
        result = run(complete_tree("a b") / "bin/amity", "run", "-v", "--", plain)
        self.assertEqual(result.returncode, 0, result)
        self.assertIn("libgomp.so.1 -> Amity", result.stderr)

    def test_a_program_that_is_linked_by_lamity_alone(self):
        program, library = folder / "by_lamity", amity.parent.parent / "lib"
        (folder / "nothing.c").write_text("int main(void) { return 0; }\n")
        maker.compile_c(folder / "nothing.c", f"-L{library}", "-Wl,--no-as-needed", "-lamity", "-o", program)
        self.assertEqual(run(amity, "run", "--", program).returncode, 0)


def complete_tree(name):
    """Amity, installed in FOLDER/NAME."""
    tree, lib = folder / name, amity.parent.parent / "lib"
    (tree / "bin").mkdir(parents=True)
    (tree / "lib").mkdir()
    shutil.copy(amity, tree / "bin/amity")
    for entry in lib.glob("lib*.so*"):
        (tree / "lib" / entry.name).symlink_to(entry)
    (tree / "lib/amity").symlink_to(lib / "amity")
    return tree


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
folder = folder.resolve()
maker = bundled.Maker(compiler, folder)
uses, plain = folder / "uses", folder / "plain"
maker.compile_c(here / "uses.c", "-o", uses, "-ldl")
maker.compile_c("-fopenmp", here / "../install/consumer/openmp.c", "-o", plain)
wheel, other = maker.make("wheel", "libgomp-1.so"), maker.make("other", "libgomp-2.so")
unittest.main(argv=sys.argv[:1])
