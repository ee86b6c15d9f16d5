#!/bin/bash -p
# how far tensor cores go: matmul in half, bfloat16, TF32 and float on them, rung by rung
#
# A question of our own: the gain of each step from products by warps to persistent clusters, compared with
# the best of cuBLAS and cuBLASLt; and the cost of precision, from TF32 to float's own accuracy. Round, odd
# and rectangular sizes. Needs an H100 or H200. Recorded points are not run again.
set -uo pipefail
# shellcheck source=scripts/experiment.sh
source "${0%/*}/../experiment.sh"

open_experiment tensor-matmul
sizes=1024,2048,4096,8192
rungs=warp_products,warpgroup_products,bulk_copies,specialised,clusters,overlapped
((gpu)) || nothing_to_do "tensor cores need a GPU"
[[ $scale == full ]] || sizes=1024,4096

if only_counters "$@"; then
  count "counters: the rungs in bfloat16; 4096" \
    matmul 4096 --backend cuda --variant "$rungs" --dtype bfloat16 --time-limit 0.3
  close_experiment
fi

if only_energy "$@"; then
  energy_of_ladder bfloat16 4096 - matmul --variant "$rungs,cublas,cublaslt"
fi

for dtype in bfloat16 half; do
  step "$dtype; $sizes" \
    matmul "$sizes" --backend cuda,blas --variant "$rungs,cublas,cublaslt" --dtype $dtype \
    --time-limit 0.3
done
step "float in TF32; $sizes" \
  matmul "$sizes" --backend cuda,blas --variant "$rungs,cublas_tf32,cublaslt" --dtype float \
  --time-limit 0.3
# naive adds up like a serial loop: it and cuBLAS show the error of float itself.
step "float with float's accuracy; $sizes" \
  matmul "$sizes" --backend cuda,blas --variant naive,warp_tiles,bf16x6,fp16x3,cublas \
  --dtype float --time-limit 0.3

if [[ $scale == full ]]; then
  for dtype in bfloat16 half; do
    step "the last rung; $dtype; 16384" \
      matmul 16384 --backend cuda,blas --variant overlapped,cublas,cublaslt --dtype $dtype \
      --time-limit 0.3
  done
  step "the last rungs; float; 16384" \
    matmul 16384 --backend cuda,blas \
    --variant overlapped,bf16x6,fp16x3,cublas,cublas_tf32,cublaslt --dtype float --time-limit 0.3
  for size in 3000 4097 4104 5000x3000x7000; do
    step "odd and rectangular: bfloat16; $size" \
      matmul $size --backend cuda,blas --variant overlapped,cublas,cublaslt --dtype bfloat16 \
      --time-limit 0.3
    step "odd and rectangular: float; $size" \
      matmul $size --backend cuda,blas \
      --variant overlapped,bf16x6,fp16x3,cublas,cublas_tf32,cublaslt --dtype float --time-limit 0.3
  done
fi

close_experiment
