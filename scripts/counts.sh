#!/bin/bash -p
# Counts by emulation the memory requests of every CUDA kernel, for the ladders of pages: it makes
# results/counts.jsonl.zst anew, in some minutes on two cores. No GPU is needed. Run it after changing a
# kernel, because pages leave out counts of another source.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -euo pipefail
cd "${0%/*}/.."
new=build/counts.jsonl
rm -f "$new"*

# seconds ARGUMENTS...: emulation time of the costliest of its points; a large number if no memory can hold
# it.
seconds() {
  { bin/parlab "$@" --estimate 2>/dev/null || echo "-	-	1e6"; } | awk -F '\t' '$3 > most { most = $3 } END { printf "%d\n", most }'
}

# The largest size that emulation can do in a minute: blocks are full there.
for workload in $(basename -a cuda/*/); do
  options=(--backend cuda --emulate)
  for size in 1M 1024 512 256; do
    (($(seconds "$workload" "$size" "${options[@]}") > 50)) || break
  done
  types=$(dtypes_of bin/parlab "$workload/cuda/" | grep -xE 'float|double' | paste -sd ,) || types=
  bin/parlab "$workload" "$size" "${options[@]}" ${types:+--dtype "$types"} --counters \
    --machine emulation --results "$new" >/dev/null
done
bin/parlab pack "$new"
mv "$new.zst" results/
