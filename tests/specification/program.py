"""What a program of the suite is, and where the programs come from.

Those written by hand lie in `constructs/` and `entries/`; what the runner must know stands in their first lines:

    // section: 11.5.3                                  of OpenMP 5.2
    // compilers: gcc clang                             default: gcc and clang for C, gfortran for Fortran
    // options clang: -fopenmp-version=51               `options:` for every compiler
    // environment: OMP_CANCELLATION=true
    // refused gcc: inoutset came with 13               the compiler does not take it; why
    // since clang: 22 older ones lose the last value    not by an older one; why
    // few: a region for each thread of each region      not with more threads than 3, and why

Those of a product of many things are made by `families/*.py`, each of which has `programs()`.
"""

import importlib
import pathlib
import re
import sys
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
_KEY = re.compile(r"^(?://|!) (section|compilers|options|environment|refused|since|few)(?: (gcc|clang|gfortran))?: (.*)$")
LANGUAGES = {".c": "c", ".cpp": "c++", ".f90": "fortran"}
DEFAULT_COMPILERS = {"c": ("gcc", "clang"), "c++": ("gcc", "clang"), "fortran": ("gfortran",)}


@dataclass
class Program:
    name: str
    text: str
    language: str = "c"
    section: str = ""
    compilers: tuple[str, ...] = ()
    options: dict[str, list[str]] = field(default_factory=dict)  # by compiler; "" for all
    environment: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    since: dict[str, tuple[int, str]] = field(default_factory=dict)  # by compiler: the first version that will do
    few: str = ""

    def too_old(self, compiler: str, version: int) -> str:
        """Why this version of the compiler will not do; empty if it will."""
        first, why = self.since.get(compiler, (0, ""))
        return f"{compiler} {version} is older than {first}: {why}" if version < first else ""

    def options_for(self, compiler: str) -> list[str]:
        return self.options.get("", []) + self.options.get(compiler, [])


def parse(name: str, text: str, language: str) -> Program:
    """A program from its source, with the keys that its first lines give."""
    program = Program(name, text, language, compilers=DEFAULT_COMPILERS[language])
    for line in text.splitlines():
        if not line.startswith(("//", "!")):
            break
        if not (match := _KEY.match(line)):
            continue
        key, compiler, value = match[1], match[2] or "", match[3].strip()
        if key == "compilers":
            program.compilers = tuple(value.split())
        elif key == "options":
            program.options.setdefault(compiler, []).extend(value.split())
        elif key == "environment":
            program.environment |= dict(pair.split("=", 1) for pair in value.split())
        elif key == "refused":
            program.refused[compiler] = value
        elif key == "since":
            version, why = value.split(maxsplit=1)
            program.since[compiler] = int(version), why
        else:
            setattr(program, key, value)
    if not program.section:
        raise SystemExit(f"{name}: no `section:` in its first lines")
    return program


def collect() -> list[Program]:
    found = []
    for folder in ("constructs", "entries"):
        for path in sorted((HERE / folder).iterdir()):
            if path.suffix in LANGUAGES:
                found.append(parse(f"{folder}/{path.stem}", path.read_text(), LANGUAGES[path.suffix]))
    sys.path.insert(0, str(HERE / "families"))
    for path in sorted((HERE / "families").glob("*.py")):
        module = importlib.import_module(path.stem)
        if hasattr(module, "programs"):
            found += [parse(f"{path.stem}/{name}", text, language) for name, language, text in module.programs()]
    return found
