#!/bin/bash -p
# Installs parlab's missing dependencies on Debian, Ubuntu or Fedora: scripts/install.sh [build] [figures]
# [check] (all three if none is named) [docs]. If nothing is missing, it does and prints nothing.
#
# A dependency counts wherever it comes from: a package, a module, Spack, conda, a private prefix (CPATH,
# LIBRARY_PATH, BOOST_ROOT). NO_INSTALL=1 installs nothing, says what is missing and what is left out without
# it, and fails only if nothing can be built. docs/how-to/install.md has more.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -euo pipefail

declare -A groups=(
  [build]="compiler make program_options context hwloc seccomp zstd rapidjson"
  [figures]="gnuplot sqlite fonts"
  [check]="unit_test git zstdcat"
  [docs]="mkdocs"
)
# Without these something is left out, with a line that says so; everything else works.
declare -A optional=(
  [build]="blas"
  [figures]="gnuplot sqlite fonts"
  [check]="clang_format clang_tidy shellcheck chromium pdftotext slurmctld slurmd slurm munge blis mkdocs"
  [docs]="doxygen"
)
declare -A left_out=(
  [blas]="BLAS on the CPU" [gnuplot]=figures [sqlite]="figures and tables" [fonts]="their usual font"
  [clang_format]="the check of the format" [clang_tidy]="make lint" [shellcheck]="the check of scripts"
  [chromium]="tests of the page" [pdftotext]="a test of the page in print" [slurmctld]="tests of clusters" [slurmd]="tests of clusters"
  [slurm]="tests of clusters" [munge]="tests of clusters" [blis]="a test with another BLAS"
  [mkdocs]="the test of the documentation" [doxygen]="pages of the headers"
)

read -ra compiler <<<"${CXX:-g++}" # of several words, perhaps: ccache g++ -m64
before_options=${CXX:-g++} before_options=${before_options%% -*}

