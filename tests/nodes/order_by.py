#!/usr/bin/env python3
"""The order of what a program prints, over nodes that another launcher has started, is that of one node.

    order_by.py AMITY LAUNCHER PROGRAM      (order.c)
"""

import os
import subprocess
import sys

amity, launcher, program = sys.argv[1:]
environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def run(*command):
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)


expected = run(amity, "run", "-t", "4", "--", program).stdout
for nodes, threads in ((2, 2), (4, 1)) * 3:
    ended = run(launcher, "-n", str(nodes), amity, "run", "--nodes", "-t", str(threads), "--", program)
    if "may not handle its own page faults" in ended.stderr:
        sys.exit(77)
    if ended.stdout != expected or ended.returncode != 7:
        sys.exit(f"{nodes} nodes, {threads} threads each: status {ended.returncode}\n{ended.stdout}\n{ended.stderr}")
print("ok")
