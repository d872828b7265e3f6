#!/usr/bin/env python3
"""Refuses prose that can't be read: long lines, sentences without a subject, comments that name what is gone.

    git ls-files | tools/check_prose.py [ROOT]

Reads names of files, and looks at those in ROOT (default: this repository) that are sources, scripts or Markdown:

* No line is longer than 120 columns; in Python, CMake, Fortran and shell 132. In Markdown, rows of tables, code and lines
  that are one link may be longer.
* No sentence begins with "Who" or "Whoever", unless it is a question: a comment names its subject.
* "pairs with X", at an atomic operation: X is a name in the code of amity/, a file, or a rule of a README of its module (T2).
  Other words ("the store below") may follow as well.
* A rule's label, as T2, is given once in a module, and a comment that names one in parentheses, "(T2)", means a rule of its
  own module: those of others stand behind a word, as in "(net's U3)".
"""

import re
import sys
from pathlib import Path

CODE = {".hpp", ".cpp", ".h", ".c", ".inc", ".S"}
SCRIPTS = {".py", ".cmake", ".in", ".f90", ".R", ".m"}
LIMIT = {"code": 120, "markdown": 120, "script": 132}
LONG = re.compile(  # written by script/measure, or given from outside
    r"docs/performance(-suites)?\.md|tests/contract/(openmp|tasks|accel|nodes)/.*")

TOKEN = re.compile(  # strings, so that no comment begins in one; then comments
    r'R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'|'
    r"(?P<comment>//[^\n]*|/\*.*?\*/)", re.DOTALL)
HASH = re.compile(r'(?P<comment>"""(?:.*?)"""|(?:^|(?<=\s))#[^\n]*)', re.DOTALL | re.MULTILINE)
MARK = re.compile(r"^\s*(///?<?|#+|/?\*+/?|>|[-*] )?", re.MULTILINE)

HEADLESS = re.compile(r"(?<![\w`'\"-])Who(?:ever)?\s[^.?!]*(?P<end>[.?!]?)")
PAIRS = re.compile(r"\b[Pp]airs\s+with\s+")
NAME = re.compile(r"`?(?P<name>[A-Za-z_]\w*(?:(?:::|\.|/|-)\w+)*)(?:\(\))?`?(?P<owns>'s\b)?")
NEXT = re.compile(r",?\s+and\s+(?:with\s+)?|,\s+|\s*\(")
RULE = re.compile(r"[A-Z]\d+")
# Where a README gives a rule its label: "* **T2** ...", "* **T2, the claim.** ...", "**T2, the claim.** ...", "| **T2** | ...".
GIVES_LABEL = re.compile(r"^(?:\s*[*-] )?\*\*(?P<bold>[A-Z]\d+)\b|^\| \**(?P<row>[A-Z]\d+)\** \|", re.MULTILINE)
CITED = re.compile(r"\((?P<first>[A-Z]\d{1,2})(?:(?:,| to| and) (?P<last>[A-Z]\d{1,2}))?\)")
FILE = re.compile(r"[\w/-]+\.(?:hpp|cpp|h|c|S|md|py)")
WORDS = set("""a all an and another any anybody are at both each every for from here himself his in is it its itself next nobody
nothing of on one other others so that the their then there these they this those to what where which while who whoever whose
with""".split())


def kind_of(path, text):
    """Which limit and which comments the file has; None: it is data."""
    if path.suffix == ".md":
        return "markdown"
    if path.suffix in CODE:
        return "code"
    is_script = path.suffix in SCRIPTS or path.name == "CMakeLists.txt" or text.startswith("#!") or path.match("script/*")
    return "script" if is_script else None


def without_code(text):
    """Markdown without its blocks of code, and without the rows of tables; the lines keep their numbers."""
    lines, fenced, may_be_code = [], False, True
    for line in text.split("\n"):
        fence = line.lstrip().startswith("```")
        fenced ^= fence
        indented = may_be_code and line.startswith("    ")  # in the middle of a paragraph it is a list's text
        may_be_code = not line.strip() or indented
        lines.append("" if fenced or fence or indented or line.lstrip().startswith("|") else line)
    return "\n".join(lines)


def check_columns(text, kind):
    for number, line in enumerate((without_code(text) if kind == "markdown" else text).split("\n"), 1):
        is_link = kind == "markdown" and re.fullmatch(r"\s*([-*] )?(\[[^\]]*\](\([^)]*\)|: *\S+)|<?https?:\S+)[.,;:]?", line)
        if len(line) > LIMIT[kind] and not is_link:
            yield number, f"{len(line)} columns, more than {LIMIT[kind]}"


