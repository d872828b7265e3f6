"""What `amity dump` and the report of a standstill say of programs that can't go on.

    check.py dump  AMITY PATTERN... -- PROGRAM ARGUMENT...     the dump comes to show all patterns
    check.py stall PATTERN... -- PROGRAM ARGUMENT...           the program comes to print them itself
    check.py abort PATTERN... -- PROGRAM ARGUMENT...           the same, and ends by SIGABRT (with AMITY_STALL=abort)
    check.py quiet -- PROGRAM ARGUMENT...                      it says nothing in some seconds
    check.py end PATTERN... -- PROGRAM ARGUMENT...             it prints all patterns, nothing of a standstill, and ends by itself

A pattern is a regular expression. The program is ended afterwards.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

patience_s = 15
silence_s = 6


def start(command):
    # A child may always be read by whoever started it, so this works where only that is allowed.
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert program.stdout.readline().strip() == "ready"
    return program


def missing(patterns, text):
    return [p for p in patterns if not re.search(p, text)]


def dump(amity, patterns, program):
    # It is asked again until it has got as far as to stand still.
    end = time.monotonic() + patience_s
    while True:
        result = subprocess.run([amity, "dump", str(program.pid)], capture_output=True, text=True)
        if "can't be looked at" in result.stderr:
            print(result.stderr, "\nskipped: the system does not let processes be read")
            return 77
        lacking = missing(patterns, result.stdout)
        if not lacking and result.returncode == 0:
            return 0
        if time.monotonic() > end:
            print(result.stdout, result.stderr, "\nlacking:", lacking)
            return 1


def give_up(program, amity):
    """What it does instead of what it should, for the log."""
    if amity.exists():
        print(subprocess.run([amity, "dump", str(program.pid)], capture_output=True, text=True).stdout)
    program.kill()


def stall(patterns, program):
    text = ""
    for line in program.stderr:
        text += line
        if not missing(patterns, text):
            return 0
    print(text, "\nlacking:", missing(patterns, text))
    return 1


def abort(patterns, program):
    _, said = program.communicate()  # the timer sees to its end
    lacking = missing(patterns, said)
    if program.returncode == -signal.SIGABRT and not lacking:
        return 0
    print(said, "\nended with", program.returncode, "lacking:", lacking)
    return 1


def quiet(program):
    try:
        _, said = program.communicate(timeout=silence_s)
    except subprocess.TimeoutExpired:
        program.kill()
        _, said = program.communicate()
    print(said)
    return 1 if "nothing can go on" in said else 0


def end(patterns, program):
    _, said = program.communicate()  # the timer sees to its end
    lacking = missing(patterns, said)
    if program.returncode == 0 and not lacking and "nothing can go on" not in said:
        return 0
    print(said, "\nended with", program.returncode, "lacking:", lacking)
    return 1


def main():
    split = sys.argv.index("--")
    what, arguments, command = sys.argv[1], sys.argv[2:split], sys.argv[split + 1 :]
    if what == "abort":
        os.environ["AMITY_STALL"] = "abort"
    program = start(command)
    timer = threading.Timer(patience_s + 5, give_up, [program, pathlib.Path(command[0]).parent.parent / "bin" / "amity"])
    timer.start()
    try:
        if what == "dump":
            return dump(arguments[0], arguments[1:], program)
        if what == "abort":
            return abort(arguments, program)
        if what == "end":
            return end(arguments, program)
        return stall(arguments, program) if what == "stall" else quiet(program)
    finally:
        timer.cancel()
        if program.poll() is None:
            os.kill(program.pid, signal.SIGKILL)
        program.wait()


sys.exit(main())
