#!/bin/bash -p
# the experiment of the report patras-cuda, exercise 1: a 3x3 convolution on every backend
#
# The report's sizes in double and float, including 10000, which did not fit its card, and powers of two up to
# 16384; the naive kernel with square blocks of 8, 16 and 32, everything else at its defaults. SCALE=quick: up
# to 5000. Recorded points are not run again.
set -uo pipefail
# shellcheck source=scripts/experiment.sh
source "${0%/*}/../experiment.sh"

open_experiment patras-convolution
report=4096,5000,6000,7000,8000,9000
if [[ $scale == full ]]; then
  cpu_sizes=512,1024,2048,$report,8192,10000
  sizes=$cpu_sizes,16384
  cpu_limit=0.5
else
  cpu_sizes=512,1024,2048,4096,5000
  sizes=$cpu_sizes
  report=4096,5000
  cpu_limit=0.4
fi

if only_counters "$@"; then
  count "counters: all variants at their defaults; 8192" \
    conv2d 8192 --dtype double,float --backend cuda --time-limit 0.5
  close_experiment
fi

if only_energy "$@"; then energy_of_ladder double 8192 4096 conv2d; fi

step "CPU: serial, OpenMP on ${threads##*,} threads, double; $cpu_sizes" \
  conv2d "$cpu_sizes" --dtype double --backend serial,openmp --time-limit $cpu_limit
step "CPU: the same in float" \
  conv2d "$cpu_sizes" --dtype float --backend serial,openmp --time-limit $cpu_limit

if ((gpu)); then
  for block in 8 16 32; do
    step "GPU: the report's kernel with blocks of $block x $block; $report" \
      conv2d "$report" --dtype double,float --variant cuda/naive \
      --block_x "$block" --block_y "$block" --time-limit 0.25
  done
  step "GPU: all variants at their defaults, double; $sizes" \
    conv2d "$sizes" --dtype double --backend cuda --time-limit 0.5
  step "GPU: the same in float" \
    conv2d "$sizes" --dtype float --backend cuda --time-limit 0.5
  if [[ $scale == full ]]; then
    step "GPU: double with cold caches; 4096,8192,9000" \
      conv2d 4096,8192,9000 --dtype double --backend cuda --cache cold --time-limit 0.5
  fi
fi

close_experiment
