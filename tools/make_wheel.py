#!/usr/bin/env python3
"""make_wheel.py BUILD FOLDER: of the products in BUILD, the Python package amity-runtime as a wheel in FOLDER. Prints its path.

Needs setuptools, wheel and pip (Debian's python3-setuptools, python3-wheel, python3-pip), and no network. A wheel can hold no
links: each library is there once, by the name that programs ask for, and amity_redirect.so leads the names of OpenMP runtimes
to it.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# What UCX and the MPIs are spoken to with is left out: it needs their libraries, which a virtual environment does not have.
FILES = ("bin/amity", "lib/libomp_amity.so.1", "lib/libamity.so.0", "lib/amity/amity_redirect.so", "lib/amity/libamity_nodes.so")


def say_and_run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"make_wheel: {' '.join(map(str, command))} failed ({done.returncode}):\n{done.stdout}")
    return done.stdout


def oldest_glibc(files):
    """Of the versions that their symbols name, the newest."""
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", say_and_run("readelf", "-VW", *files))
    return max((int(major), int(minor)) for major, minor in versions)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, folder = (pathlib.Path(each).resolve() for each in sys.argv[1:])
    installed, staged = folder / "installed", folder / "staged"
    for each in (installed, staged):
        shutil.rmtree(each, ignore_errors=True)
    for component in ("runtime", "program"):
        say_and_run("cmake", "--install", build, "--prefix", installed, "--component", component)

    shutil.copytree(ROOT / "python", staged, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    shutil.copy(ROOT / "LICENSE", staged)
    version = re.search(r"project\([^)]*?VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    (staged / "amity/_version.py").write_text(f'__version__ = "{version}"\n')
    files = []
    for name in FILES:
        file = staged / "amity/_native" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(installed / name, file)  # what a link leads to
        files.append(file)

    major, minor = oldest_glibc(files)
    environment = {**os.environ, "AMITY_WHEEL_PLATFORM": f"manylinux_{major}_{minor}_{platform.machine()}"}
    for old in folder.glob("*.whl"):
        old.unlink()
    say_and_run(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", folder, staged,
                env=environment)
    print(*folder.glob("*.whl"))


main()
