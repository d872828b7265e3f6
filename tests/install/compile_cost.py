#!/usr/bin/env python3
"""compile_cost.py MEGABYTES COMMAND...: runs a compiler, says what it took, and fails if that was more memory. Time is only said:
how much it is depends on what else the machine does."""

import os
import subprocess
import sys
import time


def main(limit, command):
    begin = time.monotonic()
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)  # Popen would ask for it
    seconds, megabytes = time.monotonic() - begin, usage.ru_maxrss / 1024
    print(f"hello compiles in {seconds:.1f} s and {megabytes:.0f} MB (at most {limit} MB)")
    return process.returncode != 0 or megabytes > limit


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
