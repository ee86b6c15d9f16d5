#!/bin/bash -p
# Active warps against block size without a GPU, for figure 8 of cslab-dmv:
#   scripts/cslab-dmv/occupancy.sh kernels   the kernels it can answer for; none without the CUDA toolkit
#   scripts/cslab-dmv/occupancy.sh NAME      "block <tab> warps" of cuda/dmv/NAME.cu, for sm_90
#   scripts/cslab-dmv/occupancy.sh fermi     the same for the report's GPU, from its limits alone
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "${0%/*}/../environment.sh"
go_to_base

build=${BUILD:-build}
nvcc=${NVCC-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
include=$(dirname "$(dirname "$(readlink -f "${nvcc:-/}")")")/include

ptxas_log() { echo "$build/cuda/cuda/dmv/$1.cu.ptxas"; }

# Registers of the float kernel, as compiled for sm_90.
registers() {
  awk '/Compiling entry function/ { wanted = /IfE/ && /sm_90/ }
       wanted && /Used [0-9]+ registers/ { for (i = 1; i < NF; ++i) if ($i == "Used") print $(i + 1); exit }' \
    "$(ptxas_log "$1")"
}

case ${1:-} in
  kernels)
    [[ -f $include/cuda_occupancy.h ]] || exit 0
    for kernel in naive coalesced shmem; do
      if [[ -f $(ptxas_log "$kernel") ]]; then echo "$kernel"; fi
    done
    ;;
  fermi)
    # Compute capability 2.x: 48 warps, 8 blocks, 32768 registers given out in units of 64 per warp;
    # the report's kernels use 16 per thread, too few to matter. CUDA 13 no longer knows this GPU.
    awk 'BEGIN { for (block = 16; block <= 512; block += 16) {
                   warps = int((block + 31) / 32); blocks = int(48 / warps); if (blocks > 8) blocks = 8
                   printf "%d\t%d\n", block, blocks * warps } }'
    ;;
  *)
    program=$build/occupancy
    if [[ ! -x $program || scripts/cslab-dmv/occupancy.cpp -nt $program ]]; then
      g++ -std=c++20 -O1 -I"$include" scripts/cslab-dmv/occupancy.cpp -o "$program"
    fi
    "$program" "$(registers "$1")" "$([[ $1 == shmem ]] && echo 4 || echo 0)"
    ;;
esac
