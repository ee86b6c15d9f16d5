#!/bin/bash -p
# Counts by emulation what every CUDA kernel asks of memory, for the ladders of pages: it makes
# results/counts.jsonl.zst anew, in some minutes of two cores. No GPU is needed. Run it when a kernel was changed: pages
# leave out counts of another source.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -euo pipefail
cd "${0%/*}/.."
new=build/counts.jsonl
rm -f "$new"*

# Large enough that blocks are full, and little more.
for workload in $(basename -a cuda/*/); do
  types=$(dtypes_of bin/parlab "$workload/cuda/" | grep -xE 'float|double' | paste -sd ,) || types=
  bin/parlab "$workload" 768KiB --backend cuda ${types:+--dtype "$types"} --emulate --counters \
    --machine emulation --results "$new" >/dev/null
done
bin/parlab pack "$new"
mv "$new.zst" results/
