"""What the compiler and the machine can do: the effective targets that the tests ask for."""

import functools
import pathlib
import subprocess
import tempfile

# Always so, on the 64-bit Linux machines that this script is for.
_YES = {
    "__float128", "fd_truncate", "fpic", "large_long_double", "lp64", "shared", "size32plus", "sync_char_short",
    "sync_int_long", "tls", "tls_runtime", "vect_simd_clones", "alias",
}
# No offloading: devices are not the subject. Short runs: as GCC's own default.
_NO = {
    "aarch64_tiny", "ia32", "run_expensive_tests", "offload_device", "offload_device_any_intel_mic",
    "offload_device_nonshared_as", "offload_device_nvptx", "offload_device_shared_as",
    "offload_target_amdgcn", "offload_target_nvptx",
}
_CPU_FLAGS = {"sse2_runtime": "sse2", "avx_runtime": "avx"}


class Targets:
    """Answers for the effective targets of one compiler in one language."""

    def __init__(self, compiler: str, language: str):
        self._compiler = compiler
        self._language = language
        self.triplet = _gcc_triplet(compiler)

    def has(self, keyword: str) -> bool | None:
        if keyword in ("c", "c++"):
            return keyword == self._language
        if keyword in _CPU_FLAGS:
            return _CPU_FLAGS[keyword] in _cpu_flags()
        if keyword in ("__float128", "vect_simd_clones") and not self.triplet.startswith("x86_64"):
            return False
        if keyword == "lto":
            return _has_lto(self._compiler)
        if keyword in _YES:
            return True
        if keyword in _NO:
            return False
        return None


@functools.cache
def _gcc_triplet(compiler: str) -> str:
    """The name of the machine as DejaGnu spells it: x86_64-pc-linux-gnu, with the vendor."""
    out = subprocess.run([compiler, "-dumpmachine"], capture_output=True, text=True, check=True).stdout.strip()
    parts = out.split("-")
    return "-".join([parts[0], "unknown", *parts[1:]]) if len(parts) == 3 else out


@functools.cache
def _cpu_flags() -> frozenset[str]:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            return frozenset(line.split(":", 1)[1].split())
    return frozenset()


@functools.cache
def _has_lto(compiler: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        command = [compiler, "-flto", "-x", "c", "-", "-o", folder + "/a"]
        return subprocess.run(command, input="int main(void){return 0;}", text=True, capture_output=True).returncode == 0
