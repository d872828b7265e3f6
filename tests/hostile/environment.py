#!/usr/bin/env python3
"""Starts a small OpenMP program with hostile values of every variable that Amity knows.

Each run must end soon, with 0 and the right answer, and stderr must have one line that names the variable and its value if that
is not allowed, and none if it is. What is printed must be printable and short, whatever was given.

    environment.py --amity build/bin/amity --libraries build/lib/amity PROGRAM
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

# No value of any variable, apart from those that take any text.
GARBAGE = [
    "", " ", "-1", "2x", "0x10", ",", "{0", "!", "%s%n", "$(exit 7)", "99999999999999999999", "true,", "\t\x01\x1b[2J",
    b"\xff\xfe\xc3", b"\xc3\xa4\xe2\x82", "1," * 20000 + "1", "9" * 130000, "a" * 130000,
]

A_COUNT = {"valid": ["1", " 3 ", "+2", "64"], "invalid": ["0", "1.5", "2147483648", "-2147483649", "1 2", "1,2", "1e3"]}
A_NUMBER = {"valid": ["0", " 3 ", "64"], "invalid": ["1.5", "2147483648", "1 2", "1,2"]}
A_BOOLEAN = {"valid": ["true", "FALSE", " 1 ", "0"], "invalid": ["2", "tru", "trueish", "true false"]}
A_SWITCH = {"valid": ["enabled", "Disabled"], "invalid": ["2", "enable"]}
A_SIZE = {
    "valid": ["64", "512k", " 2 M ", "65536", "1T"],
    "invalid": ["0", "1Z", "1TT", "18446744073709551615", "18446744073709551616", "17592186044416T", "k", "1 1", "1.5M"],
    "small": ["1B"],
    "refused": ["127T"],
}

# name -> lists of values: `valid` without a word, `invalid` with a warning and the default, `remark`s that are used and
# commented on; `small` for a stack that is made larger, `refused` for what the system refuses, `talks` where more is printed.
EXPECTED = {
    "OMP_NUM_THREADS": {
        "valid": ["1", "3,2", " 4 , 3 ", "200"],
        "invalid": ["0", "4,0", "2147483648", "4,", "4 4", "1.5", ",".join(["2"] * 33)],
    },
    "OMP_SCHEDULE": {
        "valid": ["static", "dynamic, 4", "monotonic:guided,2147483647", "nonmonotonic:dynamic", "auto", "trapezoidal"],
        "invalid": ["dynamic,-1", "dynamic,0", "dynamic,", "monotonic:", "static 4", "guided,2147483648", "fast", "0"],
    },
    "OMP_DYNAMIC": A_BOOLEAN,
    "OMP_NESTED": A_BOOLEAN,
    "OMP_MAX_ACTIVE_LEVELS": {"valid": ["0", "3", "255"], "invalid": ["2147483648", "1,2"], "remark": ["256", "2147483647"]},
    "OMP_THREAD_LIMIT": A_COUNT,
    "OMP_NUM_TEAMS": A_COUNT,
    "OMP_TEAMS_THREAD_LIMIT": A_COUNT,
    "OMP_STACKSIZE": A_SIZE,
    "OMP_WAIT_POLICY": {"valid": ["active", "PASSIVE"], "invalid": ["true", "active passive", "0"]},
    "OMP_PROC_BIND": {
        "valid": ["true", "false", "spread,close,primary", "master"],
        "invalid": ["spread,true", "close,", "spread spread", ",".join(["close"] * 33), "2"],
    },
    "OMP_PLACES": {
        "valid": ["threads", "cores(1)", "Sockets", "{0}", " { 0 } , {0} ", "cores(1000000)", "0"],
        "invalid": [
            "{}", "{-1}", "cores(0)", "cores(", "cores(-1)", "{0:999999999:1}", "{0}:1000000000", "{0},{", "{0}:2:99999999", "0,",
            "cores,threads", "{8191}", "!{0}", "{8000}:8192:0," * 9000 + "{0}", "!{0:8192}," * 12000 + "{0}", "{" * 100000,
        ],
        "remark": ["{0},{8000}", "{0:4096}", "{0}:4096:1"],
    },
    "OMP_CANCELLATION": A_BOOLEAN,
    "OMP_DEFAULT_DEVICE": A_NUMBER,
    "OMP_TARGET_OFFLOAD": {"valid": ["default", "MANDATORY", "disabled"], "invalid": ["true", "default,disabled", "0"]},
    "OMP_MAX_TASK_PRIORITY": A_NUMBER,
    "OMP_ALLOCATOR": {
        "valid": [
            "omp_high_bw_mem_alloc", "4", "omp_low_lat_mem_space", "omp_default_mem_space:alignment=64,pool_size=1024",
            "omp_default_mem_space:pool_size=1,fallback=null_fb", "omp_default_mem_space:alignment=4611686018427387904",
        ],
        "invalid": [
            "omp_null_allocator", "9", "0", "omp_default_mem_space:", "omp_default_mem_space:alignment=3",
            "omp_default_mem_space:alignment=0", "omp_default_mem_space:pool_size=-1",
            "omp_default_mem_space:" + ",".join(["alignment=8"] * 9), "omp_default_mem_space:pinned=perhaps",
        ],
    },
    "OMP_DISPLAY_AFFINITY": A_BOOLEAN,
    "OMP_AFFINITY_FORMAT": {
        "valid": ["%L.%n", "host %0.8{thread_num} %H", "100%%", "%1024n", "{0", "true,"],
        "invalid": ["", "%", "%{", "%{thread_num", "%999999999n", "%99999999999999999999n", "%0.", "x" * 1024, "%L" * 60000],
        "remark": ["%{no_such_field}", "%q", "%s%n", b"\xff%\xfe"],
    },
    "OMP_TOOL": A_SWITCH,
    "OMP_TOOL_LIBRARIES": {
        "valid": ["", ":", ":::"],
        "invalid": ["/" * 1024, "x:" * 60000],
        "remark": ["/no/such/library.so", "./a:./b", b"\xff\xfe.so", "/dev/null", "/", "%s%n"],
    },
    "OMP_TOOL_VERBOSE_INIT": {
        "valid": ["disabled", "DISABLED"],
        "invalid": ["", "x" * 1024],
        "remark": ["/no/such/folder/file", b"/no/such\xff\xfe/file", "/"],
        "talks": ["stderr", "stdout"],
    },
    "OMP_DEBUG": A_SWITCH,
    "GOMP_SPINCOUNT": {
        "valid": ["0", "300k", "infinite", " 5 M ", "9223372036854775807"],
        "invalid": ["9223372036854775808", "99999999999999999T", "1x", "infinite 1", "1kk"],
    },
    "GOMP_STACKSIZE": A_SIZE,
    "GOMP_CPU_AFFINITY": {
        "valid": ["0", "0 0", "0,0"],
        "invalid": ["a", "1-0", "0-", "8192", "0-8191:0", "8191", "0 x", "0," * 9000],
        "remark": ["0-8191", "0 4000"],
    },
    "GOMP_DEBUG": A_NUMBER,
    "KMP_BLOCKTIME": {"valid": ["0", "200ms", "50us", " 3 s ", "infinite", "2147483647"],
                      "invalid": ["1h", "200 m", "9223372036854775808"]},
    "KMP_STACKSIZE": {"valid": ["65536", "512k", "2M"], "invalid": A_SIZE["invalid"], "small": ["1", "100B"]},
    "KMP_LIBRARY": {"valid": ["serial", "turnaround", "throughput"], "invalid": ["fast", "serial,throughput", "0"]},
    "KMP_AFFINITY": {
        "valid": ["none", "compact,1,0", "granularity=fine,scatter", "explicit,proclist=[0,{0}]"],
        "invalid": [
            "explicit", "proclist=[", "explicit,proclist=[]", "explicit,proclist=[9999999999]", "compact;", "granularity",
            "granularity=",
            "granularity=quark", "compact,", "compact,-1", "explicit,proclist=[" + "0," * 200 + "0]",
        ],
    },
    "KMP_HW_SUBSET": {
        "valid": ["1s", "1c,1t", "*c", ":1t@0"],
        "invalid": ["0c", "1x", "1c,1c", "99999c", "4000s", "1c:intel_core", "1c@", "1c@60000", "1s,", "1s" + " " * 200],
    },
    "KMP_TEAMS_PROC_BIND": {"valid": ["spread", "Close", "primary"], "invalid": ["true", "spread,close", "0"]},
    "KMP_ALL_THREADS": A_COUNT,
    "KMP_DEVICE_THREAD_LIMIT": A_COUNT,
    "KMP_TEAMS_THREAD_LIMIT": A_COUNT,
    "KMP_ENABLE_TASK_THROTTLING": A_BOOLEAN,
    "KMP_INHERIT_FP_CONTROL": A_BOOLEAN,
    "KMP_WARNINGS": A_BOOLEAN,
    "KMP_DUPLICATE_LIB_OK": A_BOOLEAN,
    "KMP_INIT_AT_FORK": A_BOOLEAN,
    "KMP_FOREIGN_THREADS_THREADPRIVATE": A_BOOLEAN,
    "KMP_USE_YIELD": A_NUMBER,
    "AMITY_THREADS": {"valid": ["1", " 3 ", "1024"], "invalid": ["0", "1025", "2147483648", "1,2", "99999999999999999999"]},
    "AMITY_STACKSIZE": A_SIZE,
    "AMITY_STALL": {"valid": [*A_BOOLEAN["valid"], "abort", " Abort "], "invalid": [*A_BOOLEAN["invalid"], "aborted", "abort 1"]},
    "AMITY_SCHEDULER": {"valid": ["static", "priority-local-fifo"], "invalid": []},
    "AMITY_STEALING": A_BOOLEAN,
    "AMITY_HIGH_PRIORITY_QUEUES": {"valid": ["1", "1024"], "invalid": ["0", "1025", "few"]},
    "AMITY_IDENTITY": {"valid": ["instruction", "system_call", "fixed"], "invalid": ["fast", "fixed,instruction", "0"]},
    # These print more than a warning when they are on.
    "OMP_DISPLAY_ENV": {"valid": ["false"], "invalid": ["2", "verbos"], "talks": ["true", " Verbose "]},
    "KMP_SETTINGS": {"valid": ["false"], "invalid": ["2"], "talks": ["true"]},
    "AMITY_NODES_MEMORY": {"valid": ["pages", "shared"], "invalid": ["page", "Shared ", "pages,shared"]},
    "AMITY_NODES_REGIONS": {"valid": ["worth", "always"], "invalid": ["never", "1", "always,worth"]},
    "AMITY_SEGMENT": {"valid": ["64M", "2g", "100000"], "invalid": ["0", "64T", "M", "-1", "1 G"]},
    "AMITY_DISTRIBUTED_STEALING": {"valid": ["off", "random", "round_robin", "lifelines"],
                                   "invalid": ["1", "on", "random,lifelines", "0"]},
    "AMITY_SERIAL_CALLS": {"valid": ["on", "off"], "invalid": ["serial", "On", "1", "0"]},
    "AMITY_COLLECTIVES": {"valid": ["", "tuned.txt"], "invalid": []},
    "AMITY_COLLECTIVE_LINES": {"valid": ["on", "off"], "invalid": ["no", "Off", "1", "0"]},
    "AMITY_DEVICES": {"valid": ["", "none", "opencl:0", "cuda,opencl:1"], "invalid": []},
    "AMITY_CACHE": {"valid": ["", "none", "/tmp/cache"], "invalid": []},
    "AMITY_NET_DEVICE": {"valid": ["", "eth0", "10.0.0.1"], "invalid": []},
    "AMITY_NET": {"valid": ["ucx", "sockets", "mpi"], "invalid": ["openmpi", "ucx1"]},
    "AMITY_NET_RINGS": {"valid": ["on", "off"], "invalid": ["no", "Off", "1", "0"]},
    "AMITY_TRACE": {"valid": [""], "invalid": [], "talks": ["/nowhere/trace"]},
    "AMITY_TRACE_SIZE": {"valid": ["64M", "1G"], "invalid": ["0", "-1", "x"]},
    "AMITY_PROFILE": {"valid": [""], "invalid": [], "talks": ["|/nowhere/amity", "/nowhere/profile"]},
    "AMITY_STATS": {"valid": ["false"], "invalid": ["2"], "talks": ["true"]},
    "AMITY_COUNTERS": {"valid": [], "invalid": [], "talks": ["all", "/threads/idle-rate,/runtime/uptime", "x" * 900]},
}
# Any text, as far as the table of settings goes: the code that uses it says what is wrong, in words of its own.
TAKES_ANY_TEXT = {"OMP_TOOL_LIBRARIES", "OMP_TOOL_VERBOSE_INIT", "OMP_AFFINITY_FORMAT", "AMITY_COUNTERS", "AMITY_PROFILE",
                  "AMITY_TRACE", "AMITY_SCHEDULER", "AMITY_COLLECTIVES", "AMITY_DEVICES", "AMITY_CACHE", "AMITY_NET_DEVICE"}
UNKNOWN = {
    "OMP_NUM_THREAD": "amity: OMP_NUM_THREAD is not a setting that is known here; did you mean OMP_NUM_THREADS?",
    "AMITY_THREAD": "did you mean AMITY_THREADS?",
    "KMP_FOO": "amity: KMP_FOO is not a setting that is known here. It is ignored",
    "GOMP_X": "amity: GOMP_X is not a setting that is known here. It is ignored",
    "OMP_NUM_THREADS_DEV_0": None, "OMPI_COMM_WORLD_RANKS": None, "OMP_CFLAGS": None, "KMP_A_DEBUG": None, "AMITY_ROOT": None,
}
LONGEST_LINE = 1024
SECONDS = 30


def known_variables(amity):
    text = subprocess.run([amity, "info", "-v"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  ([A-Z]+_[A-Z_]+) ", text[text.index("\nSettings\n"):], re.M)


class Runs:
    def __init__(self, program, libraries, folder):
        self.program, self.libraries, self.folder = program, libraries, folder
        self.base = {k: v for k, v in os.environ.items() if not re.match("(OMP|GOMP|KMP|LIBOMP|AMITY)_", k)}
        self.base["LD_LIBRARY_PATH"] = libraries

    def start(self, variables):
        """What goes wrong whatever the variables say, and stderr."""
        environment = dict(self.base, OMP_NUM_THREADS="4")
        environment.update(variables)
        try:
            done = subprocess.run([self.program], env=environment, capture_output=True, timeout=SECONDS, cwd=self.folder)
        except subprocess.TimeoutExpired:
            return [f"still runs after {SECONDS} s"], ""
        errors = done.stderr.decode("latin-1")
        wrong = []
        if done.returncode != 0:
            wrong.append(f"exit status {done.returncode}")
        if done.stdout.split(b"\n")[-2:] != [b"ok", b""]:
            wrong.append("the last line is not 'ok'")
        for line in errors.splitlines():
            if len(line) > LONGEST_LINE:
                wrong.append(f"a line of {len(line)} bytes")
            if not re.fullmatch("[ -~]*", line):
                wrong.append("a line with what is not printable: " + ascii(line))
        return wrong, errors


def judge(kind, name, errors):
    lines = errors.splitlines()
    if kind == "talks":
        return [] if lines or name == "OMP_TOOL_VERBOSE_INIT" else ["says nothing"]
    if kind == "valid":
        return ["says something about a valid value"] if lines else []
    if kind == "small":
        good = len(lines) == 1 and lines[0].startswith(f"amity: {name}: ") and "too small" in lines[0]
    elif kind == "refused":
        good = len(lines) == 1 and lines[0].startswith("amity: the system refused a stack")
    elif kind == "no effect":
        good = len(lines) == 1 and lines[0].startswith(f"amity: {name} ")
    else:
        used = kind == "remark" or "is used" in errors or "are used" in errors
        good = len(lines) == 1 and lines[0].startswith(f"amity: {name}='") and used
    return [] if good else [f"no line, or not the one that a value of the kind '{kind}' should have"]


def cases(names, thorough):
    for name in names:
        if name not in EXPECTED:
            yield name, "no effect", "1"
            yield name, "no effect", b"\xff\x1b[2J" + b"x" * 1000
            continue
        kinds = EXPECTED[name]
        for kind, values in kinds.items():
            for value in values:
                yield name, kind, value
        if name in TAKES_ANY_TEXT:
            continue
        valid = {v for values in kinds.values() for v in values}
        # All of it for a few, which have parsers of their own; some for each.
        for n, value in enumerate(GARBAGE):
            if value not in valid and (thorough or (n + len(name)) % 3 == 0 or not value):
                yield name, "invalid", value


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--amity", required=True)
    arguments.add_argument("--libraries", required=True)
    arguments.add_argument("--only", default="", help="variables whose name contains this")
    arguments.add_argument("--thorough", action="store_true", help="all hostile values for each variable")
    options = arguments.parse_args()

    names = known_variables(options.amity)
    failures = [f"{name}: no variable of Amity's" for name in EXPECTED if name not in names]
    count = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = Runs(os.path.abspath(options.program), os.path.abspath(options.libraries), folder)

        def one(case):
            name, kind, value = case
            wrong, errors = runs.start({name: value})
            wrong += judge(kind, name, errors)
            if not wrong:
                return []
            return [f"{name}={ascii(value)[:80]} ({kind}): {'; '.join(wrong)}\n    stderr: {ascii(errors)[:400]}"]

        for result in pool.map(one, [c for c in cases(names, options.thorough) if options.only in c[0]]):
            count += 1
            failures += result
        # Names that are none: misspelt ones get a line, with the nearest name; those of other tools don't.
        for name, said in UNKNOWN.items():
            wrong, errors = runs.start({name: "3"})
            count += 1
            if (said is None and errors) or (said is not None and errors.count("\n") != 1) or (said or "") not in errors:
                wrong.append("not what is to be said of it: " + ascii(errors))
            failures += [f"{name}=3: {w}" for w in wrong]
        # All at once, and shown.
        for value in GARBAGE:
            wrong, errors = runs.start({name: value for name in names if name != "OMP_DISPLAY_ENV"} | {"OMP_DISPLAY_ENV": "verbose"}
                                       if len(value) < 1000 else {"OMP_DISPLAY_ENV": "verbose", "OMP_PLACES": value})
            count += 1
            if "OPENMP DISPLAY ENVIRONMENT END" not in errors:
                wrong.append("shows no environment")
            failures += [f"all variables={ascii(value)[:80]}: {w}" for w in wrong]
    print("\n".join(failures))
    print(f"{count} runs, {len(failures)} wrong")
    if failures:
        return 1
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
