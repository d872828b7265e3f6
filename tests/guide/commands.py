#!/usr/bin/env python3
"""Types the commands of README.md and the other pages that users read, as they stand there and in their order.

    commands.py BUILD                    in a copy of the sources, with the build folder BUILD in the place of its own
    commands.py BUILD --page README.md   that page alone: script/test --all does this when script/demo has built no more
                                         than what it needs

Each command in a page's shell blocks is in the table below: it is run, or there is a reason why not. One that is in no table
fails, and so does one that stands in no page any more.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = object()
PAGES = object()  # run where a process may handle its own page faults
WHOLE_BUILD = "builds everything, some with a sanitizer, which takes long; script/test does it"
MACHINES = "needs several machines, or an mpirun"
SLURM = "needs a cluster of Slurm's; processes.srun makes one of a node, and starts other programs"
MPI = "needs an MPI and its mpicxx; guide.tutorials.processes_mpi is this program"
TESTED = "takes a while to compile; the test guide.tutorials.NAME does that, and runs it"
CROSS = "needs a system of its own, with a cross compiler, an emulator and libraries of another architecture"
OF_THE_MACHINE = "changes a setting of the machine"
LAUNCHER = "needs a launcher, or two machines; nodes.by.* of tests/nodes use mpirun"
CLANG = "needs clang, which need not be here; where it is, the tests guide.tutorials.*.clang run programs by it"
WHEEL = "builds or uses the wheel; python.package makes one of the build, installs it and does the same"
PYPI = "needs packages from PyPI; the tests guide.tutorials.openmp_wheels and openmp_fork run it where they are"

COMMANDS = {
    "README.md": {
        "script/demo": "script/test --all begins with it",
        "script/test": "takes long, and runs this test",
        "build/bin/amity run -- PROGRAM ARGUMENTS...": RUN,
        "build/bin/amity run -t 8 --stats -- PROGRAM ARGUMENTS...": RUN,
        "build/bin/amity run --profile -- PROGRAM ARGUMENTS...": RUN,
        "cmake --install build --prefix PREFIX": RUN,
        "export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig": RUN,
        "g++ -std=c++20 -O2 program.cpp $(pkg-config --cflags --libs amity) -o program": RUN,
        "gcc -O2 program.c $(pkg-config --cflags --libs amity-openmp) -o program": RUN,
    },
    "CONTRIBUTING.md": {
        "script/build": WHOLE_BUILD,
        "script/check": "a step of script/test",
        "script/test": "takes long, and runs this test",
        "script/test --all": "takes longer, and runs this test",
    },
    "examples/README.md": {
        "build/examples/fib 30": RUN,
        "g++ -std=c++20 -O2 examples/fib.cpp $(pkg-config --cflags --libs amity) -o fib": RUN,
        "cmake -S examples -B examples-build -DCMAKE_PREFIX_PATH=PREFIX && cmake --build examples-build":
            "a minute of compiling; tests/install/run does it",
        "AMITY_THREADS=1 ./fib": RUN,
        "build/bin/amity run -n 4 build/examples/uts 10": RUN,
        "AMITY_DISTRIBUTED_STEALING=lifelines build/bin/amity run -n 4 build/examples/uts 10": RUN,
        "gcc -O2 -fopenmp examples/heat.c -o heat": RUN,
        "./heat": RUN,
        "build/bin/amity run -t 8 -- ./heat": RUN,
    },
    "docs/site/index.md": {
        "script/demo": "script/test --all begins with it",
        "build/bin/amity run -t 8 --stats -- PROGRAM ARGUMENTS...": RUN,
    },
    "docs/guide.md": {
        "export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig": RUN,
        "g++ -std=c++20 -O2 program.cpp $(pkg-config --cflags --libs amity) -o program": RUN,
    },
    "docs/tutorials/devices.md": {
        "export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig": RUN,
        "g++ -std=c++20 -O2 devices_first.cpp $(pkg-config --cflags --libs amity-accel) -o devices_first": RUN,
        "./devices_first": RUN,
        "PREFIX/bin/amity info": RUN,
        "AMITY_DEVICES=none ./devices_first": RUN,
        "g++ -std=c++20 -O2 devices_remote.cpp $(pkg-config --cflags --libs amity-accel amity-distributed) -o devices_remote":
            RUN,
        "PREFIX/bin/amity run -n 2 ./devices_remote": RUN,
        "OCL_ICD_VENDORS=/usr/lib/oclgrind/liboclgrind-rt-icd.so ./devices_first":
            "needs Debian's oclgrind; tests/accel/oclgrind.sh runs programs on it",
    },
    "docs/tutorials/processes.md": {
        "export PATH=PREFIX/bin:$PATH PKG_CONFIG_PATH=PREFIX/lib/pkgconfig": RUN,
        "g++ -std=c++20 -O2 processes_first.cpp $(pkg-config --cflags --libs amity-distributed) -o processes_first": RUN,
        "amity run -n 4 ./processes_first": RUN,
        "g++ -std=c++20 -O2 processes_calls.cpp $(pkg-config --cflags --libs amity-distributed) -o processes_calls": TESTED,
        "amity run -n 4 ./processes_calls": TESTED,
        "g++ -std=c++20 -O2 processes_finish.cpp $(pkg-config --cflags --libs amity-distributed) -o processes_finish": TESTED,
        "amity run -n 4 ./processes_finish": TESTED,
        "g++ -std=c++20 -O2 processes_memory.cpp $(pkg-config --cflags --libs amity-distributed) -o processes_memory": TESTED,
        "amity run -n 4 ./processes_memory": TESTED,
        "g++ -std=c++20 -O2 processes_shared.cpp $(pkg-config --cflags --libs amity-distributed) -o processes_shared": TESTED,
        "amity run -n 4 ./processes_shared": TESTED,
        "g++ -std=c++20 -O2 processes_collectives.cpp $(pkg-config --cflags --libs amity-distributed) -o processes_collectives":
            TESTED,
        "amity run -n 4 ./processes_collectives": TESTED,
        "g++ -std=c++20 -O2 processes_any.cpp $(pkg-config --cflags --libs amity-distributed) -o processes_any": TESTED,
        "amity run -n 4 ./processes_any": TESTED,
        "amity run -n 2 -t 3 --tag ./processes_first": RUN,
        "amity run -n 8 --hosts node1,node2 ./processes_first": MACHINES,
        "amity run -n 8 --hosts node1,node2 --launcher mpirun.mpich ./processes_first": MACHINES,
        "mpirun -n 8 ./processes_first": MACHINES,
        "salloc -n 8 amity run -n 8 --launcher srun ./processes_first": SLURM,
        "srun -n 8 --mpi=pmix ./processes_first": SLURM,
        "amity run -n 2 --profile ./processes_first": RUN,
        "amity run -n 2 --trace job.trace ./processes_first": RUN,
        "amity trace job.trace.0 job.trace.1 -o job.json": RUN,
        "g++ -std=c++20 -O2 processes_stuck.cpp $(pkg-config --cflags --libs amity-distributed) -o processes_stuck": RUN,
        "AMITY_STALL=abort amity run -n 2 ./processes_stuck || echo \"exit status $?\"": RUN,
        "amity run -n 2 ./processes_stuck & sleep 5; amity dump --job $(pgrep -n processes_stuck); kill $!": RUN,
        "g++ -std=c++20 -O2 processes_losses.cpp $(pkg-config --cflags --libs amity-distributed) -o processes_losses": RUN,
        "amity run -n 3 --keep-going ./processes_losses || echo \"exit status $?\"": RUN,
        "mpicxx -std=c++20 -O2 processes_mpi.cpp $(pkg-config --cflags --libs amity-distributed) -o processes_mpi": MPI,
        "amity run -n 2 ./processes_mpi": MPI,
    },
    "docs/tutorials/nodes.md": {
        "export PATH=PREFIX/bin:$PATH": RUN,
        "export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig": RUN,
        "gcc -O2 -fopenmp nodes_first.c -o nodes_first": RUN,
        "amity run --nodes 2 -t 2 -- ./nodes_first": PAGES,
        "amity run --nodes 2 -t 2 --stats -- ./nodes_first": PAGES,
        "OMP_NUM_THREADS=3 amity run --nodes 2 -- ./nodes_first": PAGES,
        "sysctl vm.unprivileged_userfaultfd=1": OF_THE_MACHINE,
        "chmod a+rw /dev/userfaultfd": OF_THE_MACHINE,
        "AMITY_NODES_MEMORY=shared amity run --nodes 2 -t 2 -- ./nodes_first": RUN,
        "gcc -g -O2 -fopenmp nodes_slow.c -o nodes_slow": RUN,
        "amity run --nodes 2 -t 2 --trace-pages=seen -- ./nodes_slow": PAGES,
        "amity pages seen": PAGES,
        "gcc -g -O2 -fopenmp nodes_mended.c -o nodes_mended": RUN,
        "amity run --nodes 2 -t 2 --trace-pages -- ./nodes_mended": PAGES,
        "gcc -O2 -fopenmp nodes_regions.c -o nodes_regions": RUN,
        "amity run --nodes 2 -t 1 --stats -- ./nodes_regions": PAGES,
        "AMITY_NODES_REGIONS=always amity run --nodes 2 -t 1 --stats -- ./nodes_regions": PAGES,
        "gcc -O2 -fopenmp $(pkg-config --cflags amity) nodes_where.c -o nodes_where": RUN,
        "amity run --nodes 2 -t 2 --stats -- ./nodes_where": PAGES,
        "OMP_PLACES='nodes({1},{3})' amity run --nodes 2 -- ./nodes_where": PAGES,
        "OMP_PLACES='nodes(1)' amity run --nodes 2 -t 2 -- ./nodes_where": PAGES,
        "OMP_PLACES=nodes amity run --nodes 2 -t 2 -- ./nodes_where": PAGES,
        "mpirun -n 2 --host a,b --bind-to none amity run --nodes -t 4 -- ./nodes_first": LAUNCHER,
        "mpirun -n 2 -hosts a,b amity run --nodes -t 4 -- ./nodes_first": LAUNCHER,
        "srun -N 2 -n 2 amity run --nodes -t 4 -- ./nodes_first": LAUNCHER,
        "mpirun -n 2 --bind-to none amity run --nodes -t 2 -- ./nodes_first": LAUNCHER,
    },
    "docs/tutorials/openmp.md": {
        "export PATH=$PWD/PREFIX/bin:$PATH": RUN,
        "gcc -O2 -fopenmp openmp_first.c -o openmp_first": RUN,
        "./openmp_first": RUN,
        "amity run -- ./openmp_first": RUN,
        "amity run -v -t 4 -- ./openmp_first": RUN,
        "clang -O2 -fopenmp openmp_first.c -o openmp_first_clang": CLANG,
        "amity run -v -t 4 -- ./openmp_first_clang": CLANG,
        "amity run -v -t 4 -- bash -c './openmp_first; ./openmp_first'": RUN,
        "export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig": RUN,
        "gcc -O2 openmp_first.c $(pkg-config --cflags --libs amity-openmp) -o openmp_linked": RUN,
        "OMP_NUM_THREADS=4 ./openmp_linked": RUN,
        "amity info": RUN,
        "taskset -c 0 amity run -- ./openmp_first": "CPU 0 may be one that this process must not use",
        "gcc -O2 -fopenmp openmp_nested.c -o openmp_nested": RUN,
        "amity run -t 4,3 -- ./openmp_nested": RUN,
        "amity run -t 4 -- ./openmp_nested": RUN,
        "amity run -t 4 --stats -- ./openmp_first": RUN,
        "amity run --counters=/threads/idle-rate,/openmp/count/regions -- ./openmp_first": RUN,
        "gcc -g -O2 -fopenmp openmp_profile.c -o openmp_profile": RUN,
        "amity run --profile -- ./openmp_profile": RUN,
        "amity run --trace profile.trace -- ./openmp_profile": RUN,
        "amity trace profile.trace -o profile.json": RUN,
        "OMP_NUM_THREDS=3 amity run -- ./openmp_first": RUN,
        "gcc -O2 -fopenmp openmp_deadlock.c -o openmp_deadlock": RUN,
        'AMITY_STALL=abort amity run -- ./openmp_deadlock || echo "exit status $?"': RUN,
        "amity run -- ./openmp_deadlock & sleep 3; amity dump $!; kill $!": RUN,
        "gcc -g -O1 -fopenmp -fsanitize=thread openmp_race.c -o openmp_race": RUN,
        'amity run -t 4 -- ./openmp_race || echo "exit status $?"': RUN,
        "gcc -O2 -shared -fPIC examples/ompt_story/story.c -o libstory.so": RUN,
        "OMP_TOOL_LIBRARIES=$PWD/libstory.so amity run -t 2 -- ./openmp_first": RUN,
        "LD_LIBRARY_PATH=$PWD/PREFIX/lib/amity OMP_NUM_THREADS=4 valgrind ./openmp_first": "needs valgrind",
        "python3 -m venv env": PYPI,
        "env/bin/pip install scikit-learn threadpoolctl joblib": PYPI,
        "env/bin/python openmp_wheels.py": PYPI,
        "amity run -t 4 -- env/bin/python openmp_wheels.py": PYPI,
        "amity run -t 2 -- env/bin/python openmp_fork.py": PYPI,
    },
    "docs/python/venv.md": {
        "script/wheel": WHEEL,
        "python3 -m venv env": WHEEL,
        "env/bin/pip install build/wheel/amity_runtime-*.whl": WHEEL,
        "env/bin/pip install scikit-learn threadpoolctl joblib": WHEEL,
        "env/bin/amity run -t 4 script.py": WHEEL,
        "env/bin/amity run -v script.py": WHEEL,
        "env/bin/amity run --stats script.py": WHEEL,
    },
    "docs/python/jupyter.md": {
        "env/bin/pip install ipykernel": WHEEL,
        "env/bin/python -m amity install-kernel -t 4": WHEEL,
    },
    "docs/tutorials/tasks.md": {
        "export PATH=$PWD/PREFIX/bin:$PATH": RUN,
        "export PKG_CONFIG_PATH=$PWD/PREFIX/lib/pkgconfig": RUN,
        "g++ -std=c++20 -O2 tasks_first.cpp $(pkg-config --cflags --libs amity) -o tasks_first": RUN,
        "./tasks_first": RUN,
        "amity run -t 8 -- ./tasks_first": RUN,
        "cmake -S . -B build-tasks -DCMAKE_PREFIX_PATH=$PWD/PREFIX && cmake --build build-tasks":
            "there are other CMakeLists.txt here; tests/install/run builds a project of this form",
        "g++ -std=c++20 -O2 tasks_loops.cpp $(pkg-config --cflags --libs amity) -o tasks_loops": TESTED,
        "./tasks_loops": TESTED,
        "g++ -std=c++20 -O2 tasks_tree.cpp $(pkg-config --cflags --libs amity) -o tasks_tree": TESTED,
        "./tasks_tree": TESTED,
        "g++ -std=c++20 -O2 tasks_errors.cpp $(pkg-config --cflags --libs amity) -o tasks_errors": TESTED,
        "./tasks_errors": TESTED,
        "g++ -std=c++20 -O2 tasks_wait.cpp $(pkg-config --cflags --libs amity) -o tasks_wait": TESTED,
        "AMITY_THREADS=1 ./tasks_wait": TESTED,
        "g++ -std=c++20 -O2 tasks_coroutine.cpp $(pkg-config --cflags --libs amity) -o tasks_coroutine": TESTED,
        "./tasks_coroutine": TESTED,
        "g++ -std=c++20 -O2 tasks_local.cpp $(pkg-config --cflags --libs amity) -o tasks_local": TESTED,
        "./tasks_local": TESTED,
        "g++ -std=c++20 -O2 tasks_stop.cpp $(pkg-config --cflags --libs amity) -o tasks_stop": TESTED,
        "./tasks_stop": TESTED,
        "g++ -std=c++20 -O2 tasks_openmp.cpp $(pkg-config --cflags --libs amity amity-openmp) -o tasks_openmp": TESTED,
        "./tasks_openmp": TESTED,
        "g++ -std=c++20 -g -O2 tasks_profile.cpp $(pkg-config --cflags --libs amity) -o tasks_profile": RUN,
        "amity run --profile -- ./tasks_profile": RUN,
        "amity run --trace tasks.trace -- ./tasks_profile": RUN,
        "amity trace tasks.trace -o tasks.json": RUN,
        "g++ -std=c++20 -O2 tasks_stall.cpp $(pkg-config --cflags --libs amity) -o tasks_stall": RUN,
        'AMITY_STALL=abort ./tasks_stall || echo "exit status $?"': RUN,
        "./tasks_stall & sleep 3; amity dump $!; kill $!": RUN,
    },
    "docs/thread-sanitizer.md": {
        "gcc -g -O1 -fopenmp -fsanitize=thread program.c -o program": RUN,
        "amity run -t 8 -- ./program": RUN,
        "cmake --preset tsan && cmake --build build/tsan": WHOLE_BUILD,
        "g++ -std=c++20 -g -O1 -fsanitize=thread program.cpp -I. -Lbuild/tsan/lib -lamity -Wl,-rpath,$PWD/build/tsan/lib -o "
        "program":
            "needs the build before it",
    },
    "docs/aarch64.md": {
        "dpkg --add-architecture arm64 && apt-get update": CROSS,
        "apt-get install g++-aarch64-linux-gnu cmake ninja-build pkg-config python3 git qemu-user-static nlohmann-json3-dev "
        "libcli11-dev libhwloc-dev:arm64 libgtest-dev:arm64 libbenchmark-dev:arm64 libgomp1:arm64 libc6-dev:arm64": CROSS,
        "cmake -G Ninja -B build/aarch64 -DCMAKE_BUILD_TYPE=RelWithDebInfo -DAMITY_WERROR=ON "
        "-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/aarch64-linux-gnu.cmake": CROSS,
        "ninja -C build/aarch64 amity omp_amity test/sched_park_test": CROSS,
        "qemu-aarch64-static -E LD_LIBRARY_PATH=$PWD/build/aarch64/lib build/aarch64/test/sched_park_test": CROSS,
        "aarch64-linux-gnu-gcc -O2 -fopenmp tests/openmp/regions.c -o regions": CROSS,
        "qemu-aarch64-static -E LD_LIBRARY_PATH=$PWD/build/aarch64/lib/amity -E OMP_NUM_THREADS=8 regions": CROSS,
    },
}
# Their blocks hold what programs print.
WITHOUT_COMMANDS = {"docs/performance-suites.md": "tables of amity bench, made by script/measure",
                    "docs/performance-processes.md": "the same",
                    "docs/performance-devices.md": "the same"}
SHELL = ("", "sh", "bash", "shell", "console")
SECONDS = 120

# What the pages call program.c, program.cpp and PROGRAM.
PROGRAM_C = """#include <stdio.h>
int main(void) {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  ++threads;
  printf("%d threads\\n", threads);
  return threads < 1;
}
"""
PROGRAM_CPP = """#include <amity/amity.hpp>
int main() { return amity::async([] { return 42; }).get() != 42; }
"""


def commands_of(page):
    """Of the page's shell blocks: without comments, and in one line each."""
    found = []
    for fence in re.finditer(r"^( *)```(\w*)\n(.*?)^\1```$", page.read_text(), re.M | re.S):
        if fence[2] not in SHELL:
            continue
        for line in re.sub(r"\\\n", " ", fence[3]).splitlines():
            line = re.sub(r"(^|\s)#.*$", "", line)
            if line := " ".join(line.split()).removeprefix("$ "):
                found.append(line)
    return found


