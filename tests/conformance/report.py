"""What is printed and written at the end."""

import json
import pathlib
import re
from collections import Counter
from dataclasses import asdict, dataclass


@dataclass
class Result:
    name: str
    outcome: str  # PASS, FAIL or SKIP
    kind: str = ""
    detail: str = ""
    output: str = ""

    @property
    def reason(self) -> str:
        return f"{self.kind}: {self.detail}" if self.kind and self.detail else self.kind or self.detail


def count(results: list[Result], outcome: str) -> int:
    return sum(result.outcome == outcome for result in results)


def final_line(results: list[Result]) -> str:
    return f"{count(results, 'PASS')} passed, {count(results, 'FAIL')} failed, {count(results, 'SKIP')} skipped"


def by_folder(results: list[Result]) -> list[str]:
    """Of the tests that ran, how many passed: libgomp.c, libgomp.c/common, ..."""
    folders: dict[str, list[Result]] = {}
    for result in results:
        if result.outcome != "SKIP":
            parts = result.name.split("/")
            folders.setdefault("/".join(parts[:2]) if parts[1] == "common" else parts[0], []).append(result)
    return [f"{folder:18} {count(part, 'PASS'):4d} of {len(part):4d}" for folder, part in sorted(folders.items())]


def lists(results: list[Result], outcomes: tuple[str, ...]) -> list[str]:
    width = max((len(result.name) for result in results), default=0)
    rows = []
    for outcome in outcomes:
        rows += [
            f"{outcome} {result.name:{width}}  {_one_line(result.reason)}".rstrip()
            for result in results if result.outcome == outcome
        ]
    return rows


def reasons(results: list[Result]) -> list[str]:
    """Failures with one reason together, most frequent first."""
    counts = Counter(_shape(result) for result in results if result.outcome == "FAIL")
    return [f"{number:5d} x {shape}" for shape, number in counts.most_common()]


def _shape(result: Result) -> str:
    if result.kind == "wrong output":
        return result.kind
    return _one_line(re.sub(r"\b(0x[0-9a-f]+|\d{3,})\b|^/\S+: ", "", result.reason))


def _one_line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 200 else flat[:197] + "..."


def write(path: pathlib.Path, head: dict, results: list[Result], lacking: dict[str, list[str]]) -> None:
    """Writes PATH as JSON, and beside it the same as text (PATH with .txt)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    counts = {outcome.lower(): count(results, outcome) for outcome in ("PASS", "FAIL", "SKIP")}
    body = {**head, "counts": counts, "missing_symbols": lacking, "tests": [asdict(result) for result in results]}
    path.write_text(json.dumps(body, indent=1) + "\n")
    rows = [f"{key}: {value}" for key, value in head.items()]
    rows += ["", *lists(results, ("FAIL", "SKIP", "PASS")), "", *by_folder(results), final_line(results)]
    path.with_suffix(".txt").write_text("\n".join(rows) + "\n")
