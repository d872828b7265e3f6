#!/usr/bin/env python3
"""Makes docs/performance.md of what `amity bench overheads --json` measured: script/measure runs it.

    tools/performance_page.py run1.json run2.json ... > docs/performance.md
"""
import json
import math
import sys

OURS = ("amity(gcc)", "amity(clang)")


def medians(run):
    """{(construct, threads): {runtime: microseconds}} in the order of the measurement."""
    table = {}
    for b in run["benchmarks"]:
        if b.get("aggregate_name") != "median":
            continue
        construct, runtime, threads = b["run_name"].split("/")
        table.setdefault((construct, int(threads.split(":")[1])), {})[runtime] = b["real_time"]
    return table


def number(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def ratio_of(row):
    """Ours, with the compiler where we are worse, over the better rival; None where an overhead is too small to compare."""
    rivals = [v for k, v in row.items() if k not in OURS]
    ours = [row[k] for k in OURS if k in row]
    if not rivals or not ours or min(rivals) <= 0:
        return None
    return max(max(ours), 0) / min(rivals)


def section(run):
    context = run["context"]
    table = medians(run)
    runtimes = list(context["runtimes"])
    busy = len(context["busy_cpus"])
    lines = []
    for threads in sorted({t for _, t in table}):
        title = f"{threads} threads on {context['cores_usable']} cores"
        if busy:
            title += f", {busy} of them kept busy by another process"
        lines += [f"## {title}", "", "| construct | " + " | ".join(runtimes) + " | ratio |", "|---|" + "---:|" * (len(runtimes) + 1)]
        ratios = []
        for (construct, t), row in table.items():
            if t != threads:
                continue
            ratio = ratio_of(row)
            if ratio:
                ratios.append(ratio)
            cells = [number(row.get(r)) for r in runtimes]
            lines.append(f"| {construct} | " + " | ".join(cells) + f" | {number(ratio)} |")
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            lines.append("| geometric mean |" + " |" * len(runtimes) + f" {number(mean)} |")
        lines.append("")
    return lines


def main():
    runs = [json.load(open(name)) for name in sys.argv[1:]]
    if not runs:
        sys.exit(__doc__)
    context = runs[0]["context"]
    print("# Performance\n")
    print("Made by `script/measure`; nothing here is written by hand. Microseconds for one construct (EPCC style: the time with the")
    print("construct less the time without it; see `bench/overheads/`), medians over the rounds; in each round the runtimes take turns, and")
    print("the same gcc binary runs on libgomp and on Amity, the same clang binary on libomp and on Amity. The ratio is Amity's time, with the")
    print("compiler where it is worse, over that of the better rival: below 1, Amity is faster.\n")
    print(f"{context['date'][:10]}, {context['processor']}, {context['num_cpus']} cores (a virtual machine that others share), "
          f"{context['kernel']}, gcc 12.2 with its libgomp, clang 22 with its libomp, {context['rounds']} rounds.\n")
    for run in runs:
        load = run["context"]["load_avg"][0]
        print("\n".join(section(run)))
        print(f"Load of the machine at the start: {load:.1f}.\n")


if __name__ == "__main__":
    main()
