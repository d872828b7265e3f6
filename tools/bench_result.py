"""What `amity bench --json` writes, read: for performance_page.py and plot_bench.py."""
import math


def medians(run):
    """{(item, threads): {runtime: the row of the median}} in the order of the measurement."""
    table = {}
    for row in run["benchmarks"]:
        if row.get("aggregate_name") != "median":
            continue
        item, runtime, threads = row["run_name"].rsplit("/", 2)
        table.setdefault((item, int(threads.split(":")[1])), {})[runtime] = row
    return table


def is_ours(runtime):
    return runtime.startswith("amity")


def ratios(run, item, threads):
    """What the run says of an item: {"all": Amity over the better rival, for the compiler with which that is worse, "same program":
    over the runtimes of the same program, "of": {runtime: the same for each of Amity's}}. 0 where somebody is missing. Of MFLOP/s
    where those are shown, else of times; between rounds that compare (amity/cli/README.md)."""
    return run["context"]["ratios"].get(str(threads), {}).get(item, {"all": 0, "same program": 0, "of": {}})


def geometric_mean(ratios):
    """Of those that are there; None without any."""
    known = [ratio for ratio in ratios if ratio]
    return math.exp(sum(map(math.log, known)) / len(known)) if known else None