def pages():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples/README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def compare_with_table():
    wrong = []
    for page in pages():
        name = str(page.relative_to(ROOT))
        if name in WITHOUT_COMMANDS:
            continue
        there, known = commands_of(page), COMMANDS.get(name, {})
        wrong += [f"{name}: '{c}' is neither run nor listed with a reason (tests/guide/commands.py)" for c in there
                  if c not in known]
        wrong += [f"tests/guide/commands.py: {name} has no '{c}'" for c in known if c not in there]
    return wrong


def not_sources(folder, names):
    """Build folders are at the top; script/build is none."""
    at_top = pathlib.Path(folder) == ROOT
    return [n for n in names if n in (".git", "__pycache__") or (at_top and re.fullmatch("build|.*-build|build-.*", n))]


def copy_of_the_sources(folder):
    shutil.copytree(ROOT, folder, symlinks=True, ignore=not_sources)
    (folder / "program.c").write_text(PROGRAM_C)
    (folder / "program.cpp").write_text(PROGRAM_CPP)
    for source in (folder / "tests/guide/tutorials").iterdir():  # its reader has saved the listings as these
        if source.suffix in (".c", ".cpp", ".py"):
            shutil.copy(source, folder)
    (folder / "bin").mkdir()
    subprocess.run(["gcc", "-O2", "-fopenmp", "program.c", "-o", "bin/PROGRAM"], cwd=folder, check=True)


