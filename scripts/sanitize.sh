#!/bin/bash
# Every CUDA variant at odd sizes under the four tools of NVIDIA's compute-sanitizer, on the GPU.
# scripts/sanitize.sh [WORKLOAD ...]; without arguments all of them. TOOLS=memcheck chooses a tool.
# Exit status 1: errors were found.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

command -v compute-sanitizer >/dev/null || PATH+=:/usr/local/cuda/bin
command -v compute-sanitizer >/dev/null || {
  echo "compute-sanitizer not found: it comes with the CUDA toolkit" >&2
  exit 2
}
nvidia-smi -L >/dev/null 2>&1 || {
  echo "no GPU here: without one, bin/parlab-emulated finds the same kinds of faults" >&2
  exit 2
}
sizes() {
  case $1 in
    vector_sum) echo 1 100003 5000001 ;;
    matmul) echo 133x65x257 260x100x132 ;;
    convsep) echo 70x1003x16 257x301x3 33x17x40 ;;
    *) echo 257x1003 3x4099 260x132 ;;
  esac
}
dtypes() {
  case $1 in
    matmul) echo float double half bfloat16 ;;
    *) echo float double ;;
  esac
}
workloads=("$@")
(($#)) || mapfile -t workloads < <(basename -a cuda/*/)
failures=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for workload in "${workloads[@]}"; do
  for tool in ${TOOLS:-memcheck racecheck initcheck synccheck}; do
    for size in $(sizes "$workload"); do
      for dtype in $(dtypes "$workload"); do
        # A kernel that waits for another one never ends when they are serialised: 2 minutes each.
        timeout 120 compute-sanitizer --tool $tool --error-exitcode 9 bin/parlab execute-once \
          "$workload" "$size" $dtype >"$log" 2>&1
        status=$?
        printf '  %-9s %s %s %s: %s\n' $tool "$workload" "$size" $dtype \
          "$( ((status == 0)) && echo clean || echo "exit status $status")"
        ((status == 0)) && continue
        failures=$((failures + 1))
        tail -n 20 "$log"
      done
    done
  done
done
((failures == 0)) || {
  echo "$failures runs with errors" >&2
  exit 1
}
