#!/usr/bin/env python3
"""tools/check_layers.py refuses what it should, on a small made-up tree."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parent.parent.parent / "tools" / "check_layers.py"


class Includes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("modules.txt", "base 0 \nsys 1 base\ntrace 2 base\n")
        for module in ("base", "sys", "trace"):
            self.write(f"amity/{module}/CMakeLists.txt", f"amity_module(NAME {module} SOURCES x.cpp)\n")
            self.write(f"amity/{module}/x.hpp", "#pragma once\n")
        self.write("amity/base/internal/secret.hpp", "#pragma once\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def check(self):
        command = [sys.executable, CHECK, self.root / "modules.txt", self.root]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        return run.returncode, run.stdout

    def refused(self, message):
        status, output = self.check()
        self.assertEqual(status, 1, output)
        self.assertIn(message, output)

    def test_declared_includes_pass(self):
        self.write("amity/sys/x.cpp", '#include "amity/sys/x.hpp"\n#include <vector>\n#include "amity/base/x.hpp"\n')
        self.assertEqual(self.check(), (0, "3 modules keep their layers\n"))

    def test_an_undeclared_module_is_refused(self):
        self.write("amity/sys/x.cpp", '#include "amity/trace/x.hpp"\n')
        self.refused("amity/sys/x.cpp:1: amity/trace/x.hpp: module 'sys' does not declare 'trace' in DEPENDS")

    def test_angle_brackets_do_not_help(self):
        self.write("amity/sys/x.cpp", "#  include <amity/trace/x.hpp>\n")
        self.refused("does not declare 'trace'")

    def test_anothers_internal_is_refused(self):
        self.write("amity/sys/x.cpp", '#include "amity/base/internal/secret.hpp"\n')
        self.refused("is internal to module 'base'")

    def test_own_internal_passes(self):
        self.write("amity/base/x.cpp", '#include "amity/base/internal/secret.hpp"\n')
        self.assertEqual(self.check()[0], 0)

    def test_a_relative_include_is_refused(self):
        self.write("amity/sys/x.cpp", '#include "x.hpp"\n')
        self.refused('quoted includes begin with "amity/"')

    def test_a_forgotten_test_is_refused(self):
        self.write("amity/sys/y_test.cpp", "")
        self.refused("amity/sys/y_test.cpp: not named in amity/sys/CMakeLists.txt")


if __name__ == "__main__":
    unittest.main()
