#!/usr/bin/env python3
"""debugger.py GDB SCRIPT PROGRAM FOLDER: what amity_gdb.py shows of waits.cpp, which a breakpoint stops, and of its core file."""

import pathlib
import re
import subprocess
import sys
import unittest

gdb, script, program, folder = sys.argv[1:]
core = pathlib.Path(folder) / "core"


def run(*commands, start=("break stop_here", "run"), arguments=(program,)):
    """What gdb prints after each of the commands, in their order."""
    options = []
    for command in ("set debuginfod enabled off", "set width 0", "set confirm off", f"source {script}", *start):
        options += ["-ex", command]
    for command in commands:
        options += ["-ex", r"echo \n=== " + command.replace("\\", "\\\\") + r"\n", "-ex", command]
    done = subprocess.run([gdb, "-nx", "-batch", *options, *map(str, arguments)], capture_output=True, text=True, timeout=100)
    if "Operation not permitted" in done.stderr and "ptrace" in done.stderr:
        print("skipped: this process may debug no other")
        sys.exit(77)
    parts = re.split(r"^=== .*\n", done.stdout, flags=re.M)
    return parts[1:] + [done.stderr]


class debugger(unittest.TestCase):
    def number_of(self, listed, what):
        lines = [line for line in listed.splitlines() if what in line]
        self.assertEqual(len(lines), 1, listed)
        return int(lines[0].split()[0])

    def check_list(self, listed):
        for kind, function in (("a mutex", "wait_for_mutex"), ("a channel", "wait_for_channel"), ("a future", "wait_for_future")):
            self.assertRegex(listed, rf"(?m)^ +\d+  fiber 0x[0-9a-f]+ waits for {kind} at 0x[0-9a-f]+, in \(anonymous namespace\)::"
                                     rf"{function} at waits\.cpp:\d+$")

    def check_stack(self, stack):
        """The mutex's: it begins at the switch, is numbered from 0 on, and ends where its thread began."""
        numbers = [int(each) for each in re.findall(r"^#(\d+) ", stack, re.M)]
        self.assertEqual(numbers, list(range(len(numbers))), stack)
        self.assertNotIn("stop_here", stack)
        self.assertEqual(len(re.findall(r"wait_for_mutex \(level=level@entry=[012]\)", stack)), 3, stack)
        self.assertRegex(stack, r"(start_thread|clone3?|amity_context_start) \(")

    def test_a_process(self):
        listed, = run("info amity")[:1]
        self.check_list(listed)
        self.assertRegex(listed, r"thread \d+ runs on gdb's thread 1 \(LWP \d+\)")
        self.assertRegex(listed, r"(?m)^\d+ of \d+ fibers; ")

    def test_stacks(self):
        # Another run may number them in another way.
        find = ('python n = [line for line in gdb.execute("info amity", to_string=True).splitlines() if "a mutex" in line]'
                '[0].split()[0]')
        bt, some, full, every, own, local = run(
            find, 'python gdb.execute(f"amity bt {n}")', 'python gdb.execute(f"amity bt {n} 2")',
            'python gdb.execute(f"amity bt {n} -full")', "amity apply all bt", "bt",
            'python gdb.execute(f"amity apply {n} print $pc == 0")')[1:7]
        self.check_stack(bt)
        self.assertEqual(re.findall(r"^#(\d+) ", some, re.M), ["0", "1"], some)
        self.assertRegex(full, r"below = 20")
        for function in ("wait_for_mutex", "wait_for_channel", "wait_for_future"):
            self.assertIn(function, every)
        self.assertRegex(own, r"^#0  \(anonymous namespace\)::stop_here \(\)")  # as it was
        self.assertEqual(len(re.findall(r"^#", own, re.M)), 2, own)
        self.assertIn("= false", local)

    def test_a_core_file(self):
        number = self.number_of(run("info amity", f"generate-core-file {core}")[0], "a mutex")
        to_frame = (r'python exec("f = gdb.newest_frame()\nwhile not (f.name() or str()).endswith(\"wait_for_mutex\"): '
                    r'f = f.older()\nf.select()")')
        listed, bt, select, _, level, own, none, after = run(
            "info amity", f"amity bt {number}", f"amity select {number}", to_frame, "print level", "bt", "amity select none", "bt",
            start=(), arguments=(program, core))[:8]
        self.check_list(listed)
        self.check_stack(bt)
        self.assertIn("waits for a mutex", select)
        self.assertIn("= 0", level)
        self.assertRegex(own, r"^#0  \(anonymous namespace\)::stop_here \(\)")
        self.assertRegex(own, r"\n#1  (?s:.)*wait_for_mutex \(level=level@entry=2\)")
        self.assertEqual(none.strip(), "")
        self.assertEqual(len(re.findall(r"^#", after, re.M)), 2, after)

    def test_a_thread_of_the_program(self):
        """Once main waits, too, its OS thread may run others: its stack is where it waits."""
        listed, bt = run("info amity", "amity bt 1", start=("break stop_there", "run"))[:2]
        self.assertRegex(listed, r"(?m)^ +1  thread \d+ waits for a future at 0x[0-9a-f]+, in main at waits\.cpp:\d+$")
        self.assertRegex(bt, r"main \(\) at ")

    def test_printers(self):
        names = ("locker", "number", "text", "nothing", "grid", "failed", "shared", "three", "empty", "promised")
        printed = run("up", *[f"print {name}" for name in names])[1:]
        for text, expected in zip(printed, (r"amity::future<int>, not ready, state at 0x", r"amity::future<int>, ready: 42",
                                            r'ready: "hello"', r"amity::future<void>, ready\n", r"ready: \{rows = 3\}",
                                            r"amity::future<int>, failed", r"amity::shared_future<int>, ready: 5",
                                            r"amity channel, capacity 4 = \{items = .* \{7, 8, 9\}\}",
                                            r"amity channel, capacity 3, receivers wait = ", r"amity::promise<int>, not ready")):
            self.assertRegex(text, expected)

    def test_wrong_words(self):
        errors = run("amity bt", "amity bt 0", "amity bt 99", "amity bt x", "amity select", "amity apply", "amity apply all")[-1]
        for words in ("amity bt: which?", "there is no number 0", "there is no number 99: 'info amity' has those from 1 to",
                      "'x' is no number of 'info amity'", "amity apply: to which, and what?"):
            self.assertIn(words, errors)

    def test_before_the_start_and_without_amity(self):
        self.assertIn("there is no process", run("info amity", start=())[-1])
        self.assertIn("no libamity.so", run("info amity", start=("starti",), arguments=("/bin/true",))[-1])


unittest.main(argv=sys.argv[:1])
