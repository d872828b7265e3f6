#!/usr/bin/env python3
"""What strangers see of a job and can do to it: which sockets its processes listen at, and what comes of garbage, and of messages
as Amity makes them but without the job's secret, at every one of them. The job goes on, and its results are right.

    strangers.py AMITY LAUNCHER PROGRAM            on one machine
    strangers.py TWO_HOSTS AMITY PROGRAM           between two (two_hosts.py); 77: skipped

AMITY_NET says by which engine. `strangers.py try KIND ADDRESS...` is the stranger.
"""

import os
import pathlib
import random
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time

MAGIC, SECRET = 0x7974696D, b"0123456789abcdef" * 2
LIMIT = 40


def address_of(text):
    """Of /proc/net/tcp: the address in the machine's order, word by word, and the port."""
    host, port = text.split(":")
    raw = b"".join(struct.pack("=I", int(host[i : i + 8], 16)) for i in range(0, len(host), 8))
    return socket.inet_ntop(socket.AF_INET if len(raw) == 4 else socket.AF_INET6, raw), int(port, 16)


def inodes(pid):
    found = set()
    for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            match = re.match(r"socket:\[(\d+)\]", os.readlink(fd))
        except OSError:
            continue
        if match:
            found.add(match[1])
    return found


def listening(pid):
    """[(kind, address)]: whatever takes what comes to it from others."""
    mine, found = inodes(pid), []
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        try:
            lines = pathlib.Path(f"/proc/{pid}/net/{kind}").read_text().splitlines()[1:]
        except OSError:
            continue  # a machine without IPv6
        for line in lines:
            words = line.split()
            if words[9] in mine and (words[3] == "0A" or kind.startswith("udp")):
                found.append((kind, address_of(words[1])))
    for line in pathlib.Path(f"/proc/{pid}/net/unix").read_text().splitlines()[1:]:
        words = line.split()
        listens, kind = int(words[3], 16) & 0x10000 != 0, int(words[4])
        if words[6] in mine and len(words) > 7 and (listens or kind == socket.SOCK_DGRAM):
            found.append(("unix" if listens else "unix datagram", words[7]))
    return found


# --- the stranger


def greeting(magic=MAGIC, rank=0, secret=SECRET):
    return struct.pack("=II32s", magic, rank, secret)


def frame(code, word=1, size=8):
    return struct.pack("=QQQ", code, word, size) + bytes(min(size, 4096))


def texts():
    chance = random.Random(7)
    yield b""
    yield b"\0"
    yield b"GET / HTTP/1.0\r\n\r\n"
    yield bytes(chance.getrandbits(8) for _ in range(100_000))
    yield greeting()[:20]
    yield greeting() + frame(1)
    yield greeting(secret=bytes(32)) + frame(chance.getrandbits(64)) * 100
    yield greeting(rank=1) + frame(1, size=1 << 45)
    yield greeting(rank=1_000_000)
    yield greeting(magic=1)


def connection(kind, address):
    family = {"tcp": socket.AF_INET, "tcp6": socket.AF_INET6, "unix": socket.AF_UNIX}[kind]
    s = socket.socket(family, socket.SOCK_STREAM)
    s.settimeout(5)
    s.connect("\0" + address[1:] if kind == "unix" else address)
    return s


def say(s, text):
    try:
        s.sendall(text)
        s.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # it was turned away before it was through


def try_all(kind, address):
    if kind == "unix datagram":
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.settimeout(1)
        for text in list(texts()) * 5:
            try:
                s.sendto(text[:1000], "\0" + address[1:])
            except OSError:
                pass  # its queue is full
        return
    if kind.startswith("udp"):
        s = socket.socket(socket.AF_INET if kind == "udp" else socket.AF_INET6, socket.SOCK_DGRAM)
        for text in texts():
            s.sendto(text[:1000], address)
        return
    silent = [connection(kind, address) for _ in range(20)]  # they stay until this process ends
    slow = connection(kind, address)
    slow.sendall(greeting()[:7])
    for text in texts():
        with connection(kind, address) as s:
            say(s, text)
            try:
                while s.recv(4096):  # until the job has closed it
                    pass
            except OSError as error:
                if isinstance(error, socket.timeout):
                    sys.exit(f"{kind} {address}: it was not turned away after {text[:50]!r}")
    for _ in range(300):
        connection(kind, address).close()
    print(len(silent), "silent ones were borne")


# --- the test


def fail(job, text):
    job.terminate()
    output, _ = job.communicate(timeout=10)
    sys.exit(f"{text}\n{output}")


def await_ranks(job, folder, ranks):
    end = time.monotonic() + LIMIT
    while True:
        there = [folder / f"rank{r}" for r in range(ranks)]
        if all(path.exists() for path in there):
            return [int(path.read_text()) for path in there]
        if job.poll() is not None:
            output, _ = job.communicate()
            print(output)
            sys.exit(77 if job.returncode == 77 else "the job ended before all ranks had begun")
        if time.monotonic() > end:
            fail(job, "not all ranks have begun")
        time.sleep(0.02)


def is_allowed(kind, address, net, hosts):
    if net == "mpi":  # MPI's own; README.md of net says what it trusts
        return True
    if kind == "unix datagram":  # UCX's, by which a sender wakes a process of this machine: it reads nothing of it
        return net == "ucx"
    if kind == "unix":
        return net == "sockets" or hosts > 1
    return kind == "tcp" and hosts > 1 and address[0].startswith("10.77.")


def main(command, ranks, hosts):
    net = os.environ.get("AMITY_NET", "sockets")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        job = subprocess.Popen(command(folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        seen = {pid: listening(pid) for pid in await_ranks(job, folder, ranks)}
        tcp = 0
        for pid, sockets in seen.items():
            for kind, address in sockets:
                print(f"process {pid} listens: {kind} {address}")
                if not is_allowed(kind, address, net, hosts):
                    fail(job, f"process {pid} listens where it must not: {kind} {address}")
                tcp += kind == "tcp"
        if net != "mpi":
            if hosts > 1 and tcp != ranks:
                fail(job, f"{tcp} addresses of {ranks} ranks: one each was expected")
            for pid, sockets in seen.items():
                for kind, address in sockets:
                    words = [str(word) for word in (address if isinstance(address, tuple) else (address,))]
                    there = ["nsenter", "--target", str(pid), "--net"] if hosts > 1 else []
                    done = subprocess.run([*there, sys.executable, __file__, "try", kind, *words], timeout=LIMIT,
                                          capture_output=True, text=True)
                    if done.returncode != 0:
                        fail(job, done.stdout + done.stderr)
        (folder / "stop").touch()
        try:
            output, _ = job.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            fail(job, "the job does not end")
    print(output)
    listens = any(kind in ("unix", "tcp") for sockets in seen.values() for kind, _ in sockets)
    if net != "mpi" and listens and "a stranger was turned away" not in output:
        sys.exit("nobody says that strangers were turned away")
    if job.returncode != 0 or not re.search(r"^ok$", output, re.M):
        sys.exit(f"the job did not go on: exit status {job.returncode}")
    print("ok")


if sys.argv[1] == "try":
    kind, *where = sys.argv[2:]
    try_all(kind, (where[0], int(where[1])) if len(where) == 2 else where[0])
elif sys.argv[1].endswith("two_hosts.py"):
    two_hosts, amity, program = sys.argv[1:]
    main(lambda folder: [two_hosts, amity, f"{program} {folder}"], 4, 2)
else:
    amity, launcher, program = sys.argv[1:]
    main(lambda folder: [amity, "run", "-n", "3", "--launcher", launcher, "--", program, str(folder)], 3, 1)
