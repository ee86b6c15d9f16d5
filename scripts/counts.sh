#!/bin/bash -p
# What every CUDA kernel asks of memory, counted by emulation, for the ladders of pages: results/counts.jsonl.zst is made
# anew, in some minutes of two cores. No GPU is needed. To be run when a kernel was changed: pages leave out what was
# counted of another source.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -euo pipefail
cd "${0%/*}/.."
new=build/counts.jsonl
rm -f "$new"*

# Large enough that blocks are full, and little more.
for point in "atax 1024" "conv2d 1024" "convsep 512" "covariance 256" "dmv 1024" "heat 256" "histogram 1M" "matmul 256" \
  "scan 1M" "transpose 1024" "vector_sum 1M"; do
  [[ $point == histogram* ]] || point+=" --dtype float,double"
  # shellcheck disable=SC2086 # several words
  bin/parlab $point --backend cuda --emulate --counters --machine emulation --results "$new" >/dev/null
done
bin/parlab pack "$new"
mv "$new.zst" results/
