#!/usr/bin/env python3
"""How threads are dealt to nodes, by -t, OMP_NUM_THREADS and OMP_PLACES=nodes...: dealing.py AMITY PROGRAM (dealt.c)"""

import os
import subprocess
import sys

amity, program = sys.argv[1:]

# nodes, options, environment, argument of the program, its output, words on stderr (None: there are none)
cases = [
    (2, "-t 2", "", "", "4 2: 0 0 1 1", None),
    (2, "-t 2", "OMP_PLACES=nodes", "", "4 2: 0 0 1 1", None),
    (2, "", "OMP_NUM_THREADS=3", "", "3 2: 0 0 1", None),
    (2, "", "OMP_NUM_THREADS=3 OMP_PLACES=nodes", "", "3 2: 0 0 1", None),
    (3, "", "OMP_NUM_THREADS=4", "", "4 3: 0 0 1 2", None),
    (3, "", "OMP_NUM_THREADS=2", "", "2 3: 0 1", None),
    (3, "-t 1", "OMP_PLACES=nodes(2)", "", "2 3: 0 1", None),
    (3, "-t 1", "OMP_PLACES=nodes(2)", "5", "2 3: 0 0 1 1 1", None),
    (2, "", "OMP_PLACES=nodes({1},{3})", "", "4 2: 0 1 1 1", None),
    (3, "", "OMP_PLACES=nodes({2},{1},{2})", "", "5 3: 0 0 1 2 2", None),
    (2, "", "OMP_PLACES=nodes({1},{3})", "8", "4 2: 0 0 1 1 1 1 1 1", None),
    (2, "", "OMP_PLACES=nodes({1},{3}) OMP_NUM_THREADS=2", "3", "4 2: 0 1 1", None),
    (2, "", "OMP_PLACES=nodes({2})", "", "2 2: 0 0", None),
    (2, "", "OMP_PLACES=nodes({2})", "4", "2 2: 0 0 0 0", None),
    (2, "-t 3", "OMP_PLACES=nodes({1},{1})", "", "2 2: 0 1", "-t 3 is not used"),
    (2, "-t 2", "OMP_PLACES=nodes(2", "", "2 2: 0 0", "is neither 'nodes', nor"),
    (2, "-t 2", "OMP_PLACES=nodes({1},{0})", "", "2 2: 0 0", "all threads are on one node"),
    (2, "-t 2", "OMP_PLACES=nodes(3)", "", "2 2: 0 0", "is of 3 nodes, and there are 2"),
    (2, "", "OMP_NUM_THREADS=3 OMP_PLACES=nodes({1},{1},{1})", "", "3 2: 0 0 0", "is of 3 nodes, and there are 2"),
    (0, "-t 2", "OMP_PLACES=nodes", "", "2 1: 0 0", None),
    (0, "-t 2", "OMP_PLACES=nodes({1},{1})", "", "2 1: 0 0", None),
    (0, "-t 2", "OMP_PLACES=nodes({1},{1}", "", "2 1: 0 0", "OMP_PLACES"),
]

problems = []
for nodes, options, variables, argument, output, words in cases:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OMP_")}
    environment |= dict(v.split("=", 1) for v in variables.split())
    environment["OMP_DYNAMIC"] = "false"
    shape = ["--nodes", str(nodes)] if nodes else []
    command = [amity, "run", *shape, *options.split(), "--", program, *argument.split()]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30)
    said = ended.stderr.strip()
    right = ended.returncode == 0 and ended.stdout.strip() == output
    if not right or (words is None) != (said == "") or (words or "") not in said or said.count("OMP_PLACES=") > 1:
        problems.append(f"{variables} {' '.join(command)}: status {ended.returncode}\n"
                        f"  {ended.stdout.strip()!r}, and not {output!r}\n  {said!r}, and not {words!r}")
if not problems:
    print(f"{len(cases)} cases")
sys.exit("\n".join(problems) or None)
