# Shared by the scripts of this folder: say what happens, install what is missing, build. Sourced, not run.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# What the build needs, the tests included; the rest belongs to single scripts.
build_packages=(build-essential g++ cmake ninja-build pkg-config git ca-certificates libhwloc-dev libgtest-dev
                libbenchmark-dev libcli11-dev nlohmann-json3-dev python3)

say() { printf '==> %s\n' "$*"; }

die() {
  printf 'amity: %s\n' "$*" >&2
  exit 1
}

installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "this needs root and there is no sudo; run as root: $*"
  fi
}

# Once per script: the package lists, and only when something has to be installed.
refresh_package_lists() {
  [[ -z ${package_lists_fresh:-} ]] || return 0
  command -v apt-get >/dev/null || die "this system has no apt-get; install the equivalents of: $*"
  say "apt-get update"
  as_root apt-get -q -o DPkg::Lock::Timeout=600 update >/dev/null ||
    say "apt-get update failed; going on with the package lists that are here"
  package_lists_fresh=1
}

apt_install() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install "$@"; }

# Installs those of its arguments that are missing, in one go, and removes nothing for them.
need_packages() {
  local missing=() package
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  refresh_package_lists "${missing[@]}"
  say "installing: ${missing[*]}"
  apt_install -qq -y --no-install-recommends --no-remove "${missing[@]}" >/dev/null </dev/null ||
    die "could not install: ${missing[*]}"
}

can_build_openmp() {
  printf '#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n' |
    "$1" -fopenmp -x c - -o /dev/null 2>/dev/null
}

# The clang whose OpenMP programs are shown and tested: 22, or else the newest there is. Sets `clang` (empty: none) and
# `clang_packages` (what it lacks). Only one libomp-*-dev can be installed; somebody's other one is not thrown out for ours.
choose_clang() {
  local version
  clang_packages=()
  clang=clang-22
  if can_build_openmp $clang; then
    # For the tests with ThreadSanitizer, which are left out without it.
    if apt_install -qq -s --no-install-recommends --no-remove libclang-rt-22-dev >/dev/null 2>&1; then
      clang_packages=(libclang-rt-22-dev)
    fi
    return
  fi
  refresh_package_lists clang-22
  for version in 22 $(apt-cache pkgnames clang- | sed -n 's/^clang-\([0-9][0-9]*\)$/\1/p' | sort -rn); do
    clang=clang-$version
    clang_packages=("clang-$version" "libomp-$version-dev" "libclang-rt-$version-dev")
    if apt_install -qq -s --no-install-recommends --no-remove "${clang_packages[@]}" >/dev/null 2>&1; then
      ((version == 22)) || say "clang-22 can't be had here; using clang-$version"
      return
    fi
  done
  clang_packages=()
  for clang in $(compgen -c clang | grep -xE 'clang(-[0-9]+)?' | sort -rV); do
    if can_build_openmp "$clang"; then
      say "clang-22 with its libomp can't be had beside what is installed; using $clang"
      return
    fi
  done
  clang=
  say "no clang with an OpenMP library can be had here: only gcc's programs are built"
}

# Runs a command quietly; what it printed is shown where it fails.
quietly() {
  local log
  log=$(mktemp)
  if "$@" >"$log" 2>&1; then
    rm -f "$log"
  else
    local status=$?
    cat "$log" >&2
    rm -f "$log"
    return "$status"
  fi
}

# configure PRESET [-D...]; build PRESET [TARGET...]
configure() {
  local preset=$1
  shift
  quietly cmake --preset "$preset" "$@" || die "configuring the preset '$preset' failed"
}

build() {
  local preset=$1
  shift
  if (($#)); then set -- --target "$@"; fi
  cmake --build --preset "$preset" "$@" || die "building the preset '$preset' failed"
}
