#!/bin/bash -p
# the experiment of the report patras-cuda, exercise 2: y = A^T (A x) on every backend
#
# The report's sizes in double, and on to 16384; then float. Block sizes for its kernel and the one below,
# everything else at its defaults. After an execution of five seconds larger sizes are left out. SCALE=quick
# stops at 4096. Recorded points are not run again.
set -uo pipefail
# shellcheck source=scripts/experiment.sh
source "${0%/*}/../experiment.sh"

open_experiment patras-atax
report=4096,8000,10000,12000
if [[ $scale == full ]]; then
  sizes=1024,2048,4096,8000,8192,10000,12000,16384
else
  sizes=512,1024,2048,4096
  report=4096
fi

if only_counters "$@"; then
  count "counters: all variants in double at their defaults; 4096, 12000" \
    atax 4096,12000 --dtype double --backend cuda,blas --time-limit 0.5
  close_experiment
fi

if only_energy "$@"; then energy_of_ladder double 12000 4096 atax; fi

step "CPU: serial, OpenMP and OpenBLAS on ${threads##*,} threads, double; $sizes" \
  atax "$sizes" --dtype double --backend serial,openmp,blas --time-limit 1 --point-limit 5
step "CPU: the same in float" \
  atax "$sizes" --dtype float --backend serial,openmp,blas --time-limit 0.5 --point-limit 5

if ((gpu)); then
  step "GPU: the report's block sizes, and smaller and larger ones; double; $report" \
    atax "$report" --dtype double --backend cuda --variant naive,shared \
    --block 16,32,64,128,256,512,1024 --time-limit 0.25
  step "GPU: all variants at their defaults, double; $sizes" \
    atax "$sizes" --dtype double --backend cuda,blas --time-limit 0.5
  step "GPU: the same in float" \
    atax "$sizes" --dtype float --backend cuda,blas --time-limit 0.5
  if [[ $scale == full ]]; then
    step "GPU: blocks and teams of the last rung; $sizes" \
      atax "$sizes" --backend cuda --variant bulk --dtype double,float \
      --block 128,256 --team 1:16:*2 --time-limit 0.1
    step "GPU: double with cold caches; $report" \
      atax "$report" --dtype double --backend cuda,blas --cache cold --time-limit 0.5
  fi
fi

close_experiment
