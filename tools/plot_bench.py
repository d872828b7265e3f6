#!/usr/bin/env python3
"""Draws what `amity bench` measured, as PNG; `--plot FOLDER` runs it.

    tools/plot_bench.py RESULT.json FOLDER

blaze: for each kernel the ratio of MFLOP/s over sizes and threads (Figures 2 to 5 of the hpxMP paper), for each compiler's
program on Amity and on its own runtime, and for the worse of Amity's two over the better rival; and MFLOP/s over sizes at some
thread counts (Figures 6 to 9). tasks: the ratio of times for each program, and, where there are several
thread counts, times over threads. spawn, algorithms, futures: everybody's time over that of the best rival.
graph: efficiency over the grain of tasks (after the figures of the Task Bench paper), for each graph, and METG(50 %) of all graphs.
devices: times of the stencil and of the partition over their sizes, of pictures over theirs, written in turn and beside the
computation, and of a shared problem over devices (Figures 3 to 6 of the HPXCL paper).
"""
import json
import math
import os
import sys

from bench_result import geometric_mean, is_ours, medians, ratios

try:
    import matplotlib
except ImportError:
    sys.exit("plot_bench: this python3 has no matplotlib (Debian's package: python3-matplotlib)")
matplotlib.use("Agg")  # no display
from matplotlib import pyplot  # noqa: E402  after the choice above


def save(figure, folder, name):
    path = os.path.join(folder, name)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    print(path)


def same_programs(run):
    """[(title, the runtimes in it)]: each program on Amity and its own runtime."""
    programs = {}
    for runtime, about in run["context"]["runtimes"].items():
        programs.setdefault(about["program"], []).append(runtime)
    return [(" / ".join(sorted(names, key=is_ours, reverse=True)), names) for names in programs.values()
            if any(map(is_ours, names)) and not all(map(is_ours, names))]


def panels(count, width, height):
    figure, axes = pyplot.subplots(1, count, figsize=(width * count, height), squeeze=False, layout="constrained")
    return figure, axes[0]


# -- blaze


def by_kernel(table):
    """{kernel: {(size, threads): {runtime: row}}}"""
    kernels = {}
    for (item, threads), row in table.items():
        kernel, size = item.split("/")
        kernels.setdefault(kernel, {})[int(size), threads] = row
    return kernels


def is_parallel(row):
    return any(median.get("kind") == "parallel" for median in row.values())


def draw_heat_map(axis, sizes, threads, ratio_at):
    """Ratio over sizes (across) and threads (upwards); white is 1, twice as fast and half as fast are the ends."""
    grid = [[ratio_at(n, t) or math.nan for n in sizes] for t in threads]
    image = axis.imshow([[math.log2(ratio) for ratio in line] for line in grid], origin="lower", aspect="auto", cmap="RdBu",
                        vmin=-1, vmax=1)
    axis.set_xticks(range(len(sizes)), sizes, rotation=90)
    axis.set_yticks(range(len(threads)), threads)
    axis.set_xlabel("n")
    axis.set_ylabel("threads")
    if len(sizes) <= 16:
        for y, line in enumerate(grid):
            for x, ratio in enumerate(line):
                if not math.isnan(ratio):
                    dark = abs(math.log2(ratio)) > 0.7
                    axis.text(x, y, f"{ratio:.2f}", ha="center", va="center", fontsize=6, color="white" if dark else "black")
    return image