def comments_of(text, kind):
    """(first line, text without marks) of every run of lines with comments; Markdown without its headings."""
    if kind == "markdown":
        yield 1, re.sub(r"^#.*", "", without_code(text), flags=re.MULTILINE)
        return
    runs = []
    for match in (TOKEN if kind == "code" else HASH).finditer(text):
        if match["comment"] is None:
            continue
        first = text.count("\n", 0, match.start()) + 1
        if runs and first <= runs[-1][2] + 1:
            runs[-1][1] += "\n" * (first - runs[-1][2]) + match["comment"]
        else:
            runs.append([first, match["comment"], 0])
        runs[-1][2] = first + match["comment"].count("\n")
    for first, comment, _last in runs:
        yield first, MARK.sub("", comment)


def check_sentences(prose):
    for match in HEADLESS.finditer(prose):
        if match["end"] != "?":
            yield match.start(), f"'{' '.join(match[0].split()[:4])} ...': name the subject"


def partners(prose, at):
    """The names that follow "pairs with"; further ones only where they can't be words of a sentence that goes on."""
    first = True
    while match := NAME.match(prose, at):
        name, after = match["name"], prose[match.end():]
        ends = re.match(r"\s*([.,;:()]|$)|\s+and\b", after) is not None
        if name in WORDS or not (first or ends or re.search(r"[_:.`]", match[0])):
            return
        yield name
        step = NEXT.match(prose, match.end())
        if match["owns"] or not step:
            return
        first, at = False, step.end()


def module_of(file):
    """The module of amity/ that it belongs to; None: it is of none."""
    parts = file.split("/")
    return parts[1] if parts[0] == "amity" and len(parts) > 2 else None


def labels_of(texts):
    """The rules' labels of each module, each with the documents that give it."""
    labels = {}
    for file, text in texts.items():
        if file.endswith(".md") and module_of(file):
            for match in GIVES_LABEL.finditer(text):
                its = labels.setdefault(module_of(file), {}).setdefault(match["bold"] or match["row"], [])
                if file not in its:
                    its.append(file)
    return labels


def check_citations(prose, own):
    """`own`: the labels of the file's module."""
    for match in CITED.finditer(prose):
        for name in (match["first"], match["last"]):
            if name and own is not None and name not in own:
                yield match.start(), f"({name}): no README of this module has such a rule"


def check_partners(prose, names, files, own):
    for match in PAIRS.finditer(prose):
        for name in partners(prose, match.end()):
            if FILE.fullmatch(name):
                known = any(f == name or f.endswith("/" + name) for f in files)
            else:
                known = name == "README" or names.issuperset(re.split(r"::|\.", name))
                if RULE.fullmatch(name):
                    known = own is None or name in own
            if not known:
                yield match.start(), f"pairs with {name}: there is no such {'file' if FILE.fullmatch(name) else 'name in amity/'}"


def check_file(text, kind, names, files, own):
    """(line, what is wrong)"""
    yield from check_columns(text, kind)
    for first, prose in comments_of(text, kind):
        cited = check_citations(prose, own) if kind == "code" else []
        for at, error in [*check_sentences(prose), *check_partners(prose, names, files, own), *cited]:
            yield first + prose.count("\n", 0, at), error


def main(arguments):
    if len(arguments) > 1:
        sys.exit(__doc__)
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    files = [f for f in sys.stdin.read().splitlines() if (root / f).is_file()]
    texts = {f: (root / f).read_text(errors="replace") for f in files}
    kinds = {f: kind_of(Path(f), texts[f]) for f in files}
    names = set()
    for f in files:
        if f.startswith("amity/") and kinds[f] == "code":
            names |= set(re.findall(r"\w+", TOKEN.sub(" ", texts[f])))
    errors, labels = [], labels_of(texts)
    for module, its in labels.items():
        for label, documents in its.items():
            if len(documents) > 1:
                errors.append(f"{documents[1]}: {label} is a rule of {documents[0]}: two rules of {module} have one label")
    for f in filter(kinds.get, files):
        own = labels.get(module_of(f), {}) if module_of(f) else None
        for line, error in sorted(check_file(texts[f], kinds[f], names, files, own)):
            if not (LONG.fullmatch(f) and "columns" in error):
                errors.append(f"{f}:{line}: {error}")
    print("\n".join(errors) if errors else f"the prose of {sum(map(bool, kinds.values()))} files")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
