"""Runs one built test and says how it ended."""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field

from directives import Plan

# What would change a test from outside.
_FOREIGN = ("OMP_", "GOMP_", "KMP_", "LIBOMP_", "ACC_")
_LOAD_ERRORS = ("symbol lookup error", "relocation error", "error while loading shared libraries", "not found (required by")
_OUTPUT_LIMIT = 1 << 20


@dataclass
class Setting:
    """How the tests are run: `runner` is put before each, `library` first on the loader's path."""

    runner: list[str] = field(default_factory=list)
    library: str = ""
    threads: int | None = None
    time_limit: float = 30.0

    def environment(self, extra: dict[str, str]) -> dict[str, str]:
        env = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN)}
        env |= {"LC_ALL": "C", "LANG": "C"}
        if self.library:
            env["LD_LIBRARY_PATH"] = ":".join(filter(None, [self.library, env.get("LD_LIBRARY_PATH", "")]))
        if self.threads:
            env["OMP_NUM_THREADS"] = str(self.threads)
        return env | extra


@dataclass
class Ending:
    """`kind` is pass, load error, timeout, signal, exit status or wrong output."""

    kind: str
    detail: str = ""
    output: str = ""

    @property
    def passed(self) -> bool:
        return self.kind == "pass"


def run(binary: pathlib.Path, plan: Plan, setting: Setting) -> Ending:
    limit = min(plan.time_limit or setting.time_limit, setting.time_limit) * plan.time_factor
    with tempfile.TemporaryDirectory() as scratch:
        status, output = run_limited([*setting.runner, str(binary)], scratch, setting.environment(plan.environment), limit)
    return judge(status, output.replace(str(binary), "TEST").replace(binary.name, "TEST"), plan, limit)


def run_limited(command: list[str], folder: str, env: dict[str, str], limit: float) -> tuple[int | None, str]:
    """Runs a command in a process group of its own, and ends the whole group. None: over its time."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True,
        )
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        output.seek(0)
        return status, output.read(_OUTPUT_LIMIT).decode(errors="replace")


def judge(status: int | None, output: str, plan: Plan, limit: float) -> Ending:
    last = next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "")
    loading = next((line.strip() for line in output.splitlines() if any(e in line for e in _LOAD_ERRORS)), "")
    if status is None:
        return Ending("timeout", f"after {limit:g} s{': ' + last if last else ''}", output)
    if status != 0 and loading:
        return Ending("load error", loading, output)
    if (status != 0) != plan.should_fail:
        wanted = " where a failure is expected" if plan.should_fail else ""
        number = -status if status < 0 else status - 128 if 128 < status < 160 else 0
        kind = "signal" if number else "exit status"
        name = signal.Signals(number).name if number in signal.valid_signals() else str(status)
        return Ending(kind, f"{name}{wanted}{': ' + last if last else ''}", output)
    if plan.output and not re.search(plan.output, output):
        return Ending("wrong output", f"wanted {plan.output!r}, got {output[-200:]!r}", output)
    return Ending("pass", "", output)