def draw_ratios(run, kernel, cells, folder):
    parallel = {key: row for key, row in cells.items() if is_parallel(row)} or cells
    sizes = sorted({n for n, _ in parallel})
    threads = sorted({t for _, t in parallel})
    known = {(n, t): ratios(run, f"{kernel}/{n}", t) for n, t in parallel}
    compared = [(title, lambda one, ours=next(filter(is_ours, names)): one["of"].get(ours)) for title, names in same_programs(run)]
    compared.append(("worse Amity / better rival", lambda one: one["all"]))
    figure, axes = panels(len(compared), max(4, 0.28 * len(sizes) + 2), max(3, 0.25 * len(threads) + 2))
    for axis, (title, chosen) in zip(axes, compared):
        image = draw_heat_map(axis, sizes, threads, lambda n, t: chosen(known[n, t]) if (n, t) in known else None)
        axis.set_title(title, fontsize=9)
    figure.colorbar(image, ax=axes, ticks=[-1, -0.5, 0, 0.5, 1]).ax.set_yticklabels(["0.5", "0.71", "1", "1.4", "2"])
    figure.suptitle(f"{kernel}: ratio of MFLOP/s; above 1 Amity is faster")
    save(figure, folder, f"blaze_{kernel}_ratio.png")


def shown_threads(threads):
    """The paper's three where they were measured, else up to three, the most included."""
    papers = [t for t in threads if t in (4, 8, 16)]
    return papers if papers else threads[-3:]


def draw_rates(kernel, cells, folder):
    threads = shown_threads(sorted({t for _, t in cells}))
    runtimes = list(dict.fromkeys(runtime for row in cells.values() for runtime in row))
    first_parallel = min((n for (n, _), row in cells.items() if is_parallel(row)), default=None)
    figure, axes = panels(len(threads), 5, 4)
    for axis, t in zip(axes, threads):
        for runtime in runtimes:
            points = sorted((n, row[runtime]["mflops"]) for (n, count), row in cells.items() if count == t and runtime in row)
            if points:
                axis.plot(*zip(*points), label=runtime, marker=".", linestyle="-" if is_ours(runtime) else "--")
        if first_parallel:
            axis.axvline(first_parallel, color="grey", linewidth=0.8)
        axis.set(xscale="log", yscale="log", xlabel="n", ylabel="MFLOP/s", title=f"{t} threads")
        axis.grid(alpha=0.3)
    axes[0].legend(fontsize=8)
    figure.suptitle(f"{kernel}; parallel from the grey line on")
    save(figure, folder, f"blaze_{kernel}_scaling.png")


def draw_blaze(run, folder):
    for kernel, cells in by_kernel(medians(run)).items():
        draw_ratios(run, kernel, cells, folder)
        draw_rates(kernel, cells, folder)


# -- tasks


def draw_bars(axis, threads, programs, ratio_of):
    width = 0.8 / len(threads)
    seen = [1]
    for i, t in enumerate(threads):
        shown = [ratio_of(program, t) for program in programs]
        mean = geometric_mean(shown)
        label = f"{t} threads" + (f", geometric mean {mean:.2f}" if mean else "")
        places = [x + (i - (len(threads) - 1) / 2) * width for x in range(len(programs))]
        # From 1 up or down: a bar's length is how far it is from equality.
        axis.bar(places, [(ratio or 1) - 1 for ratio in shown], width, bottom=1, label=label)
        seen += [ratio for ratio in shown if ratio]
    axis.axhline(1, color="black", linewidth=0.8)
    axis.set_yscale("log")
    axis.minorticks_off()
    steps = [step * 10.0 ** power for power in range(-4, 5) for step in (1, 2, 5)]
    marks = [step for step in steps if min(seen) / 2 <= step <= max(seen) * 2]
    axis.set_yticks(marks, [f"{step:g}" for step in marks])
    axis.set_xticks(range(len(programs)), programs, rotation=60, ha="right")
    axis.grid(axis="y", alpha=0.3)
    axis.legend(fontsize=8)


def draw_task_ratios(run, threads, programs, folder):
    figure, axes = panels(2, max(5, 0.25 * len(programs) * len(threads) + 2), 4.5)
    draw_bars(axes[0], threads, programs, lambda program, t: ratios(run, program, t)["all"])
    axes[0].set_title("worse Amity / better rival", fontsize=9)
    draw_bars(axes[1], threads, programs, lambda program, t: ratios(run, program, t)["same program"])
    axes[1].set_title("same program: Amity / its own runtime, the worse compiler", fontsize=9)
    figure.suptitle("ratio of times; below 1 Amity is faster")
    save(figure, folder, "tasks_ratio.png")


