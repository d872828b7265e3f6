#!/usr/bin/env python3
"""What `amity run` sets for a program and says to its user, and the words of `amity bench` and `amity info`.

    run.py AMITY WORKERS THREADS CASE      WORKERS: a program with tasks of C++; THREADS: one of OpenMP, or "-"
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

amity, workers, threads, case = sys.argv[1:]
LAUNCHERS = ["amity", *(name for name in ("mpirun.openmpi", "mpirun.mpich") if shutil.which(name))]
CORES = len(os.sched_getaffinity(0))


def run(*words, command=None, **variables):
    """Everything that was said, and the exit status."""
    kept = {k: v for k, v in os.environ.items() if not re.match("(OMP|GOMP|KMP|AMITY|OMPI|PMI|PMIX|SLURM)_", k)}
    done = subprocess.run([*(command or [amity]), *words], env=kept | variables, cwd=pathlib.Path(__file__).resolve().parents[2],
                          text=True, timeout=50, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print("$", *words, f"[{done.returncode}]\n{done.stdout}", end="")
    return done.stdout, done.returncode


def numbers(text, what):
    return sorted(int(n) for n in re.findall(rf"(\d+) {what}", text))


def expect(condition, *about):
    if not condition:
        print("wrong:", *about)
        sys.exit(1)


def skip(why):
    print(why)
    sys.exit(77)


def ways():
    """How a program is started as one process and as two."""
    yield [], 1
    yield ["-n", "1"], 1
    for launcher in LAUNCHERS:
        yield ["-n", "2", "--launcher", launcher], 2


def threads_and_workers():
    """-t is the same with and without -n, for OpenMP and for C++."""
    for way, count in ways():
        for number in 1, 3:
            said, status = run("run", *way, "-t", str(number), workers)
            expect(status == 0 and numbers(said, "workers") == [number] * count, way, number)
            if threads != "-":
                said, status = run("run", *way, "-t", str(number), threads)
                expect(status == 0 and numbers(said, "threads,") == [number] * count, way, number)


def threads_of_nested_regions():
    if threads == "-":
        skip("no OpenMP")
    for way, count in ways():
        said, _ = run("run", *way, "-t", "3,2", threads)
        expect(numbers(said, "threads,") == [3] * count and said.count("within 2") == count, way)
    expect(numbers(run("run", "-t", "3,2", workers)[0], "workers") == [3])
    for wrong in "3,", ",3", "0,2", "3;2", "3,two":
        said, status = run("run", "-t", wrong, threads)
        expect(status == 125 and f"'{wrong}' is not a number of threads" in said, wrong)


def threads_share_the_cores():
    """A program of OpenMP alone has as many running OS threads as cores, whatever -t says."""
    if threads == "-":
        skip("no OpenMP")
    for way, count in ways():
        said, _ = run("run", *way, "-t", "16", "--stats", threads)
        share = [CORES] if count == 1 else sorted(max(1, CORES // 2 + (rank < CORES % 2)) for rank in range(2))
        expect(numbers(said, "carriers,") == share, way, share)


def which_setting_wins():
    said, _ = run("run", "-t", "3", workers, AMITY_THREADS="2")
    expect(numbers(said, "workers") == [3] and "-t 3 goes before AMITY_THREADS=2" in said)
    said, _ = run("run", "-t", "3", "sh", "-c", f"AMITY_THREADS=2 '{workers}'")
    expect(numbers(said, "workers") == [2], "what a script sets is nearer to the program")
    for way, count in ways():
        expect(numbers(run("run", *way, workers, AMITY_THREADS="3")[0], "workers") == [3] * count, way)
        if threads != "-":
            said, _ = run("run", *way, "-t", "3", threads, OMP_NUM_THREADS="2")
            expect(numbers(said, "threads,") == [3] * count, way)
            said, _ = run("run", *way, threads, OMP_NUM_THREADS="3")
            expect(numbers(said, "threads,") == [3] * count, way)


def cores_are_dealt_to_ranks():
    """Without -t: all to a single process, a share to each of several, also within an affinity mask."""
    expect(numbers(run("run", workers)[0], "workers") == [CORES])
    for program, what in (workers, "workers"), (threads, "threads,"):
        if program == "-":
            continue
        for launcher in LAUNCHERS:
            for ranks in 2, 3:
                share = sorted(max(1, CORES // ranks + (rank < CORES % ranks)) for rank in range(ranks))
                said, _ = run("run", "-n", str(ranks), "--launcher", launcher, program)
                expect(numbers(said, what) == share, launcher, share)
            if CORES > 1:
                two = ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0))[:2])
                said, _ = run("run", "-n", "2", "--launcher", launcher, program, command=["taskset", "-c", two, amity])
                expect(numbers(said, what) == [1, 1], launcher, "within", two)


def stats_of_cpp():
    """--stats, AMITY_STATS and --counters of a program that has no OpenMP."""
    for said in run("run", "--stats", workers)[0], run(command=[workers], AMITY_STATS="1")[0]:
        line = re.search(r"(?m)^amity: run_workers \(pid \d+\): \d+ carriers, no OpenMP runtime was loaded, (\d+) tasks", said)
        expect(line and int(line[1]) >= 100, "no line, or not of all tasks")
        expect(said.count("OpenMP") == 1, "more than a word about OpenMP")
    said, _ = run("run", "--counters=/threads/count/cumulative", workers)
    expect(re.search(r"cumulative \d\d\d", said) and "OpenMP" not in said)
    expect("carriers" not in run("run", workers, AMITY_STATS="false")[0])


HELLO = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("of %d\\n", size);
  MPI_Finalize();
  return 0;
}
"""
FAMILIES = {"openmpi": "Open MPI", "mpich": "MPICH"}


