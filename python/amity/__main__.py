"""`amity` and `python -m amity`: the program, and what only Python has."""

import os
import shutil
import sys

from . import _native_files as native


def _with_interpreter(arguments):
    """`run -t 4 script.py` -> `run -t 4 PYTHON script.py`: a script of Python as the program needs no word more, also where
    it may not be executed."""
    for i, argument in enumerate(arguments):
        if argument.endswith(".py") and os.path.isfile(argument):
            return [*arguments[:i], sys.executable, *arguments[i:]]
        may_be_value = i > 0 and arguments[i - 1].startswith("-") and arguments[i - 1] != "--"
        if not argument.startswith("-") and not may_be_value and shutil.which(argument):
            break  # the program, whose own arguments follow
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
