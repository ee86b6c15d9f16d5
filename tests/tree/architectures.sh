#!/bin/bash
# Kernels compile for the GPUs of today's courses: 7.5 (T4), 9.0 and 10.0. All of them are compiled elsewhere
# for 8.0. Only device code is compiled, and for each source that differs between architectures
# (__CUDA_ARCH__) only the shortest kernel that includes it: other sources are the same for all.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

NVCC=${NVCC-$(own_make -s print-NVCC)}
[[ $NVCC ]] || { echo "passed: without nvcc there is nothing to compile"; exit; }
# users FILE: the kernels that include it, directly or through a header.
users() {
  local user
  for user in $(grep -rlF "${1##*/}\"" cuda); do
    if [[ $user == *.cu ]]; then echo "$user"; else users "$user"; fi
  done
}
chosen=()
for source in $(grep -rlE '__CUDA_ARCH__\b' src/gpu cuda); do
  # shellcheck disable=SC2046 # words
  shortest=$(wc -c $(users "$source" | sort -u) | sort -n | awk 'NR == 1 { print $2 }')
  [[ " ${chosen[*]} " == *" $shortest "* ]] || chosen+=("$shortest")
done
expect "there are sources that tell architectures apart" test ${#chosen[@]} -ge 2
for kernel in "${chosen[@]}"; do
  for architecture in 75 90a 100; do
    "$NVCC" --list-gpu-arch | grep -qx "compute_$architecture\|compute_${architecture%a}" || continue
    expect "$kernel compiles for $architecture" "$NVCC" -std=c++20 -cubin -arch=sm_$architecture -Isrc --expt-relaxed-constexpr \
      -Xcicc -O1 -Xptxas -O0 -DPARLAB_SOURCE='"a"' -DPARLAB_SOURCE_HASH='"b"' "$kernel" -o /dev/null
  done
done
end_tests
