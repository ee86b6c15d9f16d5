#!/bin/bash
# Kernels compile for the GPUs of today's courses: 7.5 (T4), 9.0 and 10.0. All of them are compiled elsewhere
# for 8.0. Only device code is compiled, and for each source that differs between architectures only the
# kernel with the shortest text that includes it: other sources are the same for all.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

NVCC=${NVCC-$(own_make -s print-NVCC)}
[[ $NVCC ]] || { echo "passed: without nvcc there is nothing to compile"; exit; }
# The build for emulation has noted which files a kernel includes: length_of prints the bytes of those in
# cuda/, and the kernel.
length_of() { # NOTES
  local files
  files=$(tr -s ' \\:' '\n' <"$1" | grep -E '^cuda/.*\.cuh?$' | sort -u)
  # shellcheck disable=SC2086 # words
  echo "$(cat $files | wc -c) $(grep -m 1 '\.cu$' <<<"$files")"
}
mapfile -t notes < <(find "${BUILD:-build}/emulated/cuda" -name '*.cu.d')
shortest_with() { # SOURCE
  for file in $(grep -lF " $1" "${notes[@]}"); do length_of "$file"; done | sort -n | awk 'NR == 1 { print $2 }'
}
options=(-std=c++20 -Isrc --expt-relaxed-constexpr -DPARLAB_SOURCE='"a"' -DPARLAB_SOURCE_HASH='"b"')
chosen=()
for source in $(grep -rlE '__CUDA_ARCH__ *[<>=]|__CUDA_ARCH_FEAT' src/gpu cuda); do
  shortest=$(shortest_with "$source")
  [[ " ${chosen[*]} " == *" $shortest "* ]] || chosen+=("$shortest")
done
expect "there are sources that tell architectures apart" test ${#chosen[@]} -ge 2
for kernel in "${chosen[@]}"; do
  for architecture in 75 90a 100; do
    "$NVCC" --list-gpu-arch | grep -qx "compute_$architecture\|compute_${architecture%a}" || continue
    expect "$kernel compiles for $architecture" "$NVCC" -cubin -arch=sm_$architecture "${options[@]}" \
      -Xcicc -O1 -Xptxas -O0 "$kernel" -o /dev/null
  done
done
kernel=$(shortest_with src/gpu/store_whole.hpp)
expect "stores of structs stay whole in $kernel" \
  grep -q 'st\.global\.wb\.v4' <("$NVCC" -ptx -arch=sm_90a "${options[@]}" "$kernel" -o -)
end_tests
