#!/usr/bin/env python3
"""commands.py BUILD SCRATCH: types what README.md and docs/*.md tell their reader to type, in order, in the folder SCRATCH.

Each command of a block for the shell stands in one of two lists below: those that are run here, and those that are not, with the
reason. A command that is in neither, or one in a list that nobody is told to type any more, is a failure. Each text is one session of a
shell; README.md is the first, and what it installs is there for the others.
"""

import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent.parent

run_here = {
    "README.md": [
        "build/bin/amity run -- PROGRAM ARGUMENTS...",
        "build/bin/amity run -t 8 --stats -- PROGRAM ARGUMENTS...",
        "cmake --install build --prefix PREFIX",
        "export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig",
        "g++ -std=c++20 -O2 program.cpp $(pkg-config --cflags --libs amity) -o program",
        "gcc -O2 program.c $(pkg-config --cflags --libs amity-openmp) -o program",
    ],
    "docs/guide.md": [
        "export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig",
        "g++ -std=c++20 -O2 program.cpp $(pkg-config --cflags --libs amity) -o program",
    ],
    "docs/thread-sanitizer.md": [
        "gcc -g -O1 -fopenmp -fsanitize=thread program.c -o program",
        "amity run -t 8 -- ./program",
    ],
}

whole_build = "it builds Amity anew, which takes minutes"
other_processor = "it needs packages for another processor, from a network, and an emulator"
not_run = {
    "README.md": {
        "script/demo": "it installs packages and builds; script/test has built what is run here",
        "script/test": "it is what runs this test",
    },
    "docs/thread-sanitizer.md": {
        "cmake --preset tsan && cmake --build build/tsan": whole_build,
        "g++ -std=c++20 -g -O1 -fsanitize=thread program.cpp -I. -Lbuild/tsan/lib -lamity -Wl,-rpath,$PWD/build/tsan/lib -o program": whole_build,
    },
    # Any command of this text.
    "docs/aarch64.md": other_processor,
    # What the benchmarks have printed, in blocks of their own; script/measure writes both texts.
    "docs/performance.md": "it has output only",
    "docs/performance-suites.md": "it has output only",
}


def commands_of(text):
    """The commands of the blocks that are for a shell or for nothing in particular, without comments, a line each."""
    for block in re.findall(r"^```(?:sh|bash|console)?\n(.*?)^```$", outside_of_code(text), flags=re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").splitlines():
            if command := re.sub(r"(^|\s+)#\s.*", "", line).strip():
                yield " ".join(command.split())


def outside_of_code(text):
    """Without blocks of other languages, whose ends would otherwise be taken for beginnings."""
    return re.sub(r"^```(?!(?:sh|bash|console)?\n)\w+\n.*?^```\n", "", text, flags=re.DOTALL | re.MULTILINE)


def fail(words):
    sys.exit(f"tests/guide/commands.py: {words}")


def check_lists(name, commands):
    reasons = not_run.get(name, {})
    if isinstance(reasons, str):
        return []
    chosen = run_here.get(name, [])
    for command in commands:
        if command not in chosen and command not in reasons:
            fail(f"{name} says to type '{command}'. It is neither run here nor is there a reason why not: see the lists in the script")
    for command in [*chosen, *reasons]:
        if command not in commands:
            fail(f"'{command}' is in the lists and no longer in {name}")
    return [command for command in commands if command in chosen]


def prepare(build, scratch):
    """What the reader has: a build, and programs of their own."""
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    (scratch / "build").symlink_to(build)
    cpp = re.search(r"^```cpp\n(.*?)^```$", (root / "README.md").read_text(), flags=re.DOTALL | re.MULTILINE)[1]
    (scratch / "program.cpp").write_text(f"{cpp}\nint main() {{ return norm({{3, 4}}, {{12}}) == 13 ? 0 : 1; }}\n")
    shutil.copy(root / "tests/install/consumer/openmp.c", scratch / "program.c")
    subprocess.run(["gcc", "-O2", "-fopenmp", "program.c", "-o", "plain"], cwd=scratch, check=True, timeout=60)


def has_thread_sanitizer(scratch):
    (scratch / "probe.c").write_text("int main(void) { return 0; }\n")
    command = ["gcc", "-fsanitize=thread", "probe.c", "-o", "probe"]
    return all(subprocess.run(one, cwd=scratch, capture_output=True, timeout=60).returncode == 0 for one in (command, ["./probe"]))


def type_in(name, commands, scratch):
    lines = ["set -euo pipefail", f"export PATH={scratch}/prefix/bin:$PATH"]
    starts_it_itself = any(command.endswith("./program") for command in commands)
    for command in commands:
        command = command.replace("PROGRAM ARGUMENTS...", "./plain").replace("PREFIX", f"{scratch}/prefix")
        lines += [f"echo {shell_quoted('$ ' + command)}", command]
        if command.endswith("-o program") and not starts_it_itself:
            lines += ["echo '$ ./program'", "./program"]
    result = subprocess.run(["bash", "-c", "\n".join(lines)], cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200)
    # cmake names every header that it installs.
    print(f"{name}:", *(line for line in result.stdout.splitlines() if not line.startswith("-- ")), sep="\n")
    if result.returncode != 0:
        fail(f"what {name} says to type fails: exit status {result.returncode} of the last command above")


def shell_quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def main(build, scratch):
    texts = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    names = [str(path.relative_to(root)) for path in texts]
    for name in {*run_here, *not_run} - {*names}:
        fail(f"{name} is in the lists and is no text")
    chosen = {name: check_lists(name, list(commands_of(path.read_text()))) for name, path in zip(names, texts)}
    prepare(build, scratch)
    for name, commands in chosen.items():
        if name == "docs/thread-sanitizer.md" and not has_thread_sanitizer(scratch):
            print(f"{name}: left out, because gcc's ThreadSanitizer is not installed or does not run here")
        elif commands:
            type_in(name, commands, scratch)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
