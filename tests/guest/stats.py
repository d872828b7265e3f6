#!/usr/bin/env python3
"""The line of `amity run --stats`, of one process and of many; what `--counters` prints.

    stats.py AMITY PROGRAM PLUGIN
"""
import os
import re
import subprocess
import sys

LINE = re.compile(r"^amity: (?P<name>\S+) \(pid (?P<pid>\d+)(, rank (?P<rank>\d+))?\): \d+ carriers, (?P<regions>\d+) regions, "
                  r"(?P<serial>\d+) serial regions, \d+ tasks, .* rescues$", re.M)
# Regions in the parent; then one child that does nothing, one that asks for the number of threads, and one that has a region.
FORKS = """
import ctypes, os, sys
plugin = ctypes.CDLL(sys.argv[1])
run = lambda: plugin.plugin_run(3, ctypes.byref(ctypes.c_int()))
for _ in range(20): run()
for what in (lambda: None, lambda: ctypes.CDLL("libgomp.so.1").omp_get_max_threads(), run):
    child = os.fork()
    if child == 0:
        what()
        ctypes.CDLL(None).exit(0)
    os.waitpid(child, 0)
"""
ASKS = "import ctypes; print(ctypes.CDLL('libgomp.so.1').omp_get_max_threads())"


def run(amity, command, **variables):
    environment = {k: v for k, v in os.environ.items() if "RANK" not in k and k != "SLURM_PROCID"}
    environment |= {"OMP_NUM_THREADS": "3"} | variables
    process = subprocess.Popen([amity, "run", "--stats", "--", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=environment)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    print(said, end="")
    return process.pid, [match.groupdict() for match in LINE.finditer(said)]


def main():
    amity, program, plugin = sys.argv[1:]

    pid, (line,) = run(amity, [program])
    assert int(line["pid"]) == pid and line["name"] == os.path.basename(program) and line["rank"] is None, line
    assert int(line["regions"]) > 0, line
    for variable in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"):
        _, (line,) = run(amity, [program], **{variable: "7"})
        assert line["rank"] == "7", (variable, line)
    _, (line,) = run(amity, [program], OMP_NUM_THREADS="1")
    assert int(line["serial"]) > 0, line

    # Each process that did something, and no other.
    _, lines = run(amity, ["sh", "-c", f"'{program}'; '{program}'; true"])
    assert len({line["pid"] for line in lines}) == len(lines) == 2, lines
    assert run(amity, [sys.executable, "-c", ASKS])[1] == []
    pid, lines = run(amity, [sys.executable, "-c", FORKS, plugin])
    assert len(lines) == 2, lines
    child, parent = lines
    assert int(parent["pid"]) == pid and int(parent["regions"]) == 20, parent
    assert child["pid"] != parent["pid"] and int(child["regions"]) == 1, child

    # Counters by name; a share is in percent.
    for option, pattern in (("--counters=/threads/idle-rate", r"^amity: /threads/idle-rate \d+\.\d %\n$"),
                            ("--counters", r"(?m)^amity: /openmp/count/serial-regions \d+$")):
        said = subprocess.run([amity, "run", option, "--", program], capture_output=True, text=True, timeout=60).stderr
        assert re.search(pattern, said), (option, said)
    usage = subprocess.run([amity, "run", "--help"], capture_output=True, text=True, timeout=60).stdout
    assert re.search(r"(?m)^  --counters\[=NAMES\] ", usage), usage
    print("ok")


main()
