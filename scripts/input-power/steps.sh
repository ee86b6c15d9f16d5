#!/bin/bash -p
# the effect of the inputs' values on speed: the same kernels on zeros, ones, noise
#
# A question of our own: power depends on how many bits change, and the clock on power. How much of a
# published rate is due to the input? The last rungs and the libraries, compute-bound and memory-bound, on
# each kind of inputs, with clocks and watts if the device reports them. The same command continues where it
# stopped.
set -uo pipefail
# shellcheck source=scripts/experiment.sh
source "${0%/*}/../experiment.sh"

open_experiment input-power
only_times "$*" "counters say nothing of inputs" "joules are a part of it: make input-power"

# on_each TEXT WORKLOAD SIZE DTYPES VARIANTS
on_each() {
  step "$1: $2 $3; $4" \
    "$2" "$3" --dtype "$4" --variant "$5" --inputs uniform,zeros,ones,sparse,whole,normal,spread \
    --time-limit 0.2 --energy --energy-time 0.5
}

if ((gpu)); then
  # Executions of a millisecond or more, so that the gap between two of them is small.
  wide=4096 n=2048 flat=4096
  if [[ $scale == full ]]; then wide=8192 n=4096 flat=16384; fi
  on_each "tensor cores" matmul $wide bfloat16 cuda/overlapped,blas/cublas
  on_each "tensor cores" matmul $n double cuda/tensor_bulk,cuda/residues,blas/cublas
  on_each "split into narrow parts, and not" matmul $n float cuda/fp16x3,cuda/bf16x6,cuda/warp_tiles,blas/cublas
  on_each "memory" dmv $flat float cuda/streamed
  on_each "memory" conv2d $flat float cuda/turned
  on_each "tensor cores" matmul $wide float cuda/overlapped
  on_each "tensor cores" matmul $wide half cuda/overlapped
  on_each "a product with its transpose" covariance $n double cuda/tensor_bulk,cuda/residues,blas/cublas_syrk
else
  n=512 flat=1024
  if [[ $scale == full ]]; then n=2048 flat=8192; fi
  on_each "cores" matmul $n float,double openmp/panels,blas/openblas
  on_each "cores" covariance $n double openmp/panels,blas/openblas_syrk
  on_each "memory" dmv $flat float openmp/rows,blas/openblas
  on_each "memory" conv2d $flat float openmp/streamed
fi

close_experiment
