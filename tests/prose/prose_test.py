#!/usr/bin/env python3
"""tools/check_prose.py refuses what it should, and nothing else, on a small made-up tree."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parent.parent.parent / "tools" / "check_prose.py"
WHO = "Wh" + "o"  # the check reads this file, too


class Prose(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.files = []
        self.write("amity/sync/x.cpp", "void wake() {}\nstruct x { void park_at(); };\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.files.append(path)

    def check(self):
        run = subprocess.run([sys.executable, CHECK, self.root], input="\n".join(self.files), capture_output=True, text=True,
                             check=False)
        return run.returncode, run.stdout

    def refused(self, *messages):
        status, output = self.check()
        self.assertEqual((status, output.splitlines()), (1, list(messages)))

    def passes(self):
        self.assertEqual(self.check()[0], 0, self.check()[1])

    def test_long_lines_of_code_are_refused(self):
        self.write("amity/sync/y.hpp", "\n// " + "é" * 118 + "\n")
        self.refused("amity/sync/y.hpp:2: 121 columns, more than 120")

    def test_a_label_is_given_once_in_a_module(self):
        self.write("amity/sync/README.md", "* **T2** The waker looks last.\n")
        self.write("amity/omp/README.md", "* **T2.** Another module's.\n")
        self.passes()
        self.write("amity/sync/inner/README.md", "| **T2** | the same label |\n")
        self.refused("amity/sync/inner/README.md: T2 is a rule of amity/sync/README.md: two rules of sync have one label")

    def test_rules_that_are_cited_are_of_the_own_module(self):
        self.write("amity/omp/README.md", "**T2, the claim.** Then it is claimed.\n")
        self.write("amity/omp/y.cpp", "// Once (T2). As it must be (sync's T3).\nint y;  // pairs with T2\n")
        self.passes()
        self.write("amity/sync/z.cpp", "int z;  // seq_cst (T2)\n\nint w;  // pairs with T2\n")
        self.refused("amity/sync/z.cpp:1: (T2): no README of this module has such a rule",
                     "amity/sync/z.cpp:3: pairs with T2: there is no such name in amity/")

    def test_scripts_may_be_a_little_wider(self):
        self.write("script/build", "# " + "x" * 130 + "\n")
        self.passes()
        self.write("CMakeLists.txt", "# " + "x" * 131 + "\n")
        self.refused("CMakeLists.txt:1: 133 columns, more than 132")

    def test_long_lines_of_data_pass(self):
        self.write("amity/omp/exports.txt", "x" * 200)
        self.passes()

    def test_tables_code_and_links_may_be_wider(self):
        wide = "x" * 130
        self.write("a.md", f"| {wide} |\n```\n{wide}\n```\n\n    {wide}\n\n[{wide}](y)\n- <https://{wide}>\n")
        self.passes()

    def test_long_lines_of_markdown_are_refused(self):
        self.write("a.md", "\n" + "x " * 65)
        self.refused("a.md:2: 130 columns, more than 120")

    def test_pages_that_a_script_writes_may_be_wider(self):
        self.write("docs/performance.md", "x " * 100)
        self.passes()

    def test_a_sentence_without_a_subject_is_refused(self):
        self.write("amity/sync/y.hpp", f"/// A lock. {WHO} waits\n/// blocks.\nint a;  // {WHO}ever it was.\n")
        self.refused(f"amity/sync/y.hpp:1: '{WHO} waits blocks. ...': name the subject",
                     f"amity/sync/y.hpp:3: '{WHO}ever it was. ...': name the subject")

    def test_a_question_passes(self):
        self.write("a.md", f"## {WHO} is told\n\n{WHO} is\ntold? All that wait.\n")
        self.passes()

    def test_code_and_strings_are_no_prose(self):
        self.write("amity/sync/y.cpp", f'int x = 1\'000;\nauto s = "// {WHO} waits";\nauto r = R"(// {WHO} waits)";\n')
        self.passes()

    def test_a_partner_that_is_gone_is_refused(self):
        self.write("amity/sync/y.cpp", "a.load();  // pairs with step_aside\n// Pairs with wake and unpark_one.\n")
        self.refused("amity/sync/y.cpp:1: pairs with step_aside: there is no such name in amity/",
                     "amity/sync/y.cpp:2: pairs with unpark_one: there is no such name in amity/")

    def test_a_name_in_comments_alone_is_gone(self):
        self.write("amity/sync/y.cpp", "// step_aside did that.\na.load();  // pairs with step_aside\n")
        self.refused("amity/sync/y.cpp:2: pairs with step_aside: there is no such name in amity/")

    def test_a_file_that_is_gone_is_refused(self):
        self.write("amity/sync/y.cpp", "a.load();  // pairs with wake (z.cpp)\n")
        self.refused("amity/sync/y.cpp:1: pairs with z.cpp: there is no such file")

    def test_partners_that_are_there_pass(self):
        self.write("amity/sync/README.md", "* **T2** The waker looks last.\n")
        self.write("amity/sync/y.cpp", "a();  // pairs with x::park_at, `wake`\nb();  // pairs with wake() (x.cpp, T2), as above\n"
                                       "c();  // pairs with wake, which sets it\nd();  // pairs with wake's fence and no other\n")
        self.passes()

    def test_free_words_pass(self):
        self.write("amity/sync/y.cpp", "a();  // pairs with the store below, in its loop\nb();  // pairs with others' exchanges\n")
        self.passes()


if __name__ == "__main__":
    unittest.main()
