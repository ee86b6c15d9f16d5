#!/bin/bash -p
# the experiment of the report tiled-matmul: C = A B with tiles of several widths, and what follows
#
# The report's two kernels in int at 1000 and 2000, with every tile width and granularity; the whole ladder
# and the libraries in float up to 8K. SCALE=quick: the CPU only, up to 1024. Recorded points are not run
# again.
set -uo pipefail
# shellcheck source=scripts/experiment.sh
source "${0%/*}/../experiment.sh"

open_experiment tiled-matmul
if [[ $scale == full ]]; then
  sizes=1000,1024,2000,2048,4096,8192
  cpu_sizes=1000,1024,2000,2048,4096
  serial_sizes=1000,1024
  cpu_limit=1
else
  sizes=256,512,1000,1024
  cpu_sizes=$sizes
  serial_sizes=256,512
  cpu_limit=0.5
fi
cores=${threads##*,}
tiled_sizes=${sizes%,8192} # at 8192 the slow ones take a third of a second, times nine

if only_counters "$@"; then
  count "counters: all variants in float at their defaults; 2048" \
    matmul 2048 --backend cuda,blas --dtype float --time-limit 0.5
  close_experiment
fi

if only_energy "$@"; then energy_of_ladder float 4096 1024 matmul; fi

step "CPU: serial; $serial_sizes" \
  matmul "$serial_sizes" --backend serial --dtype float --time-limit $cpu_limit
step "CPU: OpenMP on $cores threads, and the libraries; $cpu_sizes" \
  matmul "$cpu_sizes" --backend openmp,blas --dtype float --threads "$cores" \
  --time-limit $cpu_limit

if ((gpu)); then
  step "GPU: the report's kernels in int, all tile widths and granularities; 1000, 2000" \
    matmul 1000,2000 --backend cuda --variant naive,tiled,granularity --dtype int \
    --tile 8,16,32 --granularity 1,2,4 --time-limit 0.5
  step "GPU: the same in float; $tiled_sizes" \
    matmul "$tiled_sizes" --backend cuda --variant naive,tiled,granularity --dtype float \
    --tile 8,16,32 --granularity 1,2,4 --time-limit 0.25
  step "GPU: all variants in float at their defaults; $sizes" \
    matmul "$sizes" --backend cuda,blas --dtype float --time-limit 0.5
  if [[ $scale == full ]]; then
    step "GPU: the last rungs in int; 1000, 2000" \
      matmul 1000,2000 --backend cuda --variant register,wide,async,warp_tiles --dtype int \
      --time-limit 0.5
    step "GPU: the last rungs in double, and cuBLAS; $sizes" \
      matmul "$sizes" --backend cuda,blas --variant warp_tiles,tensor,tensor_bulk,residues,cublas \
      --dtype double --time-limit 0.5
  fi
fi

close_experiment
