#!/bin/bash -p
# What both compilers need before they read a kernel.
# shellcheck disable=SC2034 # who sources it reads what it sets

# rewrite_launches SOURCE OUTPUT: sets `rewritten` to the file to be compiled, and `beside` to the options
# by which it finds what lies beside the source. Most files are compiled as they are.
rewrite_launches() {
  rewritten=$1 beside=()
  grep -qE '<<<|__CUDA_ARCH__|__CUDACC__' "$1" || return 0
  rewritten=$2 beside=(-iquote "${1%/*}")
  awk -v name_of_file="$1" -f "${BASH_SOURCE[0]%/*}/launches.awk" "$1" >"$2"
}
