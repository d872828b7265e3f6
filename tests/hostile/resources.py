#!/usr/bin/env python3
"""Starts a small OpenMP program where the system gives it less than it asks for.

A run ends soon, and with the right answer, perhaps in smaller teams, of which one line on stderr says why; or, where OpenMP allows
no smaller one, with a message and abort. It never hangs and never crashes.

    resources.py --hurt build/test/libhurt.so --libraries build/lib/amity PROGRAM
"""

import argparse
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import tempfile

SECONDS = 60
SMALLER = (r"amity: the system refused .+ \(.+\); this parallel region has (\d+) of the (\d+) threads that it asked for, and "
           r"others may be smaller too")
NO_MEMORY = r"amity: out of memory for .+"
UNBOUND = r"amity: the system refuses to bind a thread to CPUs .+"
NO_PLACES = r"amity: OMP_PLACES='cores' is not .+; the default is used"
OTHER_IDENTITY = r"amity: AMITY_IDENTITY='system_call' does not work on this machine; the best that works is used"

SYSTEM_CALLS = {  # of x86-64, with the error that a sandbox or an old kernel has for it
    "sched_setaffinity": (203, 1), "sched_getaffinity": (204, 1), "membarrier": (324, 38), "arch_prctl": (158, 1),
    "clone3": (435, 38), "sigaltstack": (131, 1), "rt_sigaction": (13, 1), "rt_sigprocmask": (14, 1), "sched_yield": (24, 1),
    "tgkill": (234, 1), "gettid": (186, 1), "mprotect": (10, 12), "openat": (257, 13), "prctl": (157, 1),
    "set_robust_list": (273, 38),
    "clock_nanosleep": (230, 1), "prlimit64": (302, 1), "getrandom": (318, 38), "madvise": (28, 22),
}


class Case:
    def __init__(self, hurt, allowed=(), needed=None, abort=False, smaller=None, **environment):
        self.hurt, self.allowed, self.needed, self.abort, self.smaller = hurt, list(allowed), needed, abort, smaller
        self.environment = {"OMP_NUM_THREADS": "4", **environment}

    def __str__(self):
        return self.hurt + "".join(f" {k}={v}" for k, v in self.environment.items())

    def judge(self, status, output, errors):
        lines = errors.splitlines()
        wrong = []
        if status == -signal.SIGABRT and self.abort:
            if not lines or not re.fullmatch(NO_MEMORY, lines[-1]):
                wrong.append("aborts without a word")
            lines = [line for line in lines if not re.fullmatch(NO_MEMORY, line)]  # of several threads
        elif status != 0 or output.splitlines()[-1:] != ["ok"]:
            wrong.append(f"exit status {status}")
        for line in lines:
            if not any(re.fullmatch(p, line) for p in [*self.allowed, *([self.needed] if self.needed else [])]):
                wrong.append("what it says is not expected")
        for pattern in [self.needed] if self.needed else []:
            found = [m for m in (re.fullmatch(pattern, line) for line in lines) if m]
            if len(found) != 1:
                wrong.append("it should say once that it has less")
            elif self.smaller and not self.smaller(*map(int, found[0].groups())):
                wrong.append("the team has another size than it should have")
        return wrong


def cases(root):
    for identity in ("", "fixed"):
        extra = {"AMITY_IDENTITY": identity} if identity else {}
        for n in range(1, 61):
            yield Case(f"malloc={n}", [SMALLER], abort=True, **extra)
            yield Case(f"malloc={n}+", [SMALLER], abort=True, **extra)
        for n in range(1, 21):
            yield Case(f"mmap={n}", [SMALLER], abort=True, **extra)
            yield Case(f"mmap={n}+", [SMALLER], abort=True, **extra)
        for n in range(1, 9):
            yield Case(f"thread={n}", [SMALLER], **extra)
            # The n-th fails, so there are n - 1 and the program's own; one of them may be the monitor.
            yield Case(f"thread={n}+", [], SMALLER, smaller=lambda has, asked, n=n: n - 1 <= has <= n and asked == 30,
                       OMP_NUM_THREADS="30", **extra)
    for n in (1, 3, 7):
        yield Case(f"thread={n}", [SMALLER], OMP_PLACES="{0}", OMP_PROC_BIND="spread", OMP_NUM_THREADS="9")
    # Limits that are set when the program is loaded, so nothing more can be had.
    for limit in ("stack=0", "stack=16384", "nofile=0", "nofile=3"):
        yield Case(limit)
        yield Case(limit, OMP_PLACES="cores")
    yield Case("as=1", [], SMALLER, smaller=lambda has, asked: has == 1 and asked == 4)
    yield Case("as=1", [], SMALLER, smaller=lambda has, asked: has == 1, OMP_PLACES="{0}")
    yield Case("as=400000000", [], SMALLER, smaller=lambda has, asked: 100 < has < 10000 and asked == 10000,
               OMP_NUM_THREADS="10000", OMP_STACKSIZE="64K")
    yield Case("", [], SMALLER, smaller=lambda has, asked: 1 <= has < 4, OMP_STACKSIZE="60T")
    user = "uid=65534," if root else ""
    for n in (0, 1, 2):
        yield Case(f"{user}nproc={n}", [], SMALLER, smaller=lambda has, asked, n=n: 1 <= has <= max(n, 1) and asked == 4)
    for threads in ("1000000", "2147483647"):
        for bind in ("false", "close", "spread", "primary"):
            yield Case(f"{user}nproc=300", [], SMALLER, smaller=lambda has, asked: 1 <= has <= 300 and asked >= 1000000,
                       OMP_NUM_THREADS=threads, OMP_PROC_BIND=bind)
    yield Case("", OMP_NUM_THREADS="1000000", OMP_THREAD_LIMIT="1")
    yield Case("", OMP_NUM_THREADS="1000000", OMP_DYNAMIC="true")
    if os.uname().machine == "x86_64":
        for name, (number, error) in SYSTEM_CALLS.items():
            for extra in ({}, {"OMP_PLACES": "cores"}, {"AMITY_IDENTITY": "system_call"}):
                allowed = [SMALLER, UNBOUND, NO_PLACES]
                if name == "arch_prctl":
                    allowed.append(OTHER_IDENTITY)
                yield Case(f"deny={number}:{error}", allowed, **extra)


