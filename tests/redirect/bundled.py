"""Libraries that carry an OpenMP runtime of their own, as Python's wheels do: for redirect.py and tests/python."""

import pathlib
import subprocess

_here = pathlib.Path(__file__).resolve().parent


class Maker:
    """By `compiler` (a gcc), in `folder`, which is there."""

    def __init__(self, compiler, folder):
        self.compiler, self.folder = compiler, folder

    def compile_c(self, *arguments):
        subprocess.run([self.compiler, "-O2", *map(str, arguments)], check=True, timeout=60)

    def make(self, name, runtime):
        """A library FOLDER/NAME/NAME.so (tests/guest/plugin.c) that needs `runtime`, a copy of libgomp in FOLDER/NAME.libs.
        `runtime` is as long as libgomp.so.1, which it replaces wherever the copy has it."""
        copy = self.folder / f"{name}.libs" / runtime
        copy.parent.mkdir()
        copy.write_bytes(pathlib.Path(self._libgomp()).read_bytes().replace(b"libgomp.so.1", runtime.encode()))
        library = self.folder / name / f"{name}.so"
        library.parent.mkdir()
        self.compile_c("-fPIC", "-fopenmp", "-c", _here.parent / "guest/plugin.c", "-o", library.with_suffix(".o"))
        self.compile_c("-shared", library.with_suffix(".o"), copy, f"-Wl,-rpath,$ORIGIN/../{name}.libs", "-o", library)
        return library

    def _libgomp(self):
        for name in ("libgomp.so.1", "libgomp.so"):
            printed = subprocess.run([self.compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True,
                                     timeout=60).stdout.strip()
            if pathlib.Path(printed).is_absolute():
                return printed
        raise SystemExit(f"{self.compiler} has no libgomp")
