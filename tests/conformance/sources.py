"""GNU's tests: found in Debian's gcc-12-source and unpacked, that part of it, into the cache."""

import hashlib
import pathlib
import shutil
import tarfile
import tempfile
from dataclasses import dataclass

_WANTED = (
    "libgomp/testsuite/libgomp.c/",
    "libgomp/testsuite/libgomp.c++/",
    "libgomp/testsuite/libgomp.c-c++-common/",
    "include/gomp-constants.h",
    "libgomp/libgomp_g.h",
)

# What libgomp's configure finds on Linux, as far as its tests look at it.
_CONFIG_H = """\
#define HAVE_ATTRIBUTE_VISIBILITY 1
#define HAVE_PTHREAD_AFFINITY_NP 1
#define HAVE_SYNC_BUILTINS 1
#define HAVE_TLS 1
#define HAVE_UNISTD_H 1
"""


@dataclass(frozen=True)
class Tree:
    """An unpacked tree. `digest` names its contents."""

    root: pathlib.Path
    digest: str

    @property
    def include_folders(self) -> list[pathlib.Path]:
        return [self.root / "config", self.root / "include", self.root / "libgomp"]

    def tests(self) -> list["Source"]:
        suite = self.root / "libgomp/testsuite"
        common = suite / "libgomp.c-c++-common"
        found = []
        for language, folder, suffix in (("c", "libgomp.c", "*.c"), ("c++", "libgomp.c++", "*.C")):
            for path in sorted((suite / folder).rglob(suffix)):
                found.append(Source(f"{folder}/{path.relative_to(suite / folder)}", path, language))
            for path in sorted(common.rglob("*.c")):
                found.append(Source(f"{folder}/common/{path.relative_to(common)}", path, language))
        return found


@dataclass(frozen=True)
class Source:
    """One file of the tests in one language: files in libgomp.c-c++-common come twice."""

    name: str
    path: pathlib.Path
    language: str


def find_tarball() -> pathlib.Path:
    found = sorted(pathlib.Path("/usr/src/gcc-12").glob("gcc-12*.tar.*"))
    if not found:
        raise SystemExit("gomp.py: no /usr/src/gcc-12/gcc-12*.tar.*: install Debian's package gcc-12-source, or give --source")
    return found[0]


def unpack(tarball: pathlib.Path, cache: pathlib.Path) -> Tree:
    """Returns the tree of `tarball`, unpacked before or now."""
    stat = tarball.stat()
    identity = hashlib.sha256(f"{tarball.name} {stat.st_size} {stat.st_mtime_ns} {_WANTED} {_CONFIG_H}".encode()).hexdigest()[:16]
    root = cache / f"source-{identity}"
    if not root.is_dir():
        print(f"unpacking the tests of {tarball}", flush=True)
        cache.mkdir(parents=True, exist_ok=True)
        fresh = pathlib.Path(tempfile.mkdtemp(dir=cache))
        _extract(tarball, fresh)
        (fresh / "config").mkdir()
        (fresh / "config/config.h").write_text(_CONFIG_H)
        (fresh / "digest").write_text(_digest(fresh))
        try:
            fresh.rename(root)
        except OSError:  # another run was first
            shutil.rmtree(fresh)
    return Tree(root, (root / "digest").read_text())


def _extract(tarball: pathlib.Path, target: pathlib.Path) -> None:
    with tarfile.open(tarball, "r|*") as archive:
        for member in archive:
            _, _, inner = member.name.partition("/")
            if member.isfile() and inner.startswith(_WANTED):
                path = target / inner
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.extractfile(member).read())
    if not (target / "libgomp/testsuite/libgomp.c").is_dir():
        raise SystemExit(f"gomp.py: {tarball} holds no libgomp/testsuite")


def _digest(root: pathlib.Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.is_file():
            digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
