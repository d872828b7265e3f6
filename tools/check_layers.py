#!/usr/bin/env python3
"""Refuses includes that the modules' declarations don't allow.

    tools/check_layers.py build/amity_modules.txt [ROOT]

The file is written by CMake (amity_write_modules): "<module> <layer> <dependency>... / <room>..." a line. In ROOT/amity (default:
this repository) a file of module M may include "amity/D/..." only where D is M or in M's DEPENDS, and never another module's
internal/. In a module with rooms, a file in a room's folder may include files of that room and of the rooms before it; tests may
include all of their module. Quoted includes name the whole path from the root. Every source and test in a module's folder must be
named in its CMakeLists.txt, so that no test is forgotten.
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
CODE = {".hpp", ".cpp", ".h", ".c", ".S", ".inc", ".def"}
COMPILED = {".cpp", ".c", ".S"}
ARCHITECTURE = re.compile(r"_(x86_64|aarch64)(?=\.)")  # CMake picks one of these by a variable


class Module:
    def __init__(self, depends, rooms):
        self.depends, self.rooms = set(depends), rooms

    def room_of(self, parts):
        """The number of the room of amity/M/parts..., counted from the first; one more than the last: it is in none."""
        return self.rooms.index(parts[0]) if len(parts) > 1 and parts[0] in self.rooms else len(self.rooms)


def read_modules(path):
    modules = {}
    for line in Path(path).read_text().splitlines():
        before, _slash, rooms = line.partition("/")
        name, _layer, *depends = before.split()
        modules[name] = Module(depends, rooms.split())
    return modules


def check_room(path, target, module, rooms):
    """What is wrong with an include from within a module, as far as its rooms go."""
    if path.stem.endswith("_test"):
        return None
    own, other = rooms.room_of(path.parts[2:]), rooms.room_of(target.split("/")[2:])
    if other > own:
        where = rooms.rooms[other] if other < len(rooms.rooms) else "what is in no room"
        return f"{target}: room '{rooms.rooms[own]}' of module '{module}' comes before {where}, and must not use it"
    return None


def check_include(quote, target, path, module, depends, root):
    """What is wrong with one include of a file of `module`, or None."""
    parts = target.split("/")
    if parts[0] != "amity":
        if quote == '"':
            return f'"{target}": quoted includes begin with "amity/" and name the whole path'
        return None
    if len(parts) < 3:
        defines_it = target == f"amity/{module}.h"  # a module whose library programs find by that header of C
        return None if module == "" or defines_it else f"{target} is for users; inside, include the module's header"
    other = parts[1]
    if other == module and (error := check_room(path, target, module, depends)):
        return error
    if other != module and other not in depends.depends:
        return f"{target}: module '{module}' does not declare '{other}' in DEPENDS"
    if other != module and "internal" in parts[2:]:
        return f"{target} is internal to module '{other}'"
    if not (root / target).exists():
        return f"{target} does not exist"
    return None


def check_file(path, module, modules, root):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        error = check_include(match[1], match[2], path.relative_to(root), module, modules[module], root)
        if error:
            yield f"{path.relative_to(root)}:{number}: {error}"


def check_module(folder, modules, root):
    module = folder.name
    declared = folder / "CMakeLists.txt"
    if module not in modules:
        if declared.exists():
            yield f"{declared.relative_to(root)}: module '{module}' is not known to the build; configure again"
        return
    named = declared.read_text()
    for path in sorted(folder.rglob("*")):
        if path.suffix not in CODE or not path.is_file():
            continue
        yield from check_file(path, module, modules, root)
        if path.suffix in COMPILED and path.name not in named and not ARCHITECTURE.search(path.name):
            yield f"{path.relative_to(root)}: not named in {declared.relative_to(root)}"


def main(arguments):
    if len(arguments) not in (1, 2):
        sys.exit(__doc__)
    root = Path(arguments[1]) if len(arguments) == 2 else Path(__file__).resolve().parent.parent
    modules = read_modules(arguments[0])
    errors = []
    for folder in sorted((root / "amity").iterdir()):
        if folder.is_dir():
            errors += check_module(folder, modules, root)
    print("\n".join(errors) if errors else f"{len(modules)} modules keep their layers")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
