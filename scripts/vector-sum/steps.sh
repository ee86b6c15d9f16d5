#!/bin/bash -p
# the experiment of the report vector-sum: the sum of n elements, from 32K to 256K, and on to 256M
#
# The report's two kernels with its block sizes, all other variants at their defaults; int, as in the report's
# code, then float and double. Every time is that of a whole sum. SCALE=quick stops at 4M. Recorded points are
# not run again.
set -uo pipefail
# shellcheck source=scripts/experiment.sh
source "${0%/*}/../experiment.sh"

open_experiment vector-sum
report=32K,64K,128K,256K
blocks=32,128,256,1024
large=1,4 # millions
if [[ $scale == full ]]; then large+=,16,64,256; fi

# x and the ones of the dot products as double, with their copies: 64 bytes per element are plenty.
free_mib=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)
while ((64 * ${large##*,} > free_mib)) && [[ $large == *,* ]]; do large=${large%,*}; done
large=${large//,/M,}M

if only_counters "$@"; then
  beyond_l2=64M
  [[ ,$large, == *,$beyond_l2,* ]] || beyond_l2=${large##*,}
  count "counters: rw and brw in int, all block sizes; $report" \
    vector_sum "$report" --dtype int --backend cuda --variant rw,brw --block "$blocks" --time-limit 0.25
  count "counters: all variants in float at their defaults; 256K, $beyond_l2" \
    vector_sum "256K,$beyond_l2" --dtype float --backend cuda,blas --time-limit 0.5
  close_experiment
fi

if only_energy "$@"; then energy_of_ladder float 64M 16M vector_sum; fi

step "CPU: serial, OpenMP on $threads threads, OpenBLAS; $report" \
  vector_sum "$report" --dtype int,float,double --backend serial,openmp,blas \
  --threads "$threads" --time-limit 0.25
step "CPU: the same on all cores; $large" \
  vector_sum "$large" --dtype float,double --backend serial,openmp,blas --time-limit 1

if ((gpu)); then
  step "GPU: block sizes of rw and brw; $report" \
    vector_sum "$report" --dtype int,float,double --backend cuda --variant rw,brw \
    --block "$blocks" --time-limit 0.25
  step "GPU: all variants at their defaults; $report" \
    vector_sum "$report" --dtype int,float,double --backend cuda,blas --time-limit 0.5
  step "GPU: the same; $large" \
    vector_sum "$large" --dtype float,double --backend cuda,blas --time-limit 0.5
  if [[ $scale == full ]]; then
    step "GPU: the same with cold caches; $report,$large" \
      vector_sum "$report,$large" --dtype float --backend cuda,blas --cache cold --time-limit 0.5
  fi
fi

close_experiment
