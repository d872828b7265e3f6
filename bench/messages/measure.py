#!/usr/bin/env python3
"""What messages and collectives cost with Amity, beside the MPIs that are installed: the same programs, in turn.

    bench/messages/measure.py [--ranks 2,4,8] [--rounds 5] [--json FILE]

Needs a release build with build/bench/messages_* and mpirun.openmpi or mpirun.mpich. Medians over rounds.
"""

import argparse
import collections
import json
import os
import pathlib
import statistics
import subprocess

root = pathlib.Path(__file__).resolve().parent.parent.parent
build = root / "build"


def contenders(ranks):
    amity = [str(build / "bin/amity"), "run", "-n", str(ranks), "--launcher", "mpirun.mpich", "--"]
    yield "amity", [*amity, str(build / "bench/messages_amity")], {}
    yield "amity, sockets", [*amity, str(build / "bench/messages_amity")], {"AMITY_NET": "sockets"}
    root_too = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    openmpi = ["mpirun.openmpi", *root_too, "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    yield "Open MPI", [*openmpi, str(build / "bench/messages_openmpi")], {}
    if ranks > (os.cpu_count() or 1):
        yield "Open MPI, yielding", [*openmpi, "--mca", "mpi_yield_when_idle", "1", str(build / "bench/messages_openmpi")], {}
    yield "MPICH", ["mpirun.mpich", "-n", str(ranks), str(build / "bench/messages_mpich")], {}


def run(command, environment):
    try:
        done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300, check=True)
    except (subprocess.SubprocessError, OSError) as error:
        print(f"  {' '.join(command)}: {error}")
        return {}
    pairs = (line.split() for line in done.stdout.splitlines())
    return {words[0]: float(words[1]) for words in pairs if len(words) == 2}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    results = {}
    for ranks in map(int, options.ranks.split(",")):
        seen = collections.defaultdict(lambda: collections.defaultdict(list))
        for _ in range(options.rounds):
            for name, command, environment in contenders(ranks):
                for what, us in run(command, environment).items():
                    seen[what][name].append(us)
        names = [name for name, _, _ in contenders(ranks)]
        print(f"\n{ranks} ranks; microseconds, median of {options.rounds} rounds")
        print(f"{'':28}" + "".join(f"{name:>20}" for name in names))
        for what, by in seen.items():
            medians = {name: statistics.median(by[name]) for name in names if by[name]}
            print(f"{what:28}" + "".join(f"{medians[name]:20.2f}" if name in medians else f"{'':20}" for name in names))
            results[f"{what}/{ranks}"] = medians
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
