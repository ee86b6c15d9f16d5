#!/bin/bash
# Installs the Debian 12 packages parlab needs: scripts/install.sh [build] [figures] [check]
# (all three when none is named). Nothing missing: says nothing, touches nothing. NO_INSTALL=1:
# installs nothing, says what is missing, and fails only when the named groups cannot do without.
set -euo pipefail

declare -A packages=(
  [build]="g++ make libboost-program-options-dev libboost-context-dev nlohmann-json3-dev
           rapidjson-dev libopenblas-openmp-dev libhwloc-dev libseccomp-dev"
  [figures]="gnuplot-nox libsqlite3-dev fonts-dejavu-core"
  [check]="libboost-test-dev git"
)
# What has another package that serves as well, by the command it brings.
declare -A command_of=([g++]=g++ [make]=make [git]=git [gnuplot-nox]=gnuplot
                       [clang-format]=clang-format [clang-tidy]=clang-tidy [shellcheck]=shellcheck
                       [chromium]=chromium)
# Without these some pieces of the check are skipped, with a line that says so.
optional_packages="clang-format clang-tidy shellcheck chromium slurmctld slurmd slurm-client munge"

is_missing() {
  local command=${command_of[$1]:-}
  if [[ -n $command ]]; then
    [[ -z $(command -v "$command") ]]
  else
    [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) != "install ok installed" ]]
  fi
}

missing_of() {
  local package
  for package in "$@"; do
    if is_missing "$package"; then echo "$package"; fi
  done
}

groups=("$@")
(($#)) || groups=(build figures check)
needed=() optional=()
for group in "${groups[@]}"; do
  [[ -n ${packages[$group]:-} ]] || {
    echo "install.sh: '$group' is no group of packages: use build, figures, check" >&2
    exit 2
  }
  read -rd '' -a names <<<"${packages[$group]}" || true
  needed+=("${names[@]}")
  [[ $group == check ]] && read -ra optional <<<"$optional_packages"
done

if ! command -v dpkg-query >/dev/null; then
  echo "install.sh: not a Debian system, nothing was installed; needed are the equivalents of:" \
    "${needed[*]} ${optional[*]}"
  exit 0
fi

mapfile -t missing < <(missing_of "${needed[@]}")
mapfile -t left_out < <(missing_of "${optional[@]}")
((${#missing[@]} + ${#left_out[@]})) || exit 0

if [[ ${NO_INSTALL:-0} == 1 ]]; then
  ((${#left_out[@]} == 0)) || echo "missing, left out (NO_INSTALL=1): ${left_out[*]}"
  ((${#missing[@]} == 0)) || {
    echo "missing (NO_INSTALL=1): install ${missing[*]}" >&2
    exit 1
  }
  exit 0
fi

sudo=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || {
    echo "install.sh: as root, run: apt-get install ${missing[*]} ${left_out[*]}" >&2
    exit 1
  }
  sudo=(sudo)
fi
echo "installing Debian packages: ${missing[*]} ${left_out[*]}"
apt_get=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q)
"${apt_get[@]}" update >/dev/null || echo "apt-get update failed; trying the package lists there are"
install=("${apt_get[@]}" install -y --no-install-recommends)
"${install[@]}" "${missing[@]}" "${left_out[@]}" >/dev/null || {
  ((${#left_out[@]})) || exit 1
  echo "apt-get failed; once more without what can be left out: ${left_out[*]}"
  ((${#missing[@]} == 0)) || "${install[@]}" "${missing[@]}" >/dev/null
}
