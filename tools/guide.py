#!/usr/bin/env python3
"""Puts the listings into docs/guide.md, README.md and the tutorials.

    tools/guide.py              # writes them
    tools/guide.py --check      # fails if that would change them, or if a listing stands nowhere

A listing is what stands between `// [NAME]` and `// [end]` in a program of tests/guide, without the indentation that all of its
lines have (`# [NAME]` in Python). In the guide, `<!-- PROGRAM/NAME -->` ... `<!-- end -->` holds the listing NAME of PROGRAM.cpp
beside that of PROGRAM_amity.cpp; `<!-- PROGRAM_amity/NAME -->` holds one alone, and so does `<!-- readme/NAME -->`. Those of
docs/tutorials are in tests/guide/tutorials: `<!-- tutorials/PROGRAM/NAME -->`.
"""

import re
import sys
import textwrap
from pathlib import Path

root = Path(__file__).resolve().parent.parent
pages = [root / "docs" / "guide.md", root / "README.md", *sorted((root / "docs" / "tutorials").glob("*.md"))]
languages = {".cpp": "cpp", ".c": "c", ".py": "python"}
titles = {"openmp": "OpenMP", "tbb": "oneTBB", "std": "std"}


def dedented(lines):
    """Pragmas stand at the left margin: they get the place of the line that follows them."""
    lines = list(lines)
    for i in reversed(range(len(lines) - 1)):
        if lines[i].startswith("#pragma"):
            after = lines[i + 1]
            lines[i] = after[: len(after) - len(after.lstrip())] + lines[i]
    return textwrap.dedent("\n".join(lines)).strip("\n")


def source_of(program):
    for suffix in languages:
        source = root / "tests" / "guide" / f"{program}{suffix}"
        if source.exists():
            return source
    sys.exit(f"guide: there is no tests/guide/{program}.cpp, nor one in another language")


def listings(program):
    """Of each name: its language and its text."""
    found, name, lines = {}, None, []
    source = source_of(program)
    for number, line in enumerate(source.read_text().splitlines(), 1):
        mark = re.fullmatch(r"\s*(?://|#) \[([a-z_]+)\]", line)
        if mark is None:
            lines.append(line)
        elif mark[1] == "end":
            found[name], name = (languages[source.suffix], dedented(lines)), None
        elif name is not None or mark[1] in found:
            sys.exit(f"guide: {source.name}:{number}: [{mark[1]}] within [{name}], or for the second time")
        else:
            name, lines = mark[1], []
    return found


def block(language, text):
    return f"```{language}\n{text}\n```"


def filled(text, programs, used):
    def listing(program, name):
        if name not in programs.setdefault(program, listings(program)):
            sys.exit(f"guide: tests/guide/{program} has no [{name}]")
        used.add((program, name))
        return block(*programs[program][name])

    def replace(match):
        program, name = match[1], match[2]
        if program not in titles:
            body = listing(program, name)
        else:
            body = (f"<table><tr><th>{titles[program]}</th><th>Amity</th></tr><tr><td>\n\n{listing(program, name)}\n\n</td><td>\n\n"
                    f"{listing(program + '_amity', name)}\n\n</td></tr></table>")
        return f"<!-- {program}/{name} -->\n{body}\n<!-- end -->"

    return re.sub(r"<!-- ((?:tutorials/)?[a-z_]+)/([a-z_]+) -->\n.*?<!-- end -->", replace, text, flags=re.DOTALL)


def main(arguments):
    programs, used = {}, set()
    before = {page: page.read_text() for page in pages}
    after = {page: filled(text, programs, used) for page, text in before.items()}
    for source in sorted((root / "tests" / "guide" / "tutorials").iterdir()):
        if source.suffix in languages:
            programs.setdefault(f"tutorials/{source.stem}", listings(f"tutorials/{source.stem}"))
    lost = [f"{program} [{name}]" for program, found in programs.items() for name in found if (program, name) not in used]
    if lost:
        sys.exit("guide: listings that no page has: " + ", ".join(lost))
    changed = [page for page in pages if after[page] != before[page]]
    if "--check" not in arguments:
        for page in changed:
            page.write_text(after[page])
    elif changed:
        sys.exit(f"guide: {changed[0].name} and tests/guide differ; tools/guide.py mends it")
    else:
        print(f"{len(pages)} pages have the text of {len(used)} listings")


if __name__ == "__main__":
    main(sys.argv[1:])
