#!/usr/bin/env python3
"""products.py BUILD: whatever a plain `cmake --install BUILD` installs is made by the target `products`, all that script/demo
builds.

Once amity_redirect.so was not: `cmake --install` failed after script/demo, and `amity run` left Python's wheels on their own
runtimes. Nothing is built or installed here: CMake's scripts of installation are compared with what ninja would make.
"""

import os
import pathlib
import re
import subprocess
import sys


def scripts_of_installation(script):
    """The script, and those that it includes: one for each folder that is part of this build."""
    yield script
    for included in re.findall(r'include\("([^"]*/cmake_install\.cmake)"\)', script.read_text()):
        yield from scripts_of_installation(pathlib.Path(included))


def installed_files(build):
    """What the scripts take from the build folder, without the components that have to be named."""
    for script in scripts_of_installation(build / "cmake_install.cmake"):
        default = False
        for condition, files in re.findall(r"^if\((CMAKE_INSTALL_COMPONENT STREQUAL.*)\)$|^ *file\(INSTALL (?:.|\n)*? "
                                           r"FILES((?:[^)\"]|\"[^\"]*\")*)\)",
                                           script.read_text(), flags=re.MULTILINE):
            if condition:
                default = "OR NOT CMAKE_INSTALL_COMPONENT" in condition
            elif default:
                yield from (file for file in re.findall(r'"([^"]*)"', files) if file.startswith(f"{build}/"))


def ask_ninja(build, *question):
    return subprocess.run(["ninja", "-C", build, "-t", *question], check=True, capture_output=True, text=True,
                          timeout=60).stdout.splitlines()


def made_for(build, target):
    """The files of the build folder that ninja makes for the target. Its `-t inputs` leaves out what only a group of targets
    wants."""
    return {str(build / name) for line in ask_ninja(build, "graph", target) for name in re.findall(r'\[label="([^"]*)"', line)}


def made_at_all(build):
    """Those that it makes for any; what CMake writes itself, as AmityConfig.cmake, is not among them."""
    rules = (line.rsplit(": ", 1) for line in ask_ninja(build, "targets", "all"))
    return {str(build / name) for name, rule in rules if rule not in ("phony", "RERUN_CMAKE")}


def main(build):
    products, everything = made_for(build, "products"), made_at_all(build)
    installed = list(dict.fromkeys(installed_files(build)))
    # Other names of a library, those of OpenMP runtimes among them, are links that its own build makes.
    forgotten = [file for file in installed if not {file, os.path.realpath(file)} & products
                 and ({file, os.path.realpath(file)} & everything or not os.path.exists(file))]
    seen = {os.path.basename(file) for file in installed}
    for name in ("amity", "amity_redirect.so", "libamity.so", "AmityConfig.cmake"):
        if name not in seen:
            sys.exit(f"products.py finds no {name} among what is installed, and so proves nothing: {sorted(seen)}")
    for file in forgotten:
        print(f"{file} is installed by default, and the target `products` does not make it: amity_install_product() installs both "
              "ways")
    if forgotten:
        sys.exit(1)
    print(f"{len(installed)} files of the build are installed by default, and `products` makes them")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