def empty_root(program, libraries, folder):
    """A folder with the program and its libraries, and without /proc, /sys and /dev."""
    listed = subprocess.run(["ldd", program, *(os.path.join(libraries, f) for f in ("../libamity.so.0", "../libomp_amity.so"))],
                            env={"LD_LIBRARY_PATH": libraries}, capture_output=True, text=True).stdout
    files = set(re.findall(r"(/[^ :()\n]*\.so[^ :()\n]*)", listed))
    for name in files:
        to = folder + name
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(name, "rb") as source, open(to, "wb") as copy:
            copy.write(source.read())
        os.chmod(to, 0o755)
    with open(program, "rb") as source, open(folder + "/program", "wb") as copy:
        copy.write(source.read())
    os.chmod(folder + "/program", 0o755)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--hurt", required=True)
    arguments.add_argument("--libraries", required=True)
    arguments.add_argument("--only", default="", help="cases whose name contains this")
    arguments.add_argument("--strict", help="the program that demands 8 threads")
    options = arguments.parse_args()
    base = {k: v for k, v in os.environ.items() if not re.match("(OMP|GOMP|KMP|LIBOMP|AMITY)_|LD_", k)}
    base["LD_LIBRARY_PATH"] = os.path.abspath(options.libraries)
    program, hurt = os.path.abspath(options.program), os.path.abspath(options.hurt)

    def one(case):
        environment = {**base, **case.environment}
        if case.hurt:
            environment |= {"HURT": case.hurt, "LD_PRELOAD": hurt}
        try:
            done = subprocess.run([program], env=environment, capture_output=True, text=True, errors="replace", timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return [f"{case}: still runs after {SECONDS} s"]
        if done.stdout.startswith("skipped"):
            return []
        wrong = case.judge(done.returncode, done.stdout, done.stderr)
        return [f"{case}: {'; '.join(wrong)}\n    stderr: {ascii(done.stderr)[:600]}"] if wrong else []

    failures, count = [], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for result in pool.map(one, [c for c in cases(os.geteuid() == 0) if options.only in str(c)]):
            failures += result
            count += 1
    if os.geteuid() == 0 and not options.only:
        with tempfile.TemporaryDirectory() as folder:
            empty_root(program, base["LD_LIBRARY_PATH"], folder)
            for extra in ({}, {"OMP_PLACES": "cores"}, {"OMP_PROC_BIND": "close"}):
                done = subprocess.run(["/program"], env={**base, "OMP_NUM_THREADS": "4", **extra}, capture_output=True, text=True,
                                      timeout=SECONDS,
                                      preexec_fn=lambda: (os.chroot(folder), os.chdir("/")))
                count += 1
                if done.returncode != 0 or done.stdout != "ok\n" or done.stderr:
                    failures.append(f"without /proc and /sys {extra}: {done.returncode} {done.stderr}")
    if options.strict:
        for hurt_by, status, last in (("", 0, None),
                                      ("thread=4+", -signal.SIGABRT,
                                       r"amity: .*strict: 8.* cannot be; .* have [123]: eight or none"),
                                      ("as=1", -signal.SIGABRT, r"amity: .* have 1: eight or none")):
            done = subprocess.run([options.strict], env={**base, "HURT": hurt_by, "LD_PRELOAD": hurt}, capture_output=True,
                                  text=True, timeout=SECONDS)
            count += 1
            lines = done.stderr.splitlines()
            said = lines and re.fullmatch(last, lines[-1]) if last else done.stdout == "ok\n"
            if done.returncode != status or not said:
                failures.append(f"strict, {hurt_by}: {done.returncode} {done.stdout} {done.stderr}")
    print("\n".join(failures))
    print(f"{count} runs, {len(failures)} wrong")
    if failures:
        return 1
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
