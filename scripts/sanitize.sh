#!/bin/bash -p
# Runs every CUDA variant at odd sizes under the four tools of NVIDIA's compute-sanitizer, on the GPU.
# scripts/sanitize.sh [WORKLOAD ...]; without arguments all of them. TOOLS=memcheck chooses a tool. Exit
# status 1: errors were found.
set -uo pipefail
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
go_to_base

command -v compute-sanitizer >/dev/null || PATH+=:/usr/local/cuda/bin
command -v compute-sanitizer >/dev/null || {
  echo "compute-sanitizer not found: it comes with the CUDA toolkit" >&2
  exit 2
}
[[ -n $(gpus) ]] || {
  echo "no GPU here: without one, bin/parlab-emulated finds the same kinds of faults" >&2
  exit 2
}
# By the number of extents: a product, a matrix or image, a vector.
sizes() {
  case "$1 $(bin/"$1" --help | sed -n 's/^ *dimensions: //p')" in
    convsep*) echo 70x1003x16 257x301x3 33x17x40 132x260x24 ;; # its radius, too
    *\ x*\ x*) echo 133x65x257 260x100x132 ;;
    *\ x*) echo 257x1003 3x4099 260x132 ;;
    *) echo 1 100003 5000001 ;;
  esac
}
workloads=("$@")
(($#)) || mapfile -t workloads < <(basename -a cuda/*/)

# one TOOL WORKLOAD SIZE DTYPE: prints a line for it, and the tool's output if it found something.
one() {
  local log status
  # A kernel that waits for another one never ends if they are serialised: 5 minutes each.
  log=$(timeout 300 compute-sanitizer --tool "$1" --error-exitcode 9 bin/parlab execute-once \
    "${@:2}" 2>&1)
  status=$?
  if ((status == 0)); then
    printf '  %-9s %s %s %s: clean\n' "$@"
  else
    printf '  %-9s %s %s %s: exit status %s\n%s\n' "$@" $status "$(tail -n 20 <<<"$log")"
    exit 1
  fi
}
export -f one

# Nothing is timed, so one runs per core, at most twelve, the slowest tool first.
cores=$(cpus)
for tool in ${TOOLS:-racecheck memcheck initcheck synccheck}; do
  for workload in "${workloads[@]}"; do
    for size in $(sizes "$workload"); do
      for dtype in $(dtypes_of bin/parlab "$workload/cuda/"); do
        echo "$tool $workload $size $dtype"
      done
    done
  done
done | xargs -P "$((cores < 12 ? cores : 12))" -L 1 bash -c 'one "$@"' one || {
  echo "some runs had errors" >&2
  exit 1
}
