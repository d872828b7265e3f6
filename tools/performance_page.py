#!/usr/bin/env python3
"""Makes docs/performance.md of what `amity bench overheads --json` measured: script/measure runs it.

    tools/performance_page.py run1.json run2.json ... > docs/performance.md
"""
import json
import sys

from bench_result import geometric_mean, medians, ratios as ratios_of


def number(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


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
        lines += [f"## {title}", "", "| construct | " + " | ".join(runtimes) + " | ratio | same program |",
                  "|---|" + "---:|" * (len(runtimes) + 2)]
        ratios = []
        same = []
        for (construct, t), row in table.items():
            if t != threads:
                continue
            known = ratios_of(run, construct, threads)
            ratio = known["all"]
            ratios.append(ratio)
            same.append(known["same program"])
            cells = [number(row[r]["real_time"] if r in row else None) for r in runtimes]
            lines.append(f"| {construct} | " + " | ".join(cells) + f" | {number(ratio)} | {number(same[-1])} |")
        mean = geometric_mean(ratios)
        if mean:
            lines.append("| geometric mean |" + " |" * len(runtimes) + f" {number(mean)} | {number(geometric_mean(same))} |")
        lines.append("")
    return lines


ABOUT = """\
Made by `script/measure`; nothing here is written by hand. Microseconds for one construct (EPCC style: the time with the
construct less the time without it; see `bench/overheads/`), medians over the rounds; in each round the runtimes take turns, and
the same gcc binary runs on libgomp and on Amity, the same clang binary on libomp and on Amity. The ratio is Amity's time, with the
compiler where it is worse, over that of the better rival: below 1, Amity is faster. `same program`: over that of the runtime that
the same binary was built for; it says what the runtime does, where gcc and clang make different loops. The host moves this virtual
machine's cores about: a cache line takes 30, 70 or 300 ns from one to the other and back, and changes every few seconds. So
ratios are between rounds with equally near cores, and need not be those of the medians beside them (`amity/cli/README.md`). An
overhead below a hundredth of the work that it came with counts as that: it can't be told from nothing.
"""


def main():
    runs = [json.load(open(name)) for name in sys.argv[1:]]
    if not runs:
        sys.exit(__doc__)
    context = runs[0]["context"]
    print("# Performance\n")
    print(ABOUT)
    print(f"{context['date'][:10]}, {context['processor']}, {context['num_cpus']} cores (a virtual machine that others share), "
          f"{context['kernel']}, gcc 12.2 with its libgomp, clang 22 with its libomp, {context['rounds']} rounds.\n")
    for run in runs:
        load = run["context"]["load_avg"][0]
        print("\n".join(section(run)))
        print(f"Load of the machine at the start: {load:.1f}.\n")


if __name__ == "__main__":
    main()