def environment_in(folder):
    kept = {k: v for k, v in os.environ.items() if not re.match("(OMP|GOMP|KMP|AMITY|LD|PKG_CONFIG)_", k)}
    prefix = folder / "PREFIX"
    return kept | {"PATH": f"{folder}/bin:{prefix}/bin:{kept.get('PATH', '')}", "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}


def are_run(build):
    """What a command of the table may say to be run here."""
    probe = subprocess.run([build / "bin/amity", "run", "--nodes", "1", "--", "true"], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
    if probe.returncode == 0:
        return RUN, PAGES
    print(f"commands over nodes are left out: {probe.stdout.strip()}")
    return (RUN,)


def type_commands(folder, chosen):
    """The first command that fails ends it: those behind may need what it should have made."""
    for page, command in chosen:
        print(f"{page}: {command}", flush=True)
        try:
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment_in(folder), text=True, timeout=SECONDS,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            return [f"{page}: '{command}' still runs after {SECONDS} s"]
        if done.returncode != 0:
            return [f"{page}: '{command}' ends with {done.returncode}:\n{done.stdout}"]
        if " is missing" in done.stdout:
            return [f"{page}: '{command}' misses something:\n{done.stdout}"]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--page", help="this page alone")
    parser.add_argument("--in", dest="place", type=pathlib.Path, help="make the copy within this folder")
    options = parser.parse_args()
    if options.page is not None and options.page not in COMMANDS:
        parser.error(f"no commands are known of the page '{options.page}'; there are {', '.join(COMMANDS)}")

    wrong = compare_with_table()
    names = list(COMMANDS) if options.page is None else [options.page]
    order = {str(page.relative_to(ROOT)): commands_of(page) for page in pages()}
    kinds = are_run(options.build)
    chosen = [(name, command) for name in names for command in order[name] if COMMANDS[name].get(command) in kinds]
    with tempfile.TemporaryDirectory(dir=options.place) as scratch:
        folder = pathlib.Path(scratch).resolve() / "amity"
        copy_of_the_sources(folder)
        (folder / "build").symlink_to(options.build.resolve())
        wrong += type_commands(folder, chosen)
        if not (folder / "PREFIX/lib/amity/amity_redirect.so").exists():
            wrong.append("what was installed lacks amity_redirect.so")
    print("\n".join(wrong))
    if wrong:
        return 1
    print(f"{len(chosen)} commands")
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