# The header or the command that shows whether a dependency is there.
declare -A header=(
  [program_options]=boost/program_options.hpp [context]=boost/context/fiber.hpp
  [rapidjson]=rapidjson/rapidjson.h [hwloc]=hwloc.h [sqlite]=sqlite3.h
  [seccomp]=seccomp.h [zstd]=zstd.h
  [unit_test]=boost/test/unit_test.hpp
)
# Boost's libraries; its headers come together but without them.
declare -A library=(
  [program_options]=boost_program_options [context]=boost_context
  [unit_test]=boost_unit_test_framework
)
declare -A command_of=(
  [compiler]=${before_options##* } [make]=make [gnuplot]=gnuplot [git]=git [clang_format]=clang-format
  [clang_tidy]=clang-tidy [shellcheck]=shellcheck [chromium]=chromium [pdftotext]=pdftotext [slurmctld]=slurmctld
  [slurmd]=slurmd [slurm]=sbatch [munge]=munged [zstdcat]=zstdcat
  [mkdocs]=mkdocs [doxygen]=doxygen
)
# shellcheck disable=SC2034 # by name, in packages_of
declare -A debian=(
  [compiler]=g++ [make]=make [program_options]=libboost-program-options-dev
  [context]=libboost-context-dev [rapidjson]=rapidjson-dev
  [hwloc]=libhwloc-dev [blas]=libopenblas0-openmp [gnuplot]=gnuplot-nox [sqlite]=libsqlite3-dev
  [fonts]=fonts-dejavu-core [seccomp]=libseccomp-dev [unit_test]=libboost-test-dev [git]=git [clang_format]=clang-format
  [clang_tidy]=clang-tidy [shellcheck]=shellcheck [chromium]=chromium [pdftotext]=poppler-utils
  [slurmctld]=slurmctld [slurmd]=slurmd [slurm]=slurm-client [munge]=munge [blis]=libblis4-openmp
  [zstd]=libzstd-dev [zstdcat]=zstd [mkdocs]=mkdocs [doxygen]=doxygen
)
# shellcheck disable=SC2034 # by name, in packages_of
declare -A fedora=(
  [compiler]=gcc-c++ [make]=make [program_options]=boost-devel [context]=boost-devel
  [rapidjson]=rapidjson-devel [hwloc]=hwloc-devel [blas]=openblas-openmp
  [gnuplot]=gnuplot [sqlite]=sqlite-devel [fonts]=dejavu-sans-fonts [seccomp]=libseccomp-devel [unit_test]=boost-devel [git]=git
  [clang_format]=clang-tools-extra [clang_tidy]=clang-tools-extra [shellcheck]=ShellCheck
  [chromium]=chromium [pdftotext]=poppler-utils [slurmctld]=slurm-slurmctld [slurmd]=slurm-slurmd [slurm]=slurm [munge]=munge [blis]=blis-openmp
  [zstd]=libzstd-devel [zstdcat]=zstd [mkdocs]=mkdocs [doxygen]=doxygen
)

# Other places of headers and libraries, as in the Makefile.
where_headers=(${BOOST_ROOT:+-I"$BOOST_ROOT/include"})
where_libraries=(${BOOST_ROOT:+-L"$BOOST_ROOT/lib"})
if [[ -n ${PKG_CONFIG_PATH:-} ]]; then
  for package in hwloc sqlite3 libzstd RapidJSON; do
    read -ra flags < <(pkg-config --cflags-only-I "$package" 2>/dev/null) || continue
    where_headers+=("${flags[@]}")
  done
fi

# missing_headers NAME...: those whose header is in no folder of the compiler.
missing_headers() {
  local name text=
  for name in "$@"; do
    text+="#if !__has_include(<${header[$name]}>)"$'\n'"missing $name"$'\n#endif\n'
  done
  text=$("${compiler[@]}" "${where_headers[@]}" -E -P -x c++ - <<<"$text" 2>/dev/null) ||
    text=$(printf 'missing %s\n' "$@") # no compiler: nobody knows
  while read -r word name; do
    if [[ $word == missing ]]; then echo "$name"; fi
  done <<<"$text"
}

# links NAME...: whether a program can be linked with these libraries.
links() {
  local name libraries=()
  for name in "$@"; do libraries+=("-l${library[$name]}"); done
  "${compiler[@]}" "${where_libraries[@]}" -Wl,--no-as-needed -x c++ - -o /dev/null \
    "${libraries[@]}" <<<'int main() {}' 2>/dev/null
}

# missing_libraries NAME...: those that the linker does not find; usually it finds all.
missing_libraries() {
  local name
  if links "$@"; then return; fi
  for name in "$@"; do links "$name" || echo "$name"; done
}

# A library that is known to have the CBLAS interface: src/host/blas.cpp loads it.
has_blas() { # SONAME...
  local name folder
  for name in "$@"; do
    for folder in ${LD_LIBRARY_PATH:+${LD_LIBRARY_PATH//:/ }} /usr/lib64 /usr/lib/*-linux-gnu /usr/lib; do
      if compgen -G "$folder/$name*" >/dev/null; then return 0; fi
    done
  done
  return 1
}

# missing_of NAME...: the missing ones, in this order.
missing_of() {
  local name headers=() libraries=()
  for name in "$@"; do
    if [[ -n ${header[$name]:-} ]]; then headers+=("$name"); fi
    if [[ -n ${library[$name]:-} ]]; then libraries+=("$name"); fi
  done
  local absent=" "
  absent+=$({
    if ((${#headers[@]})); then missing_headers "${headers[@]}"; fi
    if ((${#libraries[@]})); then missing_libraries "${libraries[@]}"; fi
  } | while read -r name; do printf '%s ' "$name"; done)
  for name in "$@"; do
    if [[ -n ${header[$name]:-} ]]; then
      if [[ $absent == *" $name "* ]]; then echo "$name"; fi
    elif [[ $name == blas ]]; then
      has_blas libopenblas.so.0 libopenblaso.so.0 libblis.so.4 libflexiblas.so.3 libmkl_rt.so || echo blas
    elif [[ $name == blis ]]; then
      has_blas libblis.so.4 || echo blis
    elif [[ $name == fonts ]]; then
      [[ -n $(compgen -G "/usr/share/fonts/*/*ejavu*") || -n $(compgen -G "/usr/share/fonts/*ejavu*") ]] || echo fonts
    else
      PATH=$PATH:/usr/sbin command -v "${command_of[$name]}" >/dev/null || echo "$name"
    fi
  done
}

asked=("$@")
(($#)) || asked=(build figures check)
needed=() more=()
for group in "${asked[@]}"; do
  [[ -n ${groups[$group]:-} ]] || {
    echo "install.sh: '$group' is no group of packages: use build, figures, check, docs" >&2
    exit 2
  }
  for name in ${groups[$group]}; do
    [[ " ${optional[$group]} " == *" $name "* ]] || needed+=("$name")
  done
  read -ra names <<<"${optional[$group]}"
  more+=("${names[@]}")
done
mapfile -t missing < <(missing_of "${needed[@]}")
mapfile -t wanted < <(missing_of "${more[@]}")
((${#missing[@]} + ${#wanted[@]})) || exit 0

# packages_of FAMILY NAME...: their packages, each once.
packages_of() {
  local -n of=$1
  local name seen=" "
  shift
  for name in "$@"; do
    if [[ $seen != *" ${of[$name]} "* ]]; then seen+="${of[$name]} "; fi
  done
  seen=${seen# }
  echo "${seen% }"
}
family=
if command -v apt-get >/dev/null; then family=debian; elif command -v dnf >/dev/null; then family=fedora; fi

say_what_is_missing() {
  local name what
  for name in "${wanted[@]}"; do
    echo "missing: ${command_of[$name]:-${header[$name]:-$name}}; left out: ${left_out[$name]}" \
      "(package $(packages_of "${family:-debian}" "$name"))"
  done
  ((${#missing[@]})) || return 0
  for name in "${missing[@]}"; do
    what=${library[$name]:+lib${library[$name]}}
    echo "missing: ${what:-${command_of[$name]:-${header[$name]}}} (package $(packages_of "${family:-debian}" "$name")," \
      "or any other: CPATH, LIBRARY_PATH, BOOST_ROOT say where; docs/how-to/install.md)" >&2
  done
}
if [[ ${NO_INSTALL:-0} == 1 || -z $family ]]; then
  [[ -n $family ]] || echo "install.sh: neither apt-get nor dnf is here: nothing was installed"
  say_what_is_missing
  ((${#missing[@]} == 0)) || exit 1
  exit 0
fi

sudo=()
if ((EUID != 0)); then
  sudo=(sudo)
  command -v sudo >/dev/null || {
    say_what_is_missing
    echo "install.sh: as root, install $(packages_of $family "${missing[@]}" "${wanted[@]}")" >&2
    ((${#missing[@]} == 0)) || exit 1
    exit 0
  }
fi
echo "installing packages: $(packages_of $family "${missing[@]}" "${wanted[@]}")"
install_all() { # PACKAGES...
  if [[ $family == debian ]]; then
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "$@" >/dev/null
  else
    "${sudo[@]}" dnf -q -y install --setopt=install_weak_deps=False "$@"
  fi
}
if [[ $family == debian ]]; then
  "${sudo[@]}" apt-get -q update >/dev/null || echo "apt-get update failed; trying the package lists there are"
fi
read -ra packages <<<"$(packages_of $family "${missing[@]}")"
((${#packages[@]} == 0)) || install_all "${packages[@]}" || exit 1
# One by one: if one has no package (Ubuntu has none of chromium), the others are still installed.
for name in "${wanted[@]}"; do
  install_all "$(packages_of $family "$name")" 2>/dev/null || echo "not installed: $(packages_of $family "$name"); left out: ${left_out[$name]}"
done
