"""Runs a command and sees which OpenMP libraries it and its children load.

Two witnesses, neither of which touches the program: /proc/PID/maps of the whole process
group, looked at while it runs, and the dynamic loader's own record (LD_DEBUG=files), for
programs that are over before anybody can look.
"""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

_OPENMP = re.compile(r"/lib(gomp|omp|iomp5|omp5|omp_amity)([-.]\w[-.\w]*)?\.so[.\w]*$|/libomp_amity[^/]*$")
_INITIALISED = re.compile(r"calling init: (/\S+)")
_OUTPUT_LIMIT = 1 << 24
_LOOK_EVERY = 0.01


@dataclass
class Run:
    status: int | None  # None: over its time
    output: str
    errors: str
    mapped: set[str] = field(default_factory=set)  # OpenMP libraries seen in /proc/PID/maps
    loaded: set[str] = field(default_factory=set)  # the same in the loader's record

    @property
    def libraries(self) -> set[str]:
        return self.mapped | self.loaded


def run(command: list[str], folder: pathlib.Path, env: dict[str, str], limit: float) -> Run:
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        env = {**env, "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": scratch + "/loader"}
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
        result = Run(None, "", "")
        end = time.monotonic() + limit
        while (status := process.poll()) is None and time.monotonic() < end:
            result.mapped |= mapped_by_session(process.pid)
            time.sleep(_LOOK_EVERY)
        result.status = status
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        for record in pathlib.Path(scratch).iterdir():
            result.loaded |= openmp_of(_INITIALISED.findall(record.read_text(errors="replace")))
        result.output, result.errors = _text(out), _text(err)
        return result


def openmp_of(paths) -> set[str]:
    """The OpenMP libraries among `paths`, links followed: Amity's go by many names."""
    return {os.path.realpath(path) for path in paths if _OPENMP.search(path)}


def mapped_by_session(leader: int) -> set[str]:
    found = set()
    for entry in os.listdir("/proc"):
        try:
            if entry.isdecimal() and os.getsid(int(entry)) == leader:
                with open(f"/proc/{entry}/maps") as maps:
                    found |= openmp_of({line.split(None, 5)[5].rstrip("\n") for line in maps if ".so" in line})
        except OSError:  # it has ended
            pass
    return found


def _text(file) -> str:
    file.seek(0)
    return file.read(_OUTPUT_LIMIT).decode(errors="replace")
