"""DejaGnu's directives: what a test of GNU's asks of whoever runs it.

A directive is a Tcl list inside a comment of the test, such as

    /* { dg-additional-options "-mavx" { target avx_runtime } } */

`parse` reads a whole file and returns a `Plan`. Selectors are decided by a function
that knows the machine (targets.py), so that this file knows the language alone.
"""

import fnmatch
import re
from dataclasses import dataclass, field

_LINE = re.compile(r"\{[ \t]+(dg-[-a-z]+)(.*)[ \t]\}")
_TCL_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "f": "\f", "v": "\v"}


@dataclass
class Plan:
    """What to do with one test."""

    action: str = "run"
    skip: str = ""
    options: str | None = None
    additional_options: list[str] = field(default_factory=list)
    additional_sources: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    should_fail: bool = False
    output: str = ""
    time_limit: float | None = None
    time_factor: float = 1.0
    unknown: list[str] = field(default_factory=list)

    def flags(self, default: str) -> list[str]:
        """The compiler's options; `default` holds where the test has none of its own."""
        own = default if self.options is None else self.options
        return split_list(" ".join([own, *self.additional_options]))


def split_list(text: str) -> list[str]:
    """Splits a Tcl list into its words: {braced as it is}, "quoted with escapes", bare."""
    words, at = [], 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return words
        word, at = _next_word(text, at)
        words.append(word)


def _next_word(text: str, at: int) -> tuple[str, int]:
    if text[at] == "{":
        end = _closing_brace(text, at)
        return text[at + 1 : end], end + 1
    quoted = text[at] == '"'
    at += quoted
    word = []
    while at < len(text):
        c = text[at]
        if (quoted and c == '"') or (not quoted and c.isspace()):
            break
        if c == "\\" and at + 1 < len(text):
            at += 1
            c = _TCL_ESCAPES.get(text[at], text[at])
        word.append(c)
        at += 1
    return "".join(word), at + quoted


def _closing_brace(text: str, at: int) -> int:
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return i
    raise ValueError(f"no closing brace in {text!r}")


class Selectors:
    """Decides `{ target EXPRESSION }` and the like.

    `has(keyword)` answers for an effective target, or None where it doesn't know the keyword.
    """

    def __init__(self, triplet: str, has):
        self._triplet = triplet
        self._has = has

    def matches(self, expression: str) -> bool:
        words = split_list(expression)
        if len(words) == 1:
            return self._operand(expression, words[0])
        if words[0] == "!" and len(words) == 2:
            return not self.matches(words[1])
        if len(words) == 3 and words[1] in ("&&", "||"):
            left, right = self.matches(words[0]), self.matches(words[2])
            return (left and right) if words[1] == "&&" else (left or right)
        return any(self.matches(word) for word in words)

    def _operand(self, expression: str, word: str) -> bool:
        if expression.strip().startswith("{"):
            return self.matches(word)
        if "*" in word or word.count("-") >= 2:
            return fnmatch.fnmatchcase(self._triplet, word)
        known = self._has(word)
        if known is None:
            raise ValueError(f"unknown effective target '{word}'")
        return known

    def applies(self, selector: str) -> bool:
        """The same for a whole clause, `target ...` (or `xfail ...`, which keeps a test in)."""
        kind, _, expression = selector.strip().partition(" ")
        return kind != "target" or self.matches(expression)


def parse(text: str, selectors: Selectors, language: str) -> Plan:
    """Reads the directives of a file. `language` ("c" or "c++") is itself an effective target."""
    plan = Plan()
    selected = None
    for match in _LINE.finditer(text):
        name, arguments = match.group(1), split_list(match.group(2))
        if name == "dg-do":
            wanted = len(arguments) < 2 or selectors.applies(arguments[1])
            selected = True if wanted else bool(selected)
            plan.action = arguments[0]
            if not selected and not plan.skip:
                plan.skip = f"not for this target: {arguments[1].strip()}"
            elif selected and plan.skip.startswith("not for this target"):
                plan.skip = ""
        else:
            _apply(plan, name, arguments, selectors, language)
    return plan


def _apply(plan: Plan, name: str, arguments: list[str], selectors: Selectors, language: str) -> None:
    def conditional(position: int) -> bool:
        return len(arguments) <= position or selectors.applies(arguments[position])

    if name == "dg-options":
        if conditional(1):
            plan.options = arguments[0]
    elif name == "dg-additional-options":
        if conditional(1):
            plan.additional_options.append(arguments[0])
    elif name == "dg-additional-sources":
        plan.additional_sources += split_list(arguments[0])
    elif name == "dg-set-target-env-var":
        if conditional(2):
            plan.environment[arguments[0]] = arguments[1]
    elif name == "dg-shouldfail":
        if len(arguments) < 2 or selectors.matches(arguments[1]):
            plan.should_fail = True
    elif name == "dg-output":
        if conditional(1):
            plan.output += arguments[0]
    elif name == "dg-timeout":
        plan.time_limit = float(arguments[0])
    elif name == "dg-timeout-factor":
        plan.time_factor *= float(arguments[0])
    elif name == "dg-require-effective-target":
        if conditional(1) and not selectors.matches(arguments[0]):
            plan.skip = plan.skip or f"needs {arguments[0]}"
    elif name == "dg-skip-if":
        if selectors.matches(arguments[1]) and len(arguments) == 2:
            plan.skip = plan.skip or f"skipped by the test itself: {arguments[0] or 'a part of another test'}"
    elif name in ("dg-xfail-if", "dg-xfail-run-if"):
        if selectors.matches(arguments[1]):
            plan.skip = plan.skip or f"expected to fail: {arguments[0]}"
    elif name not in _WITHOUT_EFFECT:
        plan.unknown.append(name)


# What the compiler prints or dumps is the compiler's test, not the library's; aliases and
# __float128 need no option here.
_WITHOUT_EFFECT = {
    "dg-add-options", "dg-bogus", "dg-error", "dg-excess-errors", "dg-final", "dg-message",
    "dg-prune-output", "dg-require-alias", "dg-warning",
}
