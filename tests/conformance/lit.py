"""lit's directives: what a test of LLVM's asks of whoever runs it.

A directive stands in a comment, such as

    // RUN: %libomp-compile && env OMP_NUM_THREADS=4 %libomp-run | FileCheck %s
    // UNSUPPORTED: gcc-5, gcc-6

`parse` reads a whole file; `Plan.steps` says what to run with lit's words replaced. A step is
what stands between two `&&`; those that build (a call of the compiler with -o) are known as such, so that what they
make can be kept.
"""

import re
from dataclasses import dataclass, field

_DIRECTIVE = re.compile(r"\b(RUN|REQUIRES|UNSUPPORTED|XFAIL|ALLOW_RETRIES):(.*)$", re.M)
_TOKEN = re.compile(r"\s*(&&|\|\||!|\(|\)|[-\w.=+]+)")
_OUTPUT = re.compile(r"\s-o\s+(\S+)")


@dataclass
class Step:
    """One command. `output`: the file that it builds, empty where it is no build."""

    command: str
    output: str = ""


@dataclass
class Plan:
    """What to do with one test. `lines` are its RUN lines, continuations joined."""

    lines: list[str] = field(default_factory=list)
    skip: str = ""

    def steps(self, substitutions: list[tuple[str, str]]) -> list[Step]:
        """Replaces as lit does, in order, each pair everywhere; the second of a pair may hold words of later ones."""
        found = []
        for line in self.lines:
            for word, text in substitutions:
                line = re.sub(word, lambda _, text=text: text, line)
            found += [_step(part) for part in _split(line)]
        return found


def parse(text: str, features: set[str]) -> Plan:
    plan = Plan()
    continued = False
    for match in _DIRECTIVE.finditer(text):
        kind, rest = match.group(1), match.group(2).strip().removesuffix("*/").rstrip()
        if kind == "RUN":
            part = rest.removesuffix("\\")
            if continued:
                plan.lines[-1] += " " + part
            else:
                plan.lines.append(part)
            continued = part != rest
        else:
            plan.skip = plan.skip or _reason_to_skip(kind, rest, features)
    if not plan.lines:
        plan.skip = "no RUN line: a part of another test"
    return plan


def _reason_to_skip(kind: str, rest: str, features: set[str]) -> str:
    expressions = [e.strip() for e in rest.split(",") if e.strip()]
    if kind == "REQUIRES":
        lacking = [e for e in expressions if not holds(e, features)]
        return f"needs {', '.join(lacking)}" if lacking else ""
    met = [e for e in expressions if e == "*" or holds(e, features)]
    if met and kind == "UNSUPPORTED":
        return f"not for {', '.join(met)}"
    if met and kind == "XFAIL":
        return f"expected to fail with {', '.join(met)}"
    return ""


def holds(expression: str, features: set[str]) -> bool:
    """Whether a boolean expression of features, with && || ! and parentheses, is true."""
    tokens, at = [], 0
    while at < len(expression.rstrip()):
        match = _TOKEN.match(expression, at)
        if not match:
            raise ValueError(f"not understood: {expression!r}")
        tokens.append(match.group(1))
        at = match.end()
    words = {"&&": "and", "||": "or", "!": "not", "(": "(", ")": ")", "true": "True", "false": "False"}
    python = " ".join(words.get(token) or str(token in features) for token in tokens)
    try:
        return bool(eval(python, {"__builtins__": {}}))  # of True, False, and, or, not and parentheses alone
    except SyntaxError as error:
        raise ValueError(f"not understood: {expression!r}") from error


def _split(line: str) -> list[str]:
    """Parts at && outside quotes."""
    parts, start, quote = [], 0, ""
    for i, c in enumerate(line):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif line.startswith("&&", i):
            parts.append(line[start:i].strip())
            start = i + 2
    return [part for part in [*parts, line[start:].strip()] if part]


def _step(command: str) -> Step:
    output = _OUTPUT.search(command)
    builds = command.startswith(COMPILE) and output and not re.search(r"[|<>]", command)
    return Step(command.removeprefix(COMPILE).strip(), output.group(1) if builds else "")


# Put before the compiler's name by whoever replaces %clang, so that a build is known by it.
COMPILE = "@compile "
