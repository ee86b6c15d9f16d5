#!/bin/bash -p
# the experiment of the report cslab-dmv: y = A x on every backend, from 1K to 16K
#
# Threads for OpenMP, block sizes for the report's three kernels, everything else at its defaults.
# SCALE=quick stops at 4K and at float with warm caches. Recorded points are not run again.
set -uo pipefail
# shellcheck source=scripts/experiment.sh
source "${0%/*}/../experiment.sh"

open_experiment cslab-dmv
if [[ $scale == full ]]; then
  sizes=1K,2K,4K,7K,8K,14K,16K
  limit=0.25
else
  sizes=1K,2K,4K
  limit=1
fi

if only_counters "$@"; then
  count "counters: all variants at their defaults; 4K, 16K" \
    dmv 4K,16K --backend cuda,blas --time-limit 0.5
  close_experiment
fi

if only_energy "$@"; then energy_of_ladder float 16K 4K dmv; fi

step "CPU: serial, OpenMP on $threads threads, OpenBLAS; $sizes" \
  dmv "$sizes" --backend serial,openmp,blas --threads "$threads" --time-limit $limit

if ((gpu)); then
  step "GPU: block sizes of naive, coalesced, shmem; $sizes" \
    dmv "$sizes" --backend cuda --variant naive,coalesced,shmem --block 16:512:16 --time-limit 0.25
  step "GPU: all variants at their defaults; $sizes" \
    dmv "$sizes" --backend cuda,blas --time-limit 0.5
  if [[ $scale == full ]]; then
    step "GPU: the same in double" dmv "$sizes" --backend cuda,blas --dtype double --time-limit 0.5
    step "GPU: the same with cold caches" dmv "$sizes" --backend cuda,blas --cache cold --time-limit 0.5
  fi
fi

close_experiment
