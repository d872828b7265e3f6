#!/usr/bin/env python3
"""--trace-pages names the lines that wait for pages, and what is in these: tracing.py AMITY PROGRAM (traced.c, with -g)"""

import os
import re
import subprocess
import sys
import tempfile

amity, program = sys.argv[1:]
source = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "traced.c")).read().splitlines()
line = {words: 1 + i for i, text in enumerate(source) for words in re.findall(r"/\* line: (.*) \*/", text)}


def run(*words, **more):
    return subprocess.run([amity, *words], capture_output=True, text=True, timeout=60, **more)


def demand(true, words, ended):
    if not true:
        sys.exit(f"{words}\nstatus {ended.returncode}\n{ended.stdout}\n{ended.stderr}")


def demand_report(text, ended):
    first = re.search(r"threads of 2 nodes have waited for pages (\d+) times", text)
    demand(first and int(first[1]) > 100, "the report does not count", ended)
    rows = [(int(a), r[0], r[1]) for a, *r in re.findall(r"^ +(\d+) +\d+ +[\d/]+ +(.*); (.*)$", text, re.M)]
    demand(sum(r[0] for r in rows) <= int(first[1]) and rows == sorted(rows, key=lambda r: -r[0]), "rows", ended)
    for at, what in [("field", r"field"), ("use of block", rf"block of 160000 bytes from traced\.c:{line['block']} in make_block")]:
        found = [n for n, where, used in rows if where.startswith(f"traced.c:{line[at]} in main") and re.fullmatch(what, used)]
        demand(sum(found) > 50, f"line {line[at]}, {what}: not in the report", ended)


traced = run("run", "--nodes", "2", "-t", "1", "--trace-pages", "--", program)
if "may not handle its own page faults" in traced.stderr:
    sys.exit(77)
demand(traced.returncode == 0 and traced.stdout == "ok\n", "the program", traced)
demand_report(traced.stderr, traced)

with tempfile.TemporaryDirectory() as at:
    kept = run("run", "--nodes", "2", "-t", "1", "--trace-pages=kept/here", "--", program, cwd=at)
    demand_report(kept.stderr, kept)
    again = run("pages", "kept/here", cwd=at)
    demand(again.returncode == 0 and again.stdout in kept.stderr, "amity pages says something else", again)
    os.remove(os.path.join(at, "kept/here/node.1"))
    half = run("pages", "kept/here", cwd=at)
    demand(half.returncode == 125 and "node.1 is not there" in half.stderr, "half a trace", half)
    nothing = run("run", "--nodes", "2", "--trace-pages=/proc/none", "--", program)
    demand(nothing.returncode == 125 and "nothing can be written" in nothing.stderr, "no folder", nothing)

for way in ({}, {"AMITY_NODES_MEMORY": "shared"}):
    ended = run("run", *(["--nodes", "2"] if way else []), "--trace-pages", "--", program, env=dict(os.environ, **way))
    demand(ended.returncode == 0 and "without effect" in ended.stderr, "without pages", ended)
print("ok")
