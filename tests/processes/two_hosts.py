#!/usr/bin/env python3
"""Ranks on two "machines": network namespaces of this one, joined by a virtual cable. Needs root and iproute2; 77: skipped.

    two_hosts.py AMITY PROGRAM
    two_hosts.py AMITY PROGRAM CASE RANK...    the ranks that must say "ok" when another one is lost (losses.cpp)
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

amity, program, *case = sys.argv[1:]
RANKS = 3 if case else 4
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
    for name in names:  # UCX leaves out what has no carrier yet
        for _ in range(200):
            if "state UP" in ip("-n", name, "link", "show", "cable").stdout:
                break
            time.sleep(0.05)
    with tempfile.TemporaryDirectory() as folder:
        # Every second rank is on the other machine. What tells machines apart is the boot, UCX's shared memory too.
        boot = pathlib.Path(folder) / "boot"
        boot.write_text("01234567-89ab-cdef-0123-456789abcdef\n")
        wrapper = pathlib.Path(folder) / "rank"
        command = f'{program} {case[0] if case else ""}'
        wrapper.write_text(f'#!/bin/sh\n'
                           f'[ $((PMI_RANK % 2)) = 0 ] && exec ip netns exec {names[0]} {command}\n'
                           f'exec ip netns exec {names[1]} sh -c "mount --bind {boot} /proc/sys/kernel/random/boot_id && '
                           f'exec {command}"\n')
        wrapper.chmod(0o755)
        keep = ["--keep-going"] if case else []
        done = subprocess.run([amity, "run", "-n", str(RANKS), *keep, "--launcher", "mpirun.mpich", "--", str(wrapper)],
                              timeout=60, capture_output=True, text=True,
                              env={**os.environ, "AMITY_NET": os.environ.get("AMITY_NET", "sockets")})
    print(done.stdout + done.stderr)
    if case:
        missing = [rank for rank in case[1:] if f"rank {rank}: ok" not in done.stdout]
        sys.exit(f"ranks {missing} did not go on" if missing else 0)
    sys.exit(done.returncode)
finally:
    for name in names:
        ip("netns", "delete", name, check=False)
