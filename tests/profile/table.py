"""The table that `amity run --profile` prints, beside what planted.c and planted_tasks.cpp have measured themselves."""

import re


def planted(text):
    """Construct, line, seconds of work and of waiting (negative: not measured)."""
    for each in text.splitlines():
        what, line, work, waiting = each.split("\t")
        yield what, int(line), int(work) * 1e-9, int(waiting) * 1e-9


ROW = re.compile(r"^ *[0-9.]+ % +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9.]+) +(\d*)  (?:planted\w*\.c(?:pp)?:(\d+), )?(.*)$", re.M)


def rows(text):
    for work, waiting, runtime, stolen, calls, line, what in ROW.findall(text):
        yield what, int(line or 0), float(work), float(waiting), float(stolen)


def differences(said, table):
    """What does not agree. While others have its core, a thread's clock goes on: what is stolen may be of its work or its wait."""
    for what, line, work, waiting in planted(said):
        at = [r for r in rows(table) if r[0] == what and (line == 0 or line - 1 <= r[1] <= line + 2)]
        if len(at) != 1:
            yield f"{len(at)} rows of {what} at line {line}"
            continue
        stolen = at[0][4]
        tolerance = max(0.05 * (max(work, 0) + max(waiting, 0)), 0.004)
        for name, planted_s, found_s in (("work", work, at[0][2]), ("waiting", waiting, at[0][3])):
            if planted_s >= 0 and not found_s - tolerance <= planted_s <= found_s + stolen + tolerance:
                yield f"{what} at line {line}: {name} {found_s:.3f} s, {stolen:.3f} s stolen, planted {planted_s:.3f} s"
