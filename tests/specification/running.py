"""Runs one binary with one number of threads and says what was wrong with it."""

import os
import pathlib
import signal
import subprocess
import tempfile

_FOREIGN = ("OMP_", "GOMP_", "KMP_", "LIBOMP_", "AMITY_")
_OUTPUT_LIMIT = 1 << 16
# What the program's library is called; the first that a probe finds in its own memory map is what is tested.
_PROBE = r"""
#include <omp.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  ++threads;
  char line[4096];
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    char* path = strchr(line, '/');
    char* name = strrchr(line, '/');
    if (name && (!strncmp(name, "/libgomp", 8) || !strncmp(name, "/libomp", 7) || !strncmp(name, "/libiomp5", 9)))
      return fputs(path, stdout), threads < 1;
  }
  return 1;
}
"""


def environment(library: str, threads: int, extra: dict[str, str], tool: pathlib.Path | None = None) -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN)}
    env |= {"LC_ALL": "C", "OMP_NUM_THREADS": str(threads)}
    if library:
        env["LD_LIBRARY_PATH"] = ":".join(filter(None, [library, env.get("LD_LIBRARY_PATH", "")]))
    if tool:
        env["OMP_TOOL_LIBRARIES"] = str(tool.resolve())
    return env | extra


def loaded_library(compiler, library: str) -> str:
    """The OpenMP library that programs of this compiler get; ends everything if there is none."""
    command = compiler.command if compiler.kind != "gfortran" else compiler.command.replace("gfortran", "gcc")
    with tempfile.TemporaryDirectory() as scratch:  # others may be asking at the same time
        source = pathlib.Path(scratch, "probe.c")
        source.write_text(_PROBE)
        subprocess.run([command, "-fopenmp", str(source), "-o", str(source.with_suffix(""))], check=True)
        done = subprocess.run([str(source.with_suffix(""))], env=environment(library, 2, {}), capture_output=True, text=True,
                              timeout=60)
    if done.returncode != 0:
        raise SystemExit(f"a program of {compiler.command} does not run: {done.stdout}{done.stderr}")
    return os.path.realpath(done.stdout.strip())


def run(binary: pathlib.Path, env: dict[str, str], limit: float) -> str:
    """Returns why it failed, or nothing: status 0 and `ok` as the last line."""
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryFile() as output:
        process = subprocess.Popen([str(binary)], cwd=scratch, env=env, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
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
        said = [line for line in output.read(_OUTPUT_LIMIT).decode(errors="replace").splitlines() if line.strip()]
    if status is None:
        return f"not finished in {limit:g} s" + (f": {said[-1]}" if said else "")
    if status < 0:
        return f"{signal.Signals(-status).name}" + (f": {said[-1]}" if said else "")
    if status > 0:
        return f"status {status}: " + ("; ".join(said[:3]) if said else "nothing printed")
    if not said or said[-1] != "ok":
        return f"status 0, but the last line is {said[-1] if said else 'missing'!r}"
    return ""
