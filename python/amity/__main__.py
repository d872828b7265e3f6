"""`amity` and `python -m amity`: the program, and what only Python has."""

import os
import sys

from . import _native_files as native


_WITH_VALUE = ("-t", "--threads", "-n", "--processes", "--launcher", "--hosts")


def _place_of_program(arguments):
    """Where the program stands among the words behind `run`: as split_off_program (amity/cli/commands.cpp) finds it."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-") and arguments[at] != "--":
        option = arguments[at]
        at += 1
        number_follows = option == "--nodes" and at < len(arguments) and arguments[at][:1] in tuple("0123456789")
        if option in _WITH_VALUE or number_follows:
            at += 1
    return at + 1 if arguments[at : at + 1] == ["--"] else at


def _with_interpreter(arguments):
    """`run -t 4 script.py` -> `run -t 4 PYTHON script.py`: a script of Python as the program needs no word more, also where
    it may not be executed."""
    at = _place_of_program(arguments)
    if at < len(arguments) and arguments[at].endswith(".py") and os.path.isfile(arguments[at]):
        return [*arguments[:at], sys.executable, *arguments[at:]]
    return arguments


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["install-kernel"]:
        from ._kernel import install

        return install(arguments[1:])
    if arguments[:1] == ["run"]:
        arguments = ["run", *_with_interpreter(arguments[1:])]
    try:
        os.execv(native.PROGRAM, ["amity", *arguments])
    except OSError as failed:
        print(f"amity: {native.PROGRAM} can't be started: {failed.strerror}; install amity-runtime again", file=sys.stderr)
        return 127


if __name__ == "__main__":
    sys.exit(main())