def launcher_of_the_programs_mpi():
    """Without --launcher it is that of the MPI that the program is linked with; else there is a word."""
    there = [f for f in FAMILIES if shutil.which(f"mpicc.{f}") and shutil.which(f"mpirun.{f}")]
    if len(there) < 2:
        skip("two MPIs are not installed")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "hello.c")
        source.write_text(HELLO)
        for family, other in zip(there, reversed(there)):
            program = str(pathlib.Path(folder, family))
            subprocess.run([f"mpicc.{family}", str(source), "-o", program], check=True)
            said, status = run("run", "-n", "2", program)
            expect(status == 0 and said.count("of 2") == 2 and "linked with" not in said, family)
            said, _ = run("run", "-n", "2", "--launcher", f"mpirun.{other}", program)
            expect(f"linked with {FAMILIES[family]}'s MPI" in said and f"--launcher mpirun.{family} fits" in said, family)
            said, status = run("run", "-n", "2", "--launcher", "amity", program)  # which MPICH takes for its own
            alone = family == "openmpi"
            expect(status == 0 and said.splitlines().count("of 1" if alone else "of 2") == 2, family)
            expect(("linked with Open MPI's MPI" in said) == alone, family)


def mpi_that_is_loaded_later():
    """As mpi4py does: the loader's auditor sees it, and says so once."""
    there = [f for f in FAMILIES if shutil.which(f"mpirun.{f}")]
    files = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}
    if len(there) < 2 or subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout.count("libmpi") < 2:
        skip("two MPIs are not installed")
    for family, other in zip(there, reversed(there)):
        loads = [sys.executable, "-c", f"import ctypes; ctypes.CDLL('{files[family]}')"]
        said, _ = run("run", "-n", "2", "--launcher", f"mpirun.{other}", *loads)
        expect(said.count(f"is {FAMILIES[family]}'s, and this process was started by {FAMILIES[other]}'s") == 1, family)
        expect("started by" not in run("run", "-n", "2", "--launcher", f"mpirun.{family}", *loads)[0], family)
        said, _ = run("run", "-n", "2", *loads)  # Amity's own launcher is like MPICH's
        expect(said.count("is Open MPI's, and this process was started by Amity's") == (family == "openmpi"), family)


