# Shared by the scripts of this folder: say what happens, install what is missing, build. Sourced, not run.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# What the build needs, the tests included; the rest belongs to single scripts.
build_packages=(build-essential g++ cmake ninja-build pkg-config git ca-certificates libhwloc-dev libgtest-dev
                libbenchmark-dev libcli11-dev nlohmann-json3-dev libucx-dev libpmix-dev opencl-c-headers python3)

say() { printf '==> %s\n' "$*"; }

die() {
  printf 'amity: %s\n' "$*" >&2
  exit 1
}

installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

may_install() { ((EUID == 0)) || command -v sudo >/dev/null; }

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

# The tests' clang programs use what came with clang 16 at the latest.
can_build_openmp() {
  printf '%s\n' '#include <omp.h>' 'int main(void) {' 'omp_depend_t object; int v = 0;' \
    '_Pragma("omp depobj(object) depend(inoutset : v)")' 'return omp_get_max_threads() < 1; }' |
    "$1" -fopenmp -fopenmp-version=51 -x c - -o /dev/null 2>/dev/null
}

# The clang whose OpenMP programs are shown and tested: 22, or else the newest there is. Sets `clang` (empty: none) and
# `clang_packages` (what it lacks). Only one libomp-*-dev can be installed: where somebody has another one, it is not thrown out for
# ours, which is unpacked into build/clang-22 instead.
choose_clang() {
  local version
  if ! may_install; then # what is missing is a second compiler's programs
    choose_clang_that_is_here
    return
  fi
  clang_packages=()
  clang=$root/build/clang-22/bin/clang-22
  if can_build_openmp "$clang"; then
    use_unpacked 22
    return
  fi
  clang=clang-22
  if can_build_openmp $clang; then
    # For the tests with ThreadSanitizer, which are left out without it.
    if apt_install -qq -s --no-install-recommends --no-remove libclang-rt-22-dev >/dev/null 2>&1; then
      clang_packages=(libclang-rt-22-dev)
    fi
    return
  fi
  refresh_package_lists clang-22
  clang_packages=(clang-22 libomp-22-dev libclang-rt-22-dev)
  ! can_install "${clang_packages[@]}" || return 0
  clang_packages=(clang-22 libclang-rt-22-dev)
  ! { can_install "${clang_packages[@]}" && unpack_libomp 22; } || return 0
  for version in $(apt-cache pkgnames clang- | sed -n 's/^clang-\([0-9][0-9]*\)$/\1/p' | sort -rn); do
    clang=clang-$version
    clang_packages=("clang-$version" "libomp-$version-dev" "libclang-rt-$version-dev")
    if can_install "${clang_packages[@]}"; then
      say "clang-22 can't be had here; using clang-$version"
      return
    fi
  done
  clang_packages=()
  if find_clang; then
    say "clang-22 with its libomp can't be had beside what is installed; using $clang"
  else
    say "no clang with an OpenMP library can be had here: only gcc's programs are built"
  fi
}

# The same for a user who does not want to wait for packages: the clang that is here, or none.
choose_clang_that_is_here() {
  clang_packages=()
  clang=$root/build/clang-22/bin/clang-22
  if can_build_openmp "$clang"; then
    use_unpacked 22
  elif ! find_clang; then
    say "no clang with an OpenMP library is installed: only gcc's programs are built"
  fi
}

# The newest installed clang that has an OpenMP library, in `clang`; empty: none.
find_clang() {
  for clang in $(compgen -c clang | grep -xE 'clang(-[0-9]+)?' | sort -rV); do
    ! can_build_openmp "$clang" || return 0
  done
  clang=
  return 1
}

can_install() { may_install && apt_install -qq -s --no-install-recommends --no-remove "$@" >/dev/null 2>&1; }

