"""The table that `amity run --profile` prints, beside what planted.c and planted_tasks.cpp have measured themselves."""

import os
import re
import subprocess
import sys

ATTEMPTS = 4  # a thread that the kernel keeps from its core between two looks at the clock, one of them ours, is nobody's fault


def run(*words, status=0, **variables):
    """Amity, which is the first argument of each of these tests."""
    done = subprocess.run([sys.argv[1], *words], capture_output=True, text=True, timeout=60, env={**os.environ, **variables})
    if done.returncode != status:
        raise AssertionError(f"{words}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout, done.stderr


def planted(text):
    """Construct, line, seconds of work and of waiting (negative: not measured), the most that may have been waited."""
    for each in text.splitlines():
        what, line, *times = each.split("\t")
        work, waiting, *most = (int(t) * 1e-9 for t in times)
        yield what, int(line), work, waiting, most[0] if most else waiting


ROW = re.compile(r"^ *[0-9.]+ % +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9.]+) +(\d*)  (?:planted\w*\.c(?:pp)?:(\d+), )?(.*)$", re.M)


def rows(text):
    for work, waiting, runtime, stolen, calls, line, what in ROW.findall(text):
        yield what, int(line or 0), float(work), float(waiting), float(stolen)


def differences(said, table):
    """What does not agree. The program looks at the clock within what it plants, so the profile has found at least as much,
    but for what is stolen: while others have its core, a thread's clock goes on. What it found more lies between a look at
    the clock and the runtime's own; there a machine may take its core away for a while, and the kernel does not know it."""
    for what, line, work, waiting, most in planted(said):
        at = [r for r in rows(table) if r[0] == what and (line == 0 or line - 1 <= r[1] <= line + 2)]
        if len(at) != 1:
            yield f"{len(at)} rows of {what} at line {line}"
            continue
        stolen = at[0][4]
        less = max(0.05 * (max(work, 0) + max(waiting, 0)), 0.004)
        for name, planted_s, most_s, found_s in (("work", work, work, at[0][2]), ("waiting", waiting, most, at[0][3])):
            if planted_s >= 0 and not planted_s - less <= found_s + stolen <= 1.25 * most_s + stolen + 0.01:
                yield (f"{what} at line {line}: {name} {found_s:.3f} s, {stolen:.3f} s stolen, "
                       f"planted {planted_s:.3f} to {most_s:.3f} s")


def table_that_agrees(test, program):
    for _ in range(ATTEMPTS):
        said, table = run("run", "--profile", "--", program)
        test.assertRegex(table, r"(?m)^amity: profile of profile_planted_\w+ \(pid \d+\): [0-9.]+ s on \d+ cores")
        wrong = list(differences(said, table))
        if not wrong:
            break
    test.assertEqual(wrong, [], table)
    return table