def srun_without_a_cluster():
    with tempfile.TemporaryDirectory() as folder:
        srun = pathlib.Path(folder, "srun")
        srun.write_text("#!/bin/sh\necho 'srun: fatal: Could not establish a configuration source' >&2\nexit 1\n")
        srun.chmod(0o755)
        said, status = run("run", "-n", "2", "--launcher", str(srun), "true")
        expect(status == 125 and "no cluster answers it" in said and "no launcher that Amity knows" not in said)


def status_of_keep_going():
    """Open MPI's launcher, told to go on, ends with 0 whatever became of the ranks."""
    for launcher in LAUNCHERS:
        for end, expected in ("kill -9 $$", 137), ("exit 3", 3), ("exit 0", 0):
            script = f'test "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" != 1 || {end}'
            _, status = run("run", "-n", "2", "--keep-going", "--launcher", launcher, "sh", "-c", script)
            expect(status == expected, launcher, end, status)


def bench_without_its_programs():
    """In a build that has none, the word leads to them; once it led in a circle."""
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(folder).resolve()
        (build / "bin").mkdir()
        shutil.copy(amity, build / "bin/amity")
        for suite in "messages", "spawn", "overheads":
            said, status = run("bench", suite, command=[str(build / "bin/amity")])
            expect(status != 0 and "--target bench/all" in said and f"--prefix {build} --component bench" in said, suite)
        (build / "CMakeCache.txt").touch()
        said, status = run("bench", "messages", command=[str(build / "bin/amity")])
        expect(status != 0 and f"cmake --build {build} --target bench/all" in said and "--component" not in said)


def info_tells_what_was_not_built():
    """Once it sent users to packages that they had."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        (copy / "bin").mkdir()
        (copy / "lib/amity").mkdir(parents=True)
        shutil.copy(amity, copy / "bin/amity")
        (copy / "lib/libomp_amity.so.1").touch()
        (copy / "lib/amity/libamity_ucx.so").write_text("no library")
        said, _ = run("info", command=[str(copy / "bin/amity")])
        for name, words in (("PMIx", "libpmix-dev"), ("Open MPI", "libopenmpi-dev"), ("MPICH", "libmpich-dev")):
            expect(re.search(rf"(?m)^  {name} +not here: .*\(not built: install {words} and build Amity again\)", said), name)
        expect(re.search(r"(?m)^  UCX +not here: .*\(built, but it can't be loaded: .*libamity_ucx.so", said), "UCX")


def demo_without_root():
    """script/demo stopped for want of clang-22, though gcc was there."""
    if os.geteuid() != 0 or shutil.which("sudo") or not shutil.which("setpriv") or not shutil.which("dpkg-query"):
        skip("only root can become somebody without rights, where there is no sudo")
    user = ["setpriv", "--reuid", "12345", "--regid", "12345", "--clear-groups", "env", "PATH=/usr/bin:/bin", "bash", "-c"]
    said, status = run("source script/lib.sh; set -euo pipefail; choose_clang; can_install x || echo chosen: $clang", command=user)
    if "Permission denied" in said:
        skip("the sources may be read by root alone")
    expect(status == 0 and "chosen:" in said and "needs root" not in said)


CASES = [threads_and_workers, threads_of_nested_regions, threads_share_the_cores, which_setting_wins, cores_are_dealt_to_ranks,
         stats_of_cpp, launcher_of_the_programs_mpi, mpi_that_is_loaded_later, srun_without_a_cluster, status_of_keep_going,
         bench_without_its_programs, info_tells_what_was_not_built, demo_without_root]

if case == "list":
    print("\n".join(one.__name__ for one in CASES))
else:
    next(one for one in CASES if one.__name__ == case)()
