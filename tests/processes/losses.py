#!/usr/bin/env python3
"""A rank is lost in a job that goes on, under a launcher that lets the others go on.

    losses.py AMITY LAUNCHER PROGRAM CASE
    losses.py AMITY LAUNCHER PROGRAM CASE 0,0,1    ranks 0 and 1 take themselves for those of one node, 2 for one of another

Each case has a time limit of its own.
"""

import os
import re
import subprocess
import sys

amity, launcher, program, case, *nodes = sys.argv[1:]
RANKS = 3
LIMIT = 50


def fail(text):
    print(text)
    sys.exit(1)


def run():
    wrapper = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "pretended_nodes.sh"), *nodes] if nodes else []
    command = [amity, "run", "-n", str(RANKS), "--keep-going", "--launcher", launcher, "--", *wrapper, program, case]
    job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        output, _ = job.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        job.terminate()
        output, _ = job.communicate(timeout=10)
        fail(f"no end within {LIMIT} s:\n{output}")
    if job.returncode == 77:
        print("there is no device")
        sys.exit(77)
    return output


def goes_on(*ranks, without=1):
    """These ranks see the loss and end as they should."""
    output = run()
    print(output)
    if os.environ.get("AMITY_NET") == "ucx" and "AMITY_NET=sockets does not" in output:
        return  # killed while it sent: that the job ends with words is what UCX allows
    for rank in ranks:
        if f"rank {rank}: ok" not in output:
            fail(f"rank {rank} did not go on")
    if "wrong" in output:
        fail("something went wrong")
    if not re.search(rf"rank {without} was lost: .*; operations on its devices", output):
        fail("nobody says which rank was lost")
    if re.search(r"the job is ended", output):
        fail("the job was ended")


def ends(*words):
    output = run()
    print(output)
    for word in words:
        if not re.search(word, output):
            fail(f"it does not say '{word}'")


CASES = {
    "devices": lambda: goes_on(0, 2),
    "in_finish": lambda: goes_on(0, 2),
    "client": lambda: goes_on(1, 2, without=0),
    "last_at_end": lambda: goes_on(0, 1, 2, without=2),
    "first_at_end": lambda: goes_on(0, 1, 2, without=0),
    "memory": lambda: goes_on(0, 1, without=2),
    "collective": lambda: goes_on(0, 1, without=2),
    "after_barrier": lambda: [goes_on(0, 1, without=2) for _ in range(8)],
    "told_just_before": lambda: [goes_on(0, 2) for _ in range(16)],
    "barrier": lambda: ends(r"waits for all processes to meet .*rank 2 was lost.*the job is ended"),
    "finish": lambda: ends(r"rank 2 was lost.*a finish waits for tasks there; the job is ended"),
    "without_word": lambda: ends(r"rank 2 can't be reached any more: .*; the job is ended"),
}

if case == "list":
    print("\n".join(CASES))
else:
    CASES[case]()
    print("ok")
