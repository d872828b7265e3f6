#!/usr/bin/env python3
"""Simulates collectives on the machine of machine.py: Amity's algorithms, and MPI's as Open MPI and MPICH choose them.

    bench/simulation/measure.py FOLDER [--ranks 16,64,256,1024] [--operations reduce,scatter] [--receive-us 0.2] [--dealt]

Process scaling with 4 B and 1 MiB, and size scaling at 256 ranks. Writes FOLDER/simulation.json, and pictures where
python3 has matplotlib. Needs SimGrid (Debian: libsimgrid-dev). `--draw` only draws what is there.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # the sources' folder stays as it is
import machine  # noqa: E402  after the line above

HERE = pathlib.Path(__file__).resolve().parent
OPERATIONS = ["broadcast", "reduce", "all_reduce", "scatter", "gather", "all_gather"]
WAYS = {"Amity": ("ompi", "amity"), "Open MPI": ("ompi", "mpi"), "MPICH": ("mpich", "mpi")}
SMALL, LARGE = 4, 1024 * 1024
SIZES = [4 ** power for power in range(1, 12)]
SIZES_AT = 256  # ranks


def compiled(folder):
    compiler = shutil.which("smpicxx")
    if compiler is None:
        sys.exit("measure: no smpicxx here (Debian: libsimgrid-dev)")
    program = folder / "collectives"
    options = ["-std=c++20", "-O2", "-fno-gnu-unique", f"-I{HERE.parent.parent}"]
    subprocess.run([compiler, *options, HERE / "collectives.cpp", "-o", program], check=True)
    return program


def simulate(program, folder, ranks, way, options, arguments):
    nodes = max(1, ranks // machine.RANKS_PER_NODE)
    platform, hosts = folder / f"platform_{nodes}.xml", folder / f"hosts_{ranks}"
    platform.write_text(machine.platform(nodes))
    hosts.write_text(machine.hosts(nodes, ranks, options.dealt))
    mpi, name = WAYS[way]
    command = ["smpirun", "-no-privatize", "-np", ranks, "-platform", platform, "-hostfile", hosts, *machine.settings(mpi), program,
               "--ways", name, "--rounds", options.rounds, *arguments]  # fmt: skip
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        print(f"  {way}, {ranks} ranks: status {done.returncode}\n{done.stderr[-2000:]}", file=sys.stderr)
    return [json.loads(line) | {"way": way} for line in done.stdout.splitlines() if line.startswith("{")]


def measure(options, folder, file):
    program = compiled(folder)
    facts = {name: value for name, value in vars(machine).items() if name.isupper()}
    results = []
    for ranks in options.ranks:
        for operation in options.operations:
            # Everybody's elements for all at 1 MiB are more than a machine has, and long to simulate.
            most = 4096 if operation == "all_gather" else 4 * LARGE
            sizes = [size for size in (SIZES if ranks == SIZES_AT else [SMALL, LARGE]) if size <= most]
            for way in WAYS:
                arguments = ["--operations", operation, "--bytes", ",".join(map(str, sizes))]
                results += simulate(program, folder, ranks, way, options, arguments)
            run = {"machine": facts, "dealt": options.dealt, "results": results}
            file.write_text(json.dumps(run, indent=1) + "\n")  # so far: a thousand ranks take long
            print_rows([row for row in results if row["ranks"] == ranks and row["operation"] == operation])


def print_rows(rows):
    table = {}
    for row in rows:
        table.setdefault((row["operation"], row["ranks"], row["bytes"]), {})[row["way"]] = row
    for (operation, ranks, size), by in table.items():
        wrong = "".join(f"  WRONG: {way}" for way, row in by.items() if not row["right"])
        ours = by.get("Amity", {}).get("us", 0)
        rivals = "".join(f"{way:>10} {row['us']:10.2f} ({ours / row['us']:.2f})" for way, row in by.items() if way != "Amity")
        print(f"{operation:10} {ranks:5} ranks {size:8} B  Amity {ours:10.2f} us{rivals}{wrong}", flush=True)


def draw(run, folder):
    try:
        import matplotlib
    except ImportError:
        print("measure: this python3 has no matplotlib (Debian: python3-matplotlib); no pictures")
        return
    matplotlib.use("Agg")  # no display
    from matplotlib import pyplot

    results = run["results"]
    for operation in dict.fromkeys(row["operation"] for row in results):
        rows = [row for row in results if row["operation"] == operation]
        figure, axes = pyplot.subplots(1, 3, figsize=(13, 4), layout="constrained")
        for axis, size, title in zip(axes, (SMALL, LARGE), ("4 B per process", "1 MiB per process")):
            draw_lines(axis, [row for row in rows if row["bytes"] == size], "ranks", title)
        draw_lines(axes[2], [row for row in rows if row["ranks"] == SIZES_AT], "bytes", f"{SIZES_AT} processes")
        axes[0].legend()
        figure.suptitle(f"{operation}, simulated")
        for kind in ("png", "svg"):
            figure.savefig(folder / f"{operation}.{kind}", dpi=110)
        pyplot.close(figure)
        print(folder / f"{operation}.png")


def draw_lines(axis, rows, over, title):
    for way in WAYS:
        points = sorted((row[over], row["us"] * 1e-6) for row in rows if row["way"] == way)
        if points:
            axis.plot(*zip(*points), marker=".", label=way, linestyle="-" if way == "Amity" else "--")
    axis.set(title=title, xlabel=over, ylabel="seconds", yscale="log")
    axis.set_xscale("log", base=2)
    axis.grid(alpha=0.3)


def numbers(text):
    return [int(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ranks", type=numbers, default=[16, 64, 256, 1024])
    parser.add_argument("--operations", type=lambda text: text.split(","), default=OPERATIONS)
    parser.add_argument("--rounds", type=int, default=1, help="the simulation repeats itself exactly")
    parser.add_argument("--receive-us", type=float, default=machine.RECEIVE_US, help="what a message costs its receiver")
    parser.add_argument("--dealt", action="store_true", help="ranks go to the nodes in turn")
    parser.add_argument("--draw", action="store_true")
    options = parser.parse_args()
    machine.RECEIVE_US = options.receive_us
    options.folder.mkdir(parents=True, exist_ok=True)
    file = options.folder / "simulation.json"
    if not options.draw:
        measure(options, options.folder, file)
    draw(json.loads(file.read_text()), options.folder)


if __name__ == "__main__":
    main()
