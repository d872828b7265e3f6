#!/usr/bin/env python3
"""How a job of several processes ends: by itself, by an exception, by a kill of a rank or of the launcher.

    ends.py AMITY LAUNCHER PROGRAM CASE

Each case has a time limit of its own, and no process of the job may be left.
"""

import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

amity, launcher, program, case = sys.argv[1:]
RANKS = 3


def state_of(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "gone"


def is_alive(pid):
    return state_of(pid) not in ("gone", "Z", "X")


class Job:
    def __init__(self, how, environment=None, traffic=()):
        command = [amity, "run", "-n", str(RANKS), "--launcher", launcher, "--", program, how, *traffic]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        env={**os.environ, **(environment or {})})
        self.output = ""

    def await_ranks(self):
        """The process ids of all ranks, once they have said them."""
        while len(self.pids()) < RANKS:
            line = self.process.stdout.readline()
            if not line:
                fail(f"the job ended before all ranks had begun:\n{self.output}")
            self.output += line
        return self.pids()

    def pids(self):
        return [int(p) for p in re.findall(r"^pid (\d+)$", self.output, re.M)]

    def end(self, limit):
        """Waits for the end of the job and of its processes."""
        begun = time.monotonic()
        try:
            rest, _ = self.process.communicate(timeout=limit)
            self.output += rest
        except subprocess.TimeoutExpired:
            self.process.kill()
            fail(f"no end within {limit} s:\n{self.output}")
        while any(is_alive(p) for p in self.pids()):
            if time.monotonic() - begun > limit:
                left = [p for p in self.pids() if is_alive(p)]
                for p in left:
                    os.kill(p, signal.SIGKILL)
                fail(f"processes {left} are left after {limit} s:\n{self.output}")
            time.sleep(0.01)
        return self.process.returncode


def fail(text):
    print(text)
    sys.exit(1)


def expect(holds, what, job):
    if not holds:
        fail(f"{what}; exit status {job.process.returncode}, output:\n{job.output}")


def ends_with_words(how, *words):
    job = Job(how)
    status = job.end(30)
    expect(status != 0, "the exit status says that all is well", job)
    for word in words:
        expect(re.search(word, job.output), f"it does not say '{word}'", job)


def killed(how, which):
    job = Job(how)
    pids = job.await_ranks()
    os.kill(pids[1] if which == "rank" else job.process.pid, signal.SIGKILL)
    status = job.end(10)
    expect(status != 0, "the exit status says that all is well", job)


def killed_in_traffic(traffic):
    """Also where all serve that have come to their ends, and no worker ever runs dry."""

    def one(how, which, net):
        job = Job(how, {"AMITY_NET": net}, [traffic])
        try:
            pids = job.await_ranks()
        except SystemExit:
            return "skipped" if job.process.wait() == 77 else f"{how}, {net}: it did not begin:\n{job.output}"
        time.sleep(0.2)  # what goes on gets going
        try:
            os.kill(pids[1] if which == "rank" else job.process.pid, signal.SIGKILL)
            job.end(20)
        except (SystemExit, ProcessLookupError):
            return f"{how}, {which} killed, {net}: it ended before that, or not after it (above):\n{job.output}"
        return None

    nets = os.environ.get("AMITY_TEST_NETS", "sockets").split()
    cases = [(how, which, net) for net in nets for which in ("launcher", "rank")
             for how in ("serves", "sleeps", "waits", "computes")]
    with ThreadPoolExecutor(4) as several:
        outcomes = [o for o in several.map(lambda c: one(*c), cases) if o is not None]
    if outcomes and all(o == "skipped" for o in outcomes):
        print("there is no device")
        sys.exit(77)
    if outcomes:
        fail("\n".join(outcomes))


def ends_well(how, lines=0):
    job = Job(how)
    status = job.end(30)
    expect(status == 0, "it failed", job)
    expect(job.output.count("late") == lines, f"'late' is not there {lines} times", job)


def killed_in_openmp(compiler):
    """Whatever all workers do in OpenMP, nobody is left behind."""
    library = os.environ.get(f"AMITY_TEST_OPENMP_{compiler}")
    if library is None:
        print(f"there is no OpenMP library of {compiler}'s")
        sys.exit(77)

    def one(how, way, net):
        job = Job(how, {"AMITY_NET": net}, ["openmp", library, way])
        try:
            job.await_ranks()
            time.sleep(0.3)  # what goes on gets going
            job.process.kill()
            job.end(20)
        except SystemExit:
            return f"{how}, {way}, {net}: it ended before the launcher was killed, or not after it (above)"
        return None

    nets = os.environ.get("AMITY_TEST_NETS", "sockets").split()
    cases = [(how, way, net) for net in nets
             for way in ("region", "loops", "tasks", "lock", "barrier", "kernel", "nested")
             for how in ("serves", "takes_part", "waits")]
    with ThreadPoolExecutor(2) as several:
        wrong = [o for o in several.map(lambda c: one(*c), cases) if o is not None]
    if wrong:
        fail("\n".join(wrong))


CASES = {
    "normal": lambda: ends_well(""),
    "never_joined": lambda: ends_well("never"),
    "late_tasks": lambda: ends_well("late", RANKS),
    "exception_in_main": lambda: ends_with_words("throws", r"rank 2 of 3 .*std::runtime_error: planted in main"),
    "exception_in_task": lambda: ends_with_words("task_throws", r"rank 2 of 3 .*std::logic_error: planted in a task"),
    "other_table": lambda: ends_with_words("other_table", r"collective_error", r"AMITY_COLLECTIVES must name the same"),
    "exit_status": lambda: ends_with_words("status"),
    "abort": lambda: ends_with_words("aborts"),
    "leaves_early": lambda: ends_with_words("leaves", r"barrier_all.*rank 2 has ended"),
    "rank_killed_asleep": lambda: killed("sleeps", "rank"),
    "rank_killed_in_barrier": lambda: killed("waits", "rank"),
    "rank_killed_computing": lambda: killed("computes", "rank"),
    "launcher_killed_asleep": lambda: killed("sleeps", "launcher"),
    "launcher_killed_in_barrier": lambda: killed("waits", "launcher"),
    "launcher_killed_computing": lambda: killed("computes", "launcher"),
    "killed_in_messages": lambda: killed_in_traffic("messages"),
    "killed_in_steals": lambda: killed_in_traffic("steals"),
    "killed_in_launches": lambda: killed_in_traffic("devices"),
    "killed_in_openmp_gcc": lambda: killed_in_openmp("gcc"),
    "killed_in_openmp_clang": lambda: killed_in_openmp("clang"),
}

if case == "list":
    print("\n".join(CASES))
else:
    CASES[case]()
    print("ok")
