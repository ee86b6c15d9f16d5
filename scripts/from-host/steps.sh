#!/bin/bash -p
# the cost of the way to the GPU: pageable and pinned copies, and copies while the kernel computes
#
# A question of our own: data begins in the host's memory, and the result ends there. Compared are the last
# rung of each workload with copies before and after it, the variant that overlaps them, and the CPU, which
# needs none: from which size does the GPU pay, and how close to the link's ceiling does it come? Recorded
# points are not run again.
set -uo pipefail
# shellcheck source=scripts/experiment.sh
source "${0%/*}/../experiment.sh"

open_experiment from-host
if only_counters "$@"; then nothing_to_do "counters say nothing of copies"; fi
if only_energy "$@"; then nothing_to_do "the energy of the host and of the GPU is not added up"; fi
((gpu)) || nothing_to_do "emulation has no times (tests verify these variants there)"

sizes=1024,4096,8192
elements=1M,16M,256M
products=1024,4096
if [[ $scale == full ]]; then
  sizes=512,1024,2048,4096,8192,16384
  elements=256K,1M,4M,16M,64M,256M,1024M
  products=512,1024,2048,4096,8192,16384
fi

# travel WORKLOAD SIZES DTYPES VARIANTS CPU_SIZES [ARGUMENTS...]: these on the GPU, and all of the CPU's.
travel() {
  local workload=$1 size=$2 dtypes=$3 variants=$4 on_cpu=$5
  shift 5
  step "$workload on the GPU, from host memory and back: $dtypes; $size" \
    "$workload" "$size" --dtype "$dtypes" --variant "$variants,cuda/from_host" --time-limit 0.5 "$@"
  step "$workload on the CPU: $dtypes; $on_cpu" \
    "$workload" "$on_cpu" --dtype "$dtypes" --backend openmp,blas --time-limit 0.3 \
    --point-limit 0.5 "$@"
}
travel dmv "$sizes" float,double cuda/streamed "$sizes"
travel atax "$sizes" float,double cuda/fused "$sizes"
travel conv2d "$sizes" float,double cuda/streamed "$sizes"
travel convsep "$sizes" float,double cuda/fused "$sizes"
travel vector_sum "$elements" float,double cuda/last_block "$elements"
travel matmul "$products" float,double cuda/warp_tiles "${products%,16384}"

if [[ $scale == full ]]; then
  # How large should a piece be, and how many streams should take turns?
  step "dmv, conv2d 8192: pieces and streams" \
    dmv 8192 --variant cuda/from_host --piece 256:16384:*2 --streams 2,3,4,8 --time-limit 0.2
  step "conv2d 8192: pieces and streams" \
    conv2d 8192 --variant cuda/from_host --piece 256:16384:*2 --streams 2,3,4,8 --time-limit 0.2
  step "matmul 4096, 8192: panels, slices and streams" \
    matmul 4096,8192 --variant cuda/from_host --panels 2:6 --slices 1:3 --streams 2,4,8 --time-limit 0.2
fi

close_experiment
