"""GNU's tests and LLVM's: the source that holds them, found or fetched, and that part of it unpacked into the cache."""

import hashlib
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass

_WANTED = (
    "libgomp/testsuite/libgomp.c/",
    "libgomp/testsuite/libgomp.c++/",
    "libgomp/testsuite/libgomp.c-c++-common/",
    "libgomp/testsuite/libgomp.fortran/",
    "libgomp/testsuite/libgomp.oacc-fortran/pr90030.f90",  # a test of Fortran's includes it
    "include/gomp-constants.h",
    "libgomp/libgomp_g.h",
)

_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"  # what Debian signs its archive with

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
        fortran = suite / "libgomp.fortran"
        for path in sorted(fortran.rglob("*")):
            if re.fullmatch(r"\.[fF](90|95|03|08)?", path.suffix):
                found.append(Source(f"libgomp.fortran/{path.relative_to(fortran)}", path, "fortran"))
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
    """Returns GNU's tests in `tarball`, unpacked before or now."""
    root, digest = unpack_parts(tarball, cache, _WANTED, {"config/config.h": _CONFIG_H})
    if not (root / "libgomp/testsuite/libgomp.c").is_dir():
        raise SystemExit(f"gomp.py: {tarball} holds no libgomp/testsuite")
    return Tree(root, digest)


def fetch_source(package: str, cache: pathlib.Path) -> pathlib.Path:
    """The original source of one of Debian's packages, fetched by apt before or now.

    apt's own lists rarely know sources. It gets lists of its own, in the cache, and so needs no rights.
    """
    folder = cache / "apt"
    if not (found := sorted(folder.glob(f"{package}_*.orig.tar.*"))):
        print(f"fetching the source of {package}", flush=True)
        (folder / "lists/partial").mkdir(parents=True, exist_ok=True)
        (folder / "archives/partial").mkdir(parents=True, exist_ok=True)
        (folder / "sources.list").write_text("".join(_source_lines()))
        apt = ["apt-get", "-qq"]
        for name, value in (("Dir::Etc::SourceList", folder / "sources.list"), ("Dir::Etc::SourceParts", "/dev/null"),
                            ("Dir::State::lists", folder / "lists"), ("Dir::Cache", folder)):
            apt += ["-o", f"{name}={value}"]
        subprocess.run([*apt, "update"], check=True)
        subprocess.run([*apt, "source", "--download-only", "--tar-only", package], cwd=folder, check=True)
        found = sorted(folder.glob(f"{package}_*.orig.tar.*"))
    return found[0]


def _source_lines() -> list[str]:
    """The places that this system has Debian's packages from, as places of their sources."""
    wanted = f"deb-src [signed-by={_KEYS}] $(REPO_URI) $(RELEASE) $(COMPONENT)"
    command = ["apt-get", "indextargets", "--format", wanted, "Created-By: Packages", "Origin: Debian"]
    return sorted({line + "\n" for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()})


def unpack_parts(tarball: pathlib.Path, cache: pathlib.Path, wanted: tuple[str, ...],
                 added: dict[str, str]) -> tuple[pathlib.Path, str]:
    """Unpacks the members under the paths `wanted` unless they are there, with files `added`: the folder, its digest."""
    stat = tarball.stat()
    extra = "".join(added.values())
    identity = hashlib.sha256(f"{tarball.name} {stat.st_size} {stat.st_mtime_ns} {wanted} {extra}".encode()).hexdigest()[:16]
    root = cache / f"source-{identity}"
    if not root.is_dir():
        print(f"unpacking the tests of {tarball}", flush=True)
        cache.mkdir(parents=True, exist_ok=True)
        fresh = pathlib.Path(tempfile.mkdtemp(dir=cache))
        _extract(tarball, fresh, wanted)
        for name, text in added.items():
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            (fresh / name).write_text(text)
        (fresh / "digest").write_text(_digest(fresh))
        try:
            fresh.rename(root)
        except OSError:  # another run was first
            shutil.rmtree(fresh)
    return root, (root / "digest").read_text()


def _extract(tarball: pathlib.Path, target: pathlib.Path, wanted: tuple[str, ...]) -> None:
    with tarfile.open(tarball, "r|*") as archive:
        for member in archive:
            _, _, inner = member.name.partition("/")
            if member.isfile() and inner.startswith(wanted):
                path = target / inner
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.extractfile(member).read())


def _digest(root: pathlib.Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.is_file():
            digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
