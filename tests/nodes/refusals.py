#!/usr/bin/env python3
"""What `amity run --nodes` refuses, and how a program over several nodes ends that can't go on: in words, with nobody left.

    refusals.py AMITY NODES_LIBRARY FOLDER CASE      one case (77: it can't be tried here); FOLDER has the programs
    refusals.py - - - list
"""

import os
import re
import signal
import socket
import subprocess
import sys
import time

os.environ["AMITY_NODES_REGIONS"] = "always"  # what is tried here is done over nodes, be it worth it or not

amity, library, folder, case = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
limit_s = 40


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit_s, **more)


def over_nodes(program, *arguments, options=(), **more):
    return run(amity, "run", "--nodes", "2", "-t", "1", *options, "--", os.path.join(folder, program), *arguments, **more)


def may_not_handle_faults():
    return "may not handle its own page faults" in run(amity, "run", "--nodes", "1", "--", "true").stdout


def expect(ended, status, *words, without=()):
    problems = [f"'{w}' is not said" for w in words if w not in ended.stdout]
    problems += [f"'{w}' is said" for w in without if w in ended.stdout]
    if ended.returncode != status:
        problems.append(f"exit status {ended.returncode}, not {status}")
    if problems:
        sys.exit("; ".join(problems) + "\n" + ended.stdout)


def refused(ended, *words):
    expect(ended, 125, *words, without=["ran with"])


def compile_program(name, *options, source="plain.c"):
    path = os.path.join(folder, "nodes_refused_" + name)
    subprocess.run(["gcc", "-O1", "-fopenmp", os.path.join(here, source), "-o", path, *options], check=True)
    return os.path.basename(path)


def static():
    refused(over_nodes(compile_program("static", "-static")), "statically linked", "without -static")


def script():
    path = os.path.join(folder, "nodes_refused.sh")
    with open(path, "w") as f:
        f.write("#!/bin/sh\necho ran with sh\n")
    os.chmod(path, 0o755)
    refused(over_nodes("nodes_refused.sh"), "is a script", "interpreter")


def both_kinds_of_processes():
    refused(over_nodes("nodes_plain", options=["-n", "2"]), "-n starts several programs, --nodes one program")


def too_many_nodes():
    ended = run(amity, "run", "--nodes", "100", "--", os.path.join(folder, "nodes_plain"))
    refused(ended, "at most 64 nodes")


def unknown_memory():
    ended = over_nodes("nodes_plain", env={**os.environ, "AMITY_NODES_MEMORY": "paper"})
    refused(ended, "'paper'", "allowed are 'pages' and 'shared'")


def mpi_program():
    made = os.path.join(folder, "libmpi.so.40")
    subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", made, "-Wl,-soname,libmpi.so.40"], check=True)
    program = compile_program("mpi", "-Wl,--no-as-needed", made, f"-Wl,-rpath,{folder}")
    refused(over_nodes(program), "uses MPI")


def no_leave_for_faults():
    """Nobody may not handle page faults here; shared memory needs no leave."""
    unprivileged = "/proc/sys/vm/unprivileged_userfaultfd"
    if may_not_handle_faults():
        sys.exit(77)
    if os.geteuid() != 0 or not os.path.exists(unprivileged) or open(unprivileged).read().strip() != "0":
        sys.exit(77)
    if not os.access("/dev/userfaultfd", os.F_OK) or os.stat("/dev/userfaultfd").st_mode & 0o006:
        sys.exit(77)
    nobody = {"user": 65534, "group": 65534, "extra_groups": []}
    if run("sh", "-c", f"test -x {amity} && test -r {folder}/nodes_plain", **nobody).returncode != 0:
        sys.exit(77)
    by_pages = over_nodes("nodes_plain", **nobody)
    refused(by_pages, "userfaultfd", "CAP_SYS_PTRACE", "AMITY_NODES_MEMORY=shared")
    shared = over_nodes("nodes_plain", env={**os.environ, "AMITY_NODES_MEMORY": "shared"}, **nobody)
    expect(shared, 0, "ran with")


