"""Where the program and the libraries of this package lie."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent / "_native"
PROGRAM = ROOT / "bin" / "amity"
LIBRARY = ROOT / "lib" / "libomp_amity.so.1"
FOLDER = ROOT / "lib" / "amity"  # for AMITY_REDIRECT
AUDITOR = FOLDER / "amity_redirect.so"
