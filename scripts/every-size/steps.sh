#!/bin/bash -p
# no cliffs: the last rungs and the libraries at sizes and shapes that nobody tuned for
#
# A question of our own: squares from 100 to 20000, including primes and the neighbours of powers of two, and
# shapes from 64:1 to 1:64. Without a GPU it measures the CPU at ten sizes up to 1024; with one, SCALE=quick
# has half of the sizes. Recorded points are not run again.
set -uo pipefail
# shellcheck source=scripts/experiment.sh
source "${0%/*}/../experiment.sh"

open_experiment every-size
only_times "$*" "counters are read at the sizes of the other experiments" \
  "energy is measured at the sizes of the other experiments"

quick=100,128,129,257,509,512,513,1000,1023,1024
most=$quick,127,255,500,1009,1025,1500,2003,2047,2049,3000,4095,4097,5120,7001,8191,8193,10007,12345,16383,20000
full=$most,101,200,211,256,307,400,503,511,700,1400,1800,2000,2048,2500,3001,3600,4000,4096,5000
full+=,5003,6000,7168,8000,8192,9000,10000,12000,14000,15013,16000,16384,16385,18000,19997
sizes=$quick side=512 longer=8
if ((gpu)); then
  sizes=$([[ $scale == full ]] && echo "$full" || echo "$most")
  side=4096 longer="2 4 8"
fi

# up_to SIZE: the sizes that are no larger.
up_to() { tr , '\n' <<<"$sizes" | awk -v most="$1" '$1 <= most' | paste -sd ,; }
# The time of a matrix product grows faster than its matrices.
if ((gpu)); then products=$(up_to 8193); else products=$(up_to 513); fi
# Vectors with as many elements as the squares.
elements=$(tr , '\n' <<<"$sizes" | awk '{ print $1 * $1 }' | paste -sd ,)
# Shapes with about side^2 elements, from 64:1 to 1:64, round and odd.
shapes=
for long in $longer; do
  high=$((side * long)) low=$((side / long))
  shapes+=,${high}x$low,${low}x$high,$((high + 1))x$((low - 1)),$((low - 1))x$((high + 1))
done
shapes=${shapes#,}
# Products whose results have these shapes; the factors share a quarter of the side.
products_of_shapes=$(tr , '\n' <<<"$shapes" | sed "s/x/x$((side / 4))x/" | paste -sd ,)

# compare WORKLOAD SIZES DTYPES CUDA_VARIANTS: with a GPU these and the libraries, otherwise the CPU's.
compare() {
  local workload=$1 size=$2 dtypes=$3 rungs=$4 which
  which=(--backend "openmp,blas" --threads "${threads##*,}" --time-limit 0.05)
  if ((gpu)); then which=(--backend "cuda,blas" --variant "$rungs" --time-limit 0.1); fi
  step "$workload in $dtypes: $(tr -cd , <<<"$size," | wc -c) sizes" \
    "$workload" "$size" --dtype "$dtypes" "${which[@]}"
}
both=float,double
for size in "$sizes" "$shapes"; do
  compare dmv "$size" $both wide,streamed,cublas,cublas_row
  compare atax "$size" $both cooperative,fused,bulk,cublas
  compare conv2d "$size" $both streamed,turned
  compare convsep "$size" $both wide,fused,tensor,tf32x3
done
compare vector_sum "$elements" $both last_block,flagged,cub,cublas_dot
for size in "$products" "$products_of_shapes"; do
  compare matmul "$size" float warp_tiles,cublas
  compare matmul "$size" double tensor_bulk,tensor,cublas
done
compare covariance "$products" $both tensor_bulk,tensor,balanced,cublas_syrk,cublas_gemm
# A result of 32768 x 32768 takes longer to verify than all the others together.
narrow=$(tr , '\n' <<<"$shapes" | awk -F x '$2 <= 8193' | paste -sd ,)
if ((gpu)); then compare covariance "$narrow" $both tensor_bulk,tensor,balanced,cublas_syrk,cublas_gemm; fi

close_experiment
