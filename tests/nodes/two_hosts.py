#!/usr/bin/env python3
"""A program over nodes on two "machines": network namespaces of this one, joined by a virtual cable, so that pages and
messages go by TCP. Needs root, iproute2 and leave to handle page faults; 77: skipped.

    two_hosts.py AMITY PROGRAM NODES THREADS...     the program is to end with 0 with each number of threads a node
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

os.environ["AMITY_NODES_REGIONS"] = "always"  # what is tried here is done over nodes, be it worth it or not

amity, program, nodes, *threads = sys.argv[1:]
names = [f"amityn{os.getpid()}{side}" for side in "ab"]


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True, text=True)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


probe = subprocess.run([amity, "run", "--nodes", "1", "--", "true"], capture_output=True, text=True)
if "may not handle its own page faults" in probe.stderr:
    skip("this process may not handle page faults")
if os.geteuid() != 0:
    skip("it takes root to make network namespaces")
try:
    ip("netns", "add", names[0])
except (OSError, subprocess.CalledProcessError) as error:
    skip(f"no network namespaces here: {error}")
try:
    ip("netns", "add", names[1])
    ip("link", "add", "cable", "netns", names[0], "type", "veth", "peer", "name", "cable", "netns", names[1])
    for i, name in enumerate(names):
        ip("-n", name, "addr", "add", f"10.78.{os.getpid() % 250}.{i + 1}/24", "dev", "cable")
        ip("-n", name, "link", "set", "cable", "up")
        ip("-n", name, "link", "set", "lo", "up")
    for name in names:
        for _ in range(200):
            if "state UP" in ip("-n", name, "link", "show", "cable").stdout:
                break
            time.sleep(0.05)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        wrapper = pathlib.Path(folder) / "node"
        for number in threads:
            # Every second node is on the other machine.
            wrapper.write_text(f'#!/bin/sh\n'
                               f'[ $((PMI_RANK % 2)) = 0 ] && side={names[0]} || side={names[1]}\n'
                               f'exec ip netns exec $side {amity} run --stats --nodes -t {number} -- {program}\n')
            wrapper.chmod(0o755)
            done = subprocess.run([amity, "run", "-n", nodes, "--launcher", "amity", "--", str(wrapper)], timeout=100,
                                  capture_output=True, text=True)
            print(done.stdout + done.stderr)
            # Lines of two nodes come by two ways, and may change places.
            ended_well = done.returncode == 0 and any(line.startswith("ok") for line in done.stdout.splitlines())
            print(f"{nodes} nodes of {number} threads: status {done.returncode}{'' if ended_well else ': wrong'}\n")
            failed |= not ended_well
    sys.exit(1 if failed else 0)
finally:
    for name in names:
        ip("netns", "delete", name, check=False)
