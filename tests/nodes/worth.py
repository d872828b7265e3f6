#!/usr/bin/env python3
"""Regions that take longer over nodes than on one stay on one, unless a thread has data of its own: worth.py AMITY FOLDER"""

import os
import re
import subprocess
import sys

amity, folder = sys.argv[1:]


def kept(program, *arguments, regions=1500, **variables):
    command = [amity, "run", "--nodes", "2", "-t", "1", "--stats", "--", os.path.join(folder, program), str(regions), *arguments]
    ended = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=100)
    if "may not handle its own page faults" in ended.stderr:
        sys.exit(77)
    if ended.returncode != 0 or ended.stdout != "ok\n":
        sys.exit(f"{command}: status {ended.returncode}\n{ended.stdout}\n{ended.stderr}")
    found = re.search(r"(\d+) regions were spread, and (\d+) kept on node 0", ended.stderr)
    print(program, arguments, variables, found and found[0])
    return found and int(found[2])


problems = []
# What is faster depends on who else uses the machine meanwhile: on a busy one both ways may take the same.
if not any((kept("nodes_contested", regions=20000) or 0) >= 1000 for _ in range(3)):
    problems.append("contested regions are spread")
if kept("nodes_contested", AMITY_NODES_REGIONS="always"):
    problems.append("AMITY_NODES_REGIONS=always does not hold")
if kept("nodes_contested", OMP_PLACES="nodes"):
    problems.append("OMP_PLACES=nodes does not hold")
if kept("nodes_contested", "key"):
    problems.append("threads with data under a key have changed their process")
for name in ("nodes_contested_tls", "nodes_contested_copies"):
    if os.path.exists(os.path.join(folder, name)) and kept(name):
        problems.append(f"{name}: threads with variables of their own have changed their process")
sys.exit("\n".join(problems) or None)