def initfirst():
    made = os.path.join(folder, "libnodes_first.so")
    subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", made, "-Wl,-z,initfirst"], check=True)
    program = compile_program("first", "-Wl,--no-as-needed", made, f"-Wl,-rpath,{folder}")
    refused(over_nodes(program), "libnodes_first.so", "initfirst")


def sanitizer():
    program = compile_program("sanitizer", "-fsanitize=address")
    ended = over_nodes(program)
    if ended.returncode == 0 or "ran with" in ended.stdout:
        sys.exit(f"it ran:\n{ended.stdout}")


def personality():
    helper = os.path.join(folder, compile_program("personality", source="no_personality.c"))
    if run(helper, "true").returncode != 0:
        sys.exit(77)
    # By chance, addresses may be the same; never ten times.
    command = [helper, amity, "run", "--nodes", "2", "-t", "1", "--", os.path.join(folder, "nodes_plain")]
    refused(run(*command), "personality(2)", "lies elsewhere in memory")


def other_libraries():
    """The processes are started here, one of them with a library more."""
    ours, theirs = socket.socketpair()
    memory = os.memfd_create("nodes", 0)
    ends = []
    for own, link in ((0, ours), (1, theirs)):
        links = ["-1", "-1"]
        links[1 - own] = str(link.fileno())
        preload = library + (":/lib/x86_64-linux-gnu/libutil.so.1" if own == 1 else "")
        environment = {**os.environ, "AMITY_NODES_JOB": f"{own}/2/1,1/{memory}/{','.join(links)}", "LD_PRELOAD": preload,
                       "LD_BIND_NOW": "1", "OMP_NUM_THREADS": "2",
                       "LD_LIBRARY_PATH": os.path.dirname(library)}
        command = ["setarch", "-R", os.path.join(folder, "nodes_plain")]
        ends.append(subprocess.Popen(command, env=environment, pass_fds=[memory, link.fileno()], text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    ours.close()
    theirs.close()
    said = [e.communicate(timeout=limit_s)[0] for e in ends]
    if ends[1].returncode != 125 or "another one here than on node 0" not in said[1] or "ran with" in said[0]:
        sys.exit(f"node 0: {ends[0].returncode}\n{said[0]}\nnode 1: {ends[1].returncode}\n{said[1]}")


def memory_limit():
    ended = run("bash", "-c", f"ulimit -v 8000000; exec {amity} run --nodes 2 -t 1 -- {folder}/nodes_plain")
    refused(ended, "address space", "ulimit -v")


# --- ends


def processes_of(program):
    """A program that waits in a region, and the numbers of its processes."""
    made = subprocess.Popen([amity, "run", "--nodes", "3", "-t", "1", "--", os.path.join(folder, program)],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return made, [int(made.stdout.readline()) for _ in range(3)]


def gone(numbers):
    for _ in range(100):
        left = [n for n in numbers if os.path.exists(f"/proc/{n}") and "State:\tZ" not in open(f"/proc/{n}/status").read()]
        if not left:
            return
        time.sleep(0.1)
    sys.exit(f"processes {left} are left")


def ended_by(number_of, status, *words, signal_number=signal.SIGKILL):
    made, numbers = processes_of("nodes_waits")
    os.kill(number_of(made, numbers), signal_number)
    output, _ = made.communicate(timeout=limit_s)
    expect(subprocess.CompletedProcess([], made.returncode, output), status, *words)
    gone(numbers)


def killed_node():
    ended_by(lambda _, numbers: numbers[2], 128 + 9, "node 2", "ended by signal 9", "the program is ended")


def killed_main():
    ended_by(lambda _, numbers: numbers[0], 128 + 9, "node 0", "ended by signal 9")


def killed_launcher():
    ended_by(lambda made, _: made.pid, -9)


def terminated_launcher():
    ended_by(lambda made, _: made.pid, 128 + 15, signal_number=signal.SIGTERM)


def crash():
    expect(over_nodes("nodes_waits", "crash"), 128 + 11, "node 1", "signal 11")


def crash_of_main():
    expect(over_nodes("nodes_waits", "main_crashes"), 128 + 11, "signal 11")


def abort():
    expect(over_nodes("nodes_waits", "abort"), 128 + 6, "node 1", "signal 6")


def exit_elsewhere():
    """It is the program's: main()'s handlers run, and its status counts."""
    expect(over_nodes("nodes_waits", "exit"), 5, "the handler of main ran")


# --- figures


def messages():
    """--stats: 2 (n - 1) messages for each barrier and each region, whatever a node's number of threads."""
    for nodes, threads in ((2, 1), (3, 2), (4, 1)):
        ended = run(amity, "run", "--stats", "--nodes", str(nodes), "-t", str(threads), "--",
                    os.path.join(folder, "nodes_barriers"))
        sent = {"regions": 0, "barriers": 0, "singles": 0, "loops": 0, "locks": 0}
        for line in ended.stdout.splitlines():
            for construct, number in re.findall(r"; ([a-z]+): (\d+) \(", line) if "messages" in line else ():
                sent[construct] += int(number)
        due = {"regions": 2 * (nodes - 1) * 101, "barriers": 2 * (nodes - 1) * 1000, "singles": 0, "loops": 0, "locks": 0}
        if ended.returncode != 0 or sent != due:
            sys.exit(f"{nodes} nodes of {threads} threads: {sent}, not {due}\n{ended.stdout}")


def pages_of_a_region(program, kind, count):
    """Of each process: faults that wanted something from elsewhere, and messages for pages, a region."""
    def of(number):
        ended = run(amity, "run", "--stats", "--nodes", "2", "-t", "1", "--", os.path.join(folder, program), kind, str(number),
                    env={**os.environ, "AMITY_NODES_MEMORY": "pages"})
        if "may not handle its own page faults" in ended.stdout:
            sys.exit(77)
        lines = [line for line in ended.stdout.splitlines() if " faults for pages " in line]
        if ended.returncode != 0 or len(lines) != 2:
            sys.exit(f"no figures:\n{ended.stdout}")
        numbers = [[int(n) for n in re.findall(r"\d+", line)] for line in lines]  # node, of, elsewhere, to write, ...
        return [(n[2] + n[3], n[-1]) for n in numbers]

    few, many = of(10), of(10 + count)
    return [((m[0] - f[0]) / count, (m[1] - f[1]) / count) for f, m in zip(few, many)]


def pages_of_empty_regions():
    """None moves."""
    for compiler in ("gcc", "clang"):
        program = f"nodes_counted_{compiler}"
        if os.path.exists(os.path.join(folder, program)):
            if (got := pages_of_a_region(program, "empty", 200)) != [(0, 0), (0, 0)]:
                sys.exit(f"{compiler}: faults and messages of each process a region: {got}")


def pages_of_sums():
    """The word goes to the other process and comes back: a page and two messages each. (A page that is taken before it
    is used, on a busy machine, comes again.)"""
    for compiler in ("gcc", "clang"):
        program = f"nodes_counted_{compiler}"
        if os.path.exists(os.path.join(folder, program)):
            got = pages_of_a_region(program, "sum", 200)
            if any(faults > 1.5 or messages > 3 for faults, messages in got):
                sys.exit(f"{compiler}: faults and messages of each process a region: {got}")


cases = [messages, pages_of_empty_regions, pages_of_sums, static, script, both_kinds_of_processes, too_many_nodes,
         unknown_memory, no_leave_for_faults, mpi_program, initfirst, sanitizer, personality, other_libraries, memory_limit,
         killed_node, killed_main, killed_launcher, terminated_launcher, crash, crash_of_main, abort, exit_elsewhere]
if case == "list":
    print("\n".join(c.__name__ for c in cases))
else:
    if may_not_handle_faults() and case not in ("pages_of_empty_regions", "pages_of_sums"):
        os.environ["AMITY_NODES_MEMORY"] = "shared"
    next(c for c in cases if c.__name__ == case)()
    print("ok")
