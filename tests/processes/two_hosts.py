#!/usr/bin/env python3
"""Ranks on two "machines": network namespaces of this one, joined by a virtual cable. Needs root and iproute2; 77: skipped.

    two_hosts.py AMITY PROGRAM
"""

import os
import pathlib
import subprocess
import sys
import tempfile

amity, program = sys.argv[1:]
RANKS = 4
names = [f"amity{os.getpid()}{side}" for side in "ab"]


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True, text=True)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


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
        ip("-n", name, "addr", "add", f"10.77.{os.getpid() % 250}.{i + 1}/24", "dev", "cable")
        ip("-n", name, "link", "set", "cable", "up")
        ip("-n", name, "link", "set", "lo", "up")
    with tempfile.TemporaryDirectory() as folder:
        # Every second rank is on the other machine.
        wrapper = pathlib.Path(folder) / "rank"
        wrapper.write_text(f'#!/bin/sh\nname={names[0]}\n[ $((PMI_RANK % 2)) = 1 ] && name={names[1]}\n'
                           f'exec ip netns exec $name {program}\n')
        wrapper.chmod(0o755)
        done = subprocess.run([amity, "run", "-n", str(RANKS), "--launcher", "mpirun.mpich", "--", str(wrapper)],
                              timeout=100, capture_output=True, text=True,
                              env={**os.environ, "AMITY_NET": os.environ.get("AMITY_NET", "sockets")})
    print(done.stdout + done.stderr)
    sys.exit(done.returncode)
finally:
    for name in names:
        ip("netns", "delete", name, check=False)