def draw_task_times(table, threads, programs, folder):
    columns = min(4, len(programs))
    lines = -(-len(programs) // columns)
    figure, axes = pyplot.subplots(lines, columns, figsize=(3.2 * columns, 2.6 * lines), squeeze=False, layout="constrained")
    for axis in axes.flat[len(programs):]:
        axis.axis("off")
    for axis, program in zip(axes.flat, programs):
        rows = [table.get((program, t), {}) for t in threads]
        for runtime in dict.fromkeys(runtime for row in rows for runtime in row):
            points = [(t, row[runtime]["real_time"] / 1000) for t, row in zip(threads, rows) if runtime in row]
            axis.plot(*zip(*points), label=runtime, marker=".", linestyle="-" if is_ours(runtime) else "--")
        axis.set(xscale="log", title=program)
        axis.set_ylim(bottom=0)
        axis.set_xticks(threads, threads)
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    for axis in axes[:, 0]:
        axis.set_ylabel("ms")
    axes.flat[0].legend(fontsize=7)
    figure.supxlabel("threads")
    save(figure, folder, "tasks_scaling.png")


def draw_tasks(run, folder):
    table = medians(run)
    threads = sorted({t for _, t in table})
    programs = list(dict.fromkeys(item for item, _ in table))
    if not programs:
        return
    draw_task_ratios(run, threads, programs, folder)
    if len(threads) > 1:
        draw_task_times(table, threads, programs, folder)


# -- one program for each contender


def best_rival(row):
    """The shortest time of those that compete; None without any. Serial programs are there to be compared with."""
    return min((median["real_time"] for name, median in row.items() if not is_ours(name) and name != "serial"), default=None)


def draw_idioms(run, folder, table=None, what="time"):
    table = table or medians(run)
    threads = sorted({t for _, t in table})
    runtimes = list(run["context"]["runtimes"])
    items = [item for item in dict.fromkeys(item for item, _ in table)
             if any(best_rival(table.get((item, t), {})) for t in threads)]
    if not items:
        return
    figure, axes = pyplot.subplots(len(threads), 1, figsize=(max(6, 0.16 * len(items) * len(runtimes) + 2), 3.4 * len(threads)),
                                   squeeze=False, sharex=True, layout="constrained")
    width = 0.85 / len(runtimes)
    for axis, t in zip(axes[:, 0], threads):
        for i, runtime in enumerate(runtimes):
            points = [(x + (i - (len(runtimes) - 1) / 2) * width, table[item, t][runtime]["real_time"] / best_rival(table[item, t]))
                      for x, item in enumerate(items) if runtime in table.get((item, t), {}) and best_rival(table[item, t])]
            if points:  # from 1 up or down, as in draw_bars
                places, times = zip(*points)
                axis.bar(places, [time - 1 for time in times], width, bottom=1, label=runtime,
                         hatch="//" if is_ours(runtime) else None)
        axis.axhline(1, color="black", linewidth=0.8)
        axis.set(yscale="log", ylabel=f"{what} / best rival's", title=f"{t} threads")
        axis.grid(axis="y", alpha=0.3)
        axis.set_xticks(range(len(items)), items, rotation=60, ha="right")
    axes[0, 0].legend(fontsize=7, ncols=3)
    figure.suptitle("below 1: faster than the best rival")
    save(figure, folder, run["context"]["executable"].split()[-1] + "_times.png")


# -- graph


def draw_efficiency(table, threads, folder):
    graphs = {}
    for (item, t), row in table.items():
        if t == threads:
            for runtime, median in row.items():
                if "efficiency" in median:
                    curves = graphs.setdefault(item.split("/")[0], {})
                    curves.setdefault(runtime, []).append((median["granularity_us"], median["efficiency"]))
    if not graphs:
        return
    columns = min(4, len(graphs))
    lines = -(-len(graphs) // columns)
    figure, axes = pyplot.subplots(lines, columns, figsize=(3.6 * columns, 3 * lines), squeeze=False, sharey=True,
                                   layout="constrained")
    for axis in axes.flat[len(graphs):]:
        axis.axis("off")
    for axis, (graph, runtimes) in zip(axes.flat, graphs.items()):
        for runtime, points in runtimes.items():
            axis.plot(*zip(*sorted(points)), label=runtime, marker=".", linestyle="-" if is_ours(runtime) else "--")
        axis.axhline(0.5, color="grey", linewidth=0.8)
        axis.set(xscale="log", title=graph)
        axis.set_ylim(0, 1.05)
        axis.grid(alpha=0.3)
    axes.flat[0].legend(fontsize=6)
    figure.supxlabel("core time of a task, us")
    figure.supylabel("efficiency")
    figure.suptitle(f"{threads} threads; METG(50 %) is where a curve crosses the line: further left is better")
    save(figure, folder, f"graph_efficiency_{threads}.png")


def draw_graph(run, folder):
    table = medians(run)
    for threads in sorted({t for _, t in table}):
        draw_efficiency(table, threads, folder)
    metg = {(item.removeprefix("METG/"), t): row for (item, t), row in table.items() if item.startswith("METG/")}
    draw_idioms(run, folder, metg or table, "METG" if metg else "time")


# -- devices


# What is drawn: the problem, what its size is, and as much of it (Figure 4's m stands for 2^m times as many values).
DEVICE_PANELS = [("stencil", "values", lambda n: n, ["stencil"]),
                 ("partition", "values", lambda m: 2 ** m * 1024 * 32 * 4, ["partition"]),
                 ("pictures", "side of the largest picture", lambda n: n, ["pictures_in_turn", "pictures_beside"]),
                 ("shared problem", "devices", lambda n: n, ["share"])]


def draw_device_panel(axis, table, threads, title, xlabel, x_of, problems):
    for problem in problems:
        curves = {}
        for (item, t), row in table.items():
            name, _, size = item.partition("/")
            if t == threads and name == problem:
                for runtime, median in row.items():
                    curves.setdefault(runtime, []).append((x_of(int(size)), median["real_time"] / 1e3))
        for runtime, points in curves.items():
            label = runtime if len(problems) == 1 else f"{runtime}, {problem.split('_', 1)[1].replace('_', ' ')}"
            axis.plot(*zip(*sorted(points)), label=label, marker="." if problem == problems[0] else "x",
                      linestyle="-" if is_ours(runtime) else "--")
    axis.set(title=title, xlabel=xlabel)
    if title != "shared problem":
        axis.set(xscale="log", yscale="log")
    else:
        axis.set_ylim(bottom=0)
        axis.xaxis.get_major_locator().set_params(integer=True)
    axis.grid(alpha=0.3)
    if axis.lines:
        axis.legend(fontsize=7)


def draw_devices(run, folder):
    table = medians(run)
    for threads in sorted({t for _, t in table}):
        figure, axes = panels(len(DEVICE_PANELS), 4.2, 3.8)
        for axis, panel in zip(axes, DEVICE_PANELS):
            draw_device_panel(axis, table, threads, *panel)
        axes[0].set_ylabel("ms")
        figure.suptitle(f"{threads} threads")
        save(figure, folder, f"devices_{threads}.png")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        run = json.load(file)
    drawing = {"amity bench blaze": draw_blaze, "amity bench tasks": draw_tasks}
    drawing.update({f"amity bench {suite}": draw_idioms for suite in ("spawn", "algorithms", "futures")})
    drawing["amity bench graph"] = draw_graph
    drawing["amity bench devices"] = draw_devices
    what = run["context"]["executable"]
    if what not in drawing:
        sys.exit(f"plot_bench: '{sys.argv[1]}' is of '{what}'; what can be drawn: {', '.join(drawing)}")
    os.makedirs(sys.argv[2], exist_ok=True)
    drawing[what](run, sys.argv[2])


if __name__ == "__main__":
    main()
