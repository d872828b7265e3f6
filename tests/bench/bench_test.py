#!/usr/bin/env python3
"""Runs a suite of `amity bench` and checks its JSON: every item, runtime and thread count is there, with a time and no error.

    bench_test.py build/bin/amity SUITE OPTIONS...
"""
import json
import subprocess
import sys


def has(suite, runtime, item):
    """Whether the runtime has what the item takes."""
    if suite == "spawn" and runtime == "std":
        return item == "fib_few"
    if suite == "algorithms" and runtime == "tbb":
        return item.startswith("sort/") or item in ("inclusive_scan", "exclusive_scan", "reduce", "transform_reduce", "for_each")
    if suite == "futures" and runtime == "std":
        return item in ("chain_sync", "fan", "ping_pong", "await")
    if suite == "futures" and runtime == "tbb":
        return item not in ("nested", "generate")
    if suite == "messages" and runtime == "ucx":
        return item.split("/")[0] in ("round_trip", "in_window", "put", "get")
    if suite == "messages" and not runtime.startswith("amity"):
        return not item.endswith("_in_finish")
    return True


def run_suite(amity, suite, options):
    done = subprocess.run([amity, "bench", suite, *options, "--limit", "60", "--json", "-"], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}\n{done.stdout}")
    return json.loads(done.stdout)


def check(result, suite):
    context = result["context"]
    assert context["executable"] == f"amity bench {suite}", context["executable"]
    runtimes = list(context["runtimes"])
    assert any(name.startswith("amity") for name in runtimes), runtimes
    medians = {}
    for row in result["benchmarks"]:
        assert "error_message" not in row, row
        if "unit" in row:  # no time
            assert row["value"] >= 0 and row["unit"] in ("%", "messages", "faults", "pages"), row
        else:
            assert row["time_unit"] == "us", row
            # An overhead is a difference, and may be less than nothing.
            assert suite == "overheads" or row["real_time"] > 0, row
        if suite == "blaze":
            assert row["mflops"] > 0 and row["kind"] in ("parallel", "serial"), row
        if row["name"].startswith("METG/"):  # a program that is half efficient at some grain has one
            assert row["kind"] in ("metg", "bound"), row
            continue
        if row["run_type"] == "aggregate" and row["kind"] == "grain":
            assert 0 < row["efficiency"] <= 1 and row["granularity_us"] > 0, row
        if row["run_type"] == "aggregate":
            item, runtime, count = row["run_name"].rsplit("/", 2)
            medians.setdefault((item, int(count.split(":")[1])), []).append(runtime)
    assert medians, "nothing was measured"
    for key, seen in medians.items():
        # An MPI that yields takes part where ranks share cores.
        able = [name for name in runtimes if has(suite, name, key[0])
                and (name != "openmpi(yield)" or key[1] > context["cores_usable"])]
        if suite == "devices":  # of one kind of device: its own driver's program, and Amity's
            assert seen[-1:] == ["amity"] and set(seen[:-1]) <= {"opencl", "cuda"} and len(seen) <= 2, (key, seen)
            continue
        assert seen == able, (key, seen, able)
    return medians


def main():
    amity, suite, *options = sys.argv[1:]
    medians = check(run_suite(amity, suite, options), suite)
    print(f"{len(medians)} items, each on every runtime")


if __name__ == "__main__":
    main()
