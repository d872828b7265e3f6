#!/usr/bin/env python3
"""Runs a suite of `amity bench` and checks its JSON: every item, runtime and thread count is there, with a time and no error.

    bench_test.py build/bin/amity SUITE OPTIONS...
"""
import json
import subprocess
import sys


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
        assert row["time_unit"] == "us", row
        if suite != "overheads":  # an overhead is a difference, and may be less than nothing
            assert row["real_time"] > 0, row
        if suite == "blaze":
            assert row["mflops"] > 0 and row["kind"] in ("parallel", "serial"), row
        if row["run_type"] == "aggregate":
            item, runtime, _ = row["run_name"].rsplit("/", 2)
            medians.setdefault((item, row["threads"]), []).append(runtime)
    assert medians, "nothing was measured"
    for key, seen in medians.items():
        able = [name for name in runtimes if suite != "spawn" or name != "std" or key[0] == "fib_few"]
        assert seen == able, (key, seen, able)
    return medians


def main():
    amity, suite, *options = sys.argv[1:]
    medians = check(run_suite(amity, suite, options), suite)
    print(f"{len(medians)} items, each on every runtime")


if __name__ == "__main__":
    main()
