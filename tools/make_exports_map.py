#!/usr/bin/env python3
"""Makes what the linker needs to export both OpenMP ABIs from one library.

    tools/make_exports_map.py --nm NM --abi LIST... --out FOLDER OBJECT...

Each LIST has the names of an ABI, one a line: NAME@@NODE is what new programs link to, NAME@NODE what old ones ask for. Where two
lists have a name under different nodes (gcc's programs ask for omp_get_level@OMP_3.0, clang's for omp_get_level@VERSION), it is
exported under all of them, and the first list that has NAME@@NODE says which is the default.

NAME@NODE is implemented by the C symbol NAME, or, where an old version differs, by NAME_at_NODE with each '.' written as '_':
omp_set_lock@OMP_1.0 is omp_set_lock_at_OMP_1_0. What no object defines is left out, so that --no-undefined-version holds.

Writes into FOLDER, and touches nothing that stays the same:
  exports.map   the linker's version script: every name at its default node, and nothing else
  exports.ld    assignments that give a name its further versions; an input file of the link (GNU ld)
  exports.txt   the names that the library will have, for tools/check_exports.py
  missing.txt   the names of the lists that no object defines yet
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

# Nodes that later runtimes have and that must exist for their programs to load, though no name may be in them yet.
EXPECTED_NODES = [
    "VERSION",
    "OMP_1.0", "OMP_2.0", "OMP_3.0", "OMP_3.1", "OMP_4.0", "OMP_4.5", "OMP_5.0", "OMP_5.0.1", "OMP_5.0.2", "OMP_5.1", "OMP_5.1.1",
    "OMP_5.2",
    "GOMP_1.0", "GOMP_2.0", "GOMP_3.0", "GOMP_4.0", "GOMP_4.0.1", "GOMP_4.5", "GOMP_5.0", "GOMP_5.0.1", "GOMP_5.1", "GOMP_5.1.1",
    "GOMP_5.1.2", "GOMP_5.1.3", "GOMP_6.0", "GOMP_6.0.1",
    "AMITY_1.0",
]  # fmt: skip
# GNU ld hides an old version of a name when a `local: *` stands in its own node; no old version lives in this one.
NODE_OF_LOCALS = "OMP_5.2"


def read_list(path):
    """[(name, node, is_default)] of one file."""
    entries = []
    for line in Path(path).read_text().splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        match = re.fullmatch(r"([A-Za-z_]\w*)(@@?)([A-Za-z_][\w.]*)", line)
        if not match:
            sys.exit(f"{path}: '{line}' is neither NAME@NODE nor NAME@@NODE")
        entries.append((match[1], match[3], match[2] == "@@"))
    return entries


def merge(lists):
    """{name: [node...]}, the default node first: of the first list that has one."""
    nodes = {}
    for name, node, _ in sorted((entry for entries in lists for entry in entries), key=lambda entry: not entry[2]):
        known = nodes.setdefault(name, [])
        if node not in known:
            known.append(node)
    return nodes


def defined_symbols(nm, objects):
    command = [nm, "--defined-only", "--extern-only", "--format=posix", *objects]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {line.split()[0] for line in output.splitlines() if len(line.split()) >= 2}


def implementation(name, node, defined):
    """The C symbol behind NAME@NODE; None: there is none yet."""
    special = f"{name}_at_{node.replace('.', '_')}"
    if special in defined:
        return special
    return name if name in defined else None


def version_script(defaults):
    text = "/* Made by tools/make_exports_map.py. */\n"
    previous = {}
    for node in EXPECTED_NODES:
        text += f"{node} {{\n"
        names = sorted(name for name, at in defaults.items() if at == node)
        if names:
            text += "  global:\n" + "".join(f"    {name};\n" for name in names)
        if node == NODE_OF_LOCALS:
            text += "  local:\n    *;\n"
        family = node.split("_")[0]
        parent = previous.get(family)
        text += f"}} {parent};\n" if parent else "};\n"
        previous[family] = node
    return text


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--abi", action="append", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("objects", nargs="+")
    arguments = parser.parse_args()

    wanted = merge(read_list(path) for path in arguments.abi)
    defined = defined_symbols(arguments.nm, arguments.objects)
    unknown = {node for nodes in wanted.values() for node in nodes} - set(EXPECTED_NODES)
    if unknown:
        sys.exit(f"tools/make_exports_map.py: no place for the nodes {sorted(unknown)} in EXPECTED_NODES")

    defaults, assignments, exports, missing = {}, [], [], []
    for name, nodes in sorted(wanted.items()):
        for position, node in enumerate(nodes):
            versioned = f"{name}@{node}" if position else f"{name}@@{node}"
            source = implementation(name, node, defined)
            if source is None or (not position and source != name):
                missing.append(versioned)
                continue
            exports.append(versioned)
            if position:
                assignments.append(f'"{versioned}" = {source};')
            else:
                defaults[name] = node

    arguments.out.mkdir(parents=True, exist_ok=True)
    write(arguments.out / "exports.map", version_script(defaults))
    write(arguments.out / "exports.ld", "/* Made by tools/make_exports_map.py. */\n" + "\n".join(assignments) + "\n")
    write(arguments.out / "exports.txt", "".join(f"{line}\n" for line in exports))
    write(arguments.out / "missing.txt", "".join(f"{line}\n" for line in missing))


if __name__ == "__main__":
    main()
