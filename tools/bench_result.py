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


def time_ratio(row, rivals=None):
    """Amity's time, with the compiler where it is worse, over the better rival's, of `rivals` and Amity's own in `row` or of all;
    None where one of them is missing, or where an overhead is too small to compare."""
    times = {runtime: median["real_time"] for runtime, median in row.items() if rivals is None or runtime in rivals}
    theirs = [time for runtime, time in times.items() if not is_ours(runtime)]
    ours = [time for runtime, time in times.items() if is_ours(runtime)]
    if not theirs or not ours or min(theirs) <= 0:
        return None
    return max(max(ours), 0) / min(theirs)


def geometric_mean(ratios):
    """Of those that are there; None without any."""
    known = [ratio for ratio in ratios if ratio]
    return math.exp(sum(map(math.log, known)) / len(known)) if known else None
