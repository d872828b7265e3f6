#!/usr/bin/env python3
"""Draws what `amity bench messages` and `amity bench collectives` measured, as PNG; `--plot FOLDER` runs it.

    build/bench/plot_ranks.py RESULT.json FOLDER

For each number of ranks a picture: microseconds over the size, a panel for each operation, a line for each contender.
"""
import json
import os
import sys

from bench_result import is_ours, medians

try:
    import matplotlib
except ImportError:
    sys.exit("plot_ranks: this python3 has no matplotlib (Debian's package: python3-matplotlib)")
matplotlib.use("Agg")  # no display
from matplotlib import pyplot  # noqa: E402  after the choice above


def curves(run):
    """{ranks: {operation: {contender: [(bytes, microseconds)]}}} of the items that have a size."""
    all_curves = {}
    for (item, ranks), row in medians(run).items():
        operation, _, size = item.partition("/")
        for contender, median in row.items():
            if size and "real_time" in median:
                panel = all_curves.setdefault(ranks, {}).setdefault(operation, {})
                panel.setdefault(contender, []).append((int(size), median["real_time"]))
    return all_curves


def draw(panels, title, path):
    columns = min(3, len(panels))
    lines = -(-len(panels) // columns)
    figure, axes = pyplot.subplots(lines, columns, figsize=(4.2 * columns, 3.2 * lines), squeeze=False, layout="constrained")
    for axis in axes.flat[len(panels):]:
        axis.axis("off")
    contenders = list(dict.fromkeys(name for panel in panels.values() for name in panel))
    for axis, (operation, lines_of) in zip(axes.flat, panels.items()):
        for i, contender in enumerate(contenders):
            points = sorted(lines_of.get(contender, []))
            if points:
                axis.plot(*zip(*points), label=contender, marker=".", color=f"C{i}",
                          linestyle="-" if is_ours(contender) else "--")
        axis.set(title=operation)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.grid(alpha=0.3)
    axes.flat[0].legend(fontsize=7)
    figure.supxlabel("bytes")
    figure.supylabel("microseconds")
    figure.suptitle(title)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    print(path)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        run = json.load(file)
    suite = run["context"]["executable"].split()[-1]
    if suite not in ("messages", "collectives"):
        sys.exit(f"plot_ranks: '{sys.argv[1]}' is of '{suite}'; what can be drawn: messages, collectives")
    drawn = curves(run)
    if not drawn:
        sys.exit(f"plot_ranks: '{sys.argv[1]}' has nothing with a size; no pictures are drawn")
    os.makedirs(sys.argv[2], exist_ok=True)
    for ranks, panels in sorted(drawn.items()):
        draw(panels, f"{suite}, {ranks} ranks", os.path.join(sys.argv[2], f"{suite}_{ranks}.png"))


if __name__ == "__main__":
    main()
