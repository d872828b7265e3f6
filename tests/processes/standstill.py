#!/usr/bin/env python3
"""What a job says in which nothing can go on, and that it says nothing where something can.

    standstill.py AMITY LAUNCHER PROGRAM WAY RANKS stands|goes_on
"""

import os
import re
import signal
import subprocess
import sys

amity, launcher, program, way, ranks, expected = sys.argv[1:]
command = [amity, "run", "-n", ranks, "--launcher", launcher, "--", program, way]
limit_s = 50
run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
                       env={**os.environ, "AMITY_STALL": "abort"})
try:
    output, _ = run.communicate(timeout=limit_s)
except subprocess.TimeoutExpired:
    os.killpg(run.pid, signal.SIGKILL)
    output, _ = run.communicate()
    sys.exit(f"no end within {limit_s} s:\n{output}")

told = sorted(int(r) for r in re.findall(r"rank (\d+) of .*: nothing in this job can go on any more", output))
if expected == "goes_on":
    good = run.returncode == 0 and not told and "ok" in output.split()
else:
    good = run.returncode != 0 and told == list(range(int(ranks))) and "the job is ended" in output
    if way.startswith("a_site"):
        good = good and len(re.findall("communicator 'x' of .*: two uses of this name wait", output)) == 1
if not good:
    sys.exit(f"wrong: it ended with {run.returncode}, and said:\n{output}")
print("ok")
