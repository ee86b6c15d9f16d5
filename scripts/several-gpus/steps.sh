#!/bin/bash -p
# the gain of a second GPU, and a third: each workload shared by several GPUs of one machine
#
# A question of our own: strong scaling from 1 to all GPUs, from small sizes, at which the second one only
# costs, to the largest; weak scaling, with as much for each GPU as one has alone. One process drives all of
# them. The all-reduces need NCCL (docs/how-to/several-gpus.md). Recorded points are not run again.
set -uo pipefail
# shellcheck source=scripts/experiment.sh
source "${0%/*}/../experiment.sh"

open_experiment several-gpus
only_times "$*" "counters are read on one GPU" "the energy of a team is not measured"
((gpu)) || nothing_to_do "emulation has no times (tests verify these variants there)"

there=$(gpus | wc -l)
gpus=1
for ((count = 2; count < there; count *= 2)); do gpus+=,$count; done
if ((there > 1)); then gpus+=,$there; fi
sizes=1024,4096,16384
elements=1M,16M,1024M
products=1024,2048,8192
variables=1024,2048,8192
if [[ $scale == full ]]; then
  sizes=1024,2048,4096,8192,16384,32768
  elements=1M,4M,16M,64M,256M,1024M
  products=1024,2048,4096,8192,16384
  variables=1024,2048,4096,8192
fi

# share WORKLOAD SIZES DTYPES [ARGUMENTS]: its variants for several GPUs, on each number of them.
share() {
  local workload=$1 size=$2 dtypes=$3
  shift 3
  step "$workload on $gpus GPUs: $dtypes; $size" \
    "$workload" "$size" --dtype "$dtypes" --gpus "$gpus" --time-limit 0.3 "$@"
}
share dmv "$sizes" float --variant split_rows,split_columns
share atax "$sizes" float --variant split_rows
share vector_sum "$elements" float --variant split_elements
share conv2d "$sizes" float --variant split_strips
share convsep "$sizes" float --variant split_strips
share matmul "$products" float --variant cuda/split_rows,cuda/split_panels
share matmul "$products" bfloat16 --variant blas/split_rows
share covariance "$variables" double --variant split_panels,split_tensor
if [[ $scale == full ]]; then
  share dmv 4096,16384 double --variant split_rows,split_columns
  share atax 4096,16384 double --variant split_rows
  share conv2d 4096,16384 double --variant split_strips
  share convsep 4096,16384 double --variant split_strips
  share covariance "$variables" float --variant split_panels
  share matmul 4096,8192 double --variant cuda/split_rows,cuda/split_panels,cuda/split_tensor,blas/split_rows
  # With cold caches, the larger caches of several GPUs together are no gain.
  share dmv 4096,16384 float --variant split_rows,split_columns --cache cold
  share atax 4096,16384 float --variant split_rows --cache cold
  share vector_sum 16M,1024M float --variant split_elements --cache cold
  share conv2d 4096,16384 float --variant split_strips --cache cold
  share convsep 4096,16384 float --variant split_strips --cache cold
fi

# The fastest on one GPU for the largest of these problems, which may be a variant that cannot be split.
alone() { # WORKLOAD SIZES DTYPE VARIANTS
  step "$1 on one GPU, the fastest: $3; $2" \
    "$1" "$2" --dtype "$3" --variant "$4" --time-limit 0.3
}
if [[ $scale == full ]]; then
  alone dmv 16384,32768 float cuda/streamed,blas/cublas_row
  alone atax 16384,32768 float cuda/fused,cuda/bulk
  alone conv2d 16384,32768 float cuda/streamed,cuda/turned
  alone convsep 16384,32768 float cuda/fused
  alone vector_sum 1024M float cuda/last_block,cuda/flagged,blas/cub
  alone matmul 4096,8192 double cuda/tensor_bulk,blas/cublas
  alone matmul 8192,16384 float cuda/warp_tiles,blas/cublas
  alone matmul 8192,16384 bfloat16 cuda/overlapped,cuda/clusters,blas/cublas,blas/cublaslt
  alone covariance 4096,8192 double cuda/tensor_bulk,blas/cublas_syrk
  alone covariance 4096,8192 float cuda/balanced,blas/cublas_syrk
fi

# Weak scaling: 8192 rows for each GPU.
weak() { # WORKLOAD SIZE VARIANTS DTYPE
  step "$1, 8192 rows for each of $count GPUs: $4" \
    "$1" "$2" --dtype "$4" --gpus "$count" --variant "$3" --time-limit 0.3
}
for count in ${gpus//,/ }; do
  for workload in dmv atax conv2d convsep; do
    variant=split_strips
    [[ $workload == conv2d || $workload == convsep ]] || variant=split_rows
    weak $workload "$((8192 * count))x8192" $variant float
  done
  if [[ $scale == full ]]; then
    weak matmul "$((8192 * count))x8192x8192" cuda/split_rows,cuda/split_panels float
    weak matmul "$((8192 * count))x8192x8192" blas/split_rows bfloat16
  fi
done

close_experiment
