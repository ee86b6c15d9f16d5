#!/bin/bash -p
# Prepares a kernel's source for both compilers.
# shellcheck disable=SC2034 # who sources it reads what it sets

# rewrite_launches SOURCE OUTPUT: sets `rewritten` to the file to be compiled, and `beside` to the options
# that let it find files beside the source. Most files are compiled unchanged. A course's file includes the
# one that was handed in, which is rewritten too.
rewrite_launches() {
  local handed_in text=$1
  handed_in=$(sed -n 's/^#define PARLAB_HANDED_IN "\(.*\)"$/\1/p' "$1")
  rewritten=$1 beside=()
  if [[ -n $handed_in ]]; then
    rewrite_launches "${1%/*}/$handed_in" "${2%.cu}-handed-in.cu"
    if [[ $rewritten != "${1%/*}/$handed_in" ]]; then
      text=$2-around
      sed "s|^#define PARLAB_HANDED_IN .*|#define PARLAB_HANDED_IN \"${rewritten##*/}\"|" "$1" >"$text"
    fi
    rewritten=$1 beside=()
  fi
  [[ $text != "$1" ]] || grep -qE '<<<|__CUDA_ARCH__|__CUDACC__|cudaLaunch' "$1" || return 0
  rewritten=$2 beside=(-iquote "${1%/*}")
  awk -v name_of_file="$1" -f "${BASH_SOURCE[0]%/*}/launches.awk" "$text" >"$2"
}