# unpack_libomp VERSION: that libomp's header and libraries in build/clang-VERSION, and in its bin/ commands of clang's names that
# find them there. They come first in PATH from here on, and `clang` names one.
unpack_libomp() {
  local version=$1 folder=$root/build/clang-$1 name
  if ! can_build_openmp "$folder/bin/clang-$version"; then
    say "another libomp is installed: unpacking clang-$version's into build/clang-$version"
    rm -rf "$folder"
    mkdir -p "$folder/bin" "$folder/packages"
    (
      cd "$folder/packages"
      runtime=$(apt-cache depends "libomp-$version-dev" | sed -n 's/^ *Depends: \(libomp5-[0-9]*\)$/\1/p' | head -n 1)
      quietly apt-get -qq download "libomp-$version-dev" ${runtime:+"$runtime"} &&
        for package in *.deb; do dpkg-deb -x "$package" .. || exit 1; done
    ) || return 1
    for name in clang clang++; do
      cat >"$folder/bin/$name-$version" <<END
#!/bin/sh
# Finds the libomp that is unpacked here; so do the programs that it builds, unless LD_LIBRARY_PATH names another.
export CPATH="$folder/usr/lib/llvm-$version/lib/clang/$version/include\${CPATH:+:\$CPATH}"
export LIBRARY_PATH="$folder/usr/lib/llvm-$version/lib\${LIBRARY_PATH:+:\$LIBRARY_PATH}"
export LD_RUN_PATH="$folder/usr/lib/llvm-$version/lib\${LD_RUN_PATH:+:\$LD_RUN_PATH}"
exec /usr/bin/$name-$version "\$@"
END
      chmod +x "$folder/bin/$name-$version"
    done
  fi
  use_unpacked "$version"
}

use_unpacked() {
  PATH=$root/build/clang-$1/bin:$PATH
  clang=$root/build/clang-$1/bin/clang-$1
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

# make_reference: the C++ reference from the headers' comments, in build/reference. A public name without one is an error. Needs
# doxygen.
make_reference() {
  local output=build/reference
  rm -rf "$output"
  mkdir -p "$output"
  { cat docs/reference/Doxyfile && printf 'OUTPUT_DIRECTORY = %s\nWARN_LOGFILE = %s/warnings\n' "$output" "$output"; } |
    quietly doxygen - || return 1
  [[ -s $output/warnings ]] || return 0
  sed "s|^$root/||" "$output/warnings"
  return 1
}

have_site_tools() { cmp -s docs/site/requirements.txt build/site-tools/installed.txt; }

# site_tools: mkdocs-material in build/site-tools, in the versions of docs/site/requirements.txt. Needs python3-venv.
site_tools() {
  local tools=build/site-tools
  ! have_site_tools || return 0
  say "installing into $tools, from PyPI: mkdocs-material and what it needs (docs/site/requirements.txt)"
  rm -rf "$tools"
  quietly python3 -m venv "$tools" &&
    quietly "$tools/bin/pip" install --disable-pip-version-check -r docs/site/requirements.txt &&
    cp docs/site/requirements.txt "$tools/installed.txt"
}

# make_site SOURCES SITE [REFERENCE]: the documentation as a site, checked; SOURCES is a folder for what it is made of. With the C++
# reference, if its folder is named. Needs site_tools.
make_site() {
  local sources=$1 site=$2 reference=${3-}
  python3 docs/site/sources.py "$sources" "$site" ${reference:+"$reference"} || return 1
  rm -rf "$site"
  NO_MKDOCS_2_WARNING=1 quietly build/site-tools/bin/mkdocs build --strict --config-file "$sources/mkdocs.yml" || return 1
  # For servers only: both hold addresses, which pages on a disk don't have.
  rm -f "$site/404.html" "$site"/sitemap.xml*
  if [[ -n $reference ]]; then
    cp -r "$reference" "$site/reference"
    rm -f "$site/reference/warnings"
    # Doxygen links to a list of nested classes also where it has left them all out.
    grep -rL 'name="nested-classes"' --include='*.html' "$site/reference" |
      xargs -d '\n' sed -i '/^<a href="#nested-classes">Classes<\/a> &#124;$/d'
  fi
  python3 docs/site/check.py "$site"
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
