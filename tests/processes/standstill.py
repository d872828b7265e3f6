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
limit_s = 35  # the states of hung processes take a while, too


def family(process):
    """The process and all that have come of it."""
    try:
        children = open(f"/proc/{process}/task/{process}/children").read().split()
    except OSError:
        return []
    return [process] + [p for c in children for p in family(int(c))]


def state_of(process):
    """What a hang looks like: what the fibers wait for, and the OS threads."""
    said = subprocess.run([amity, "dump", str(process)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    threads = []
    for thread in sorted(os.listdir(f"/proc/{process}/task")):
        folder = f"/proc/{process}/task/{thread}"
        try:
            status = re.search(r"State:\s*(\S)", open(f"{folder}/status").read())
            threads.append(f"{thread} {open(f'{folder}/comm').read().strip()} {status[1] if status else '?'}")
        except OSError:
            pass
    return f"{said.stdout}  threads: {', '.join(threads)}\n"


run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
                       env={**os.environ, "AMITY_STALL": "abort"})
try:
    output, _ = run.communicate(timeout=limit_s)
except subprocess.TimeoutExpired:
    seen = "".join(state_of(p) for p in family(run.pid) if os.path.exists(f"/proc/{p}/task"))
    os.killpg(run.pid, signal.SIGKILL)
    output, _ = run.communicate()
    sys.exit(f"no end within {limit_s} s:\n{output}\n{seen}")

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
