#!/bin/bash -p
# the experiment of the report patras-cuda, exercise 3: covariance matrices on every backend
#
# The report's sizes in double, with smaller and larger ones; then float. Tiles of 8, 16 and 32, and the
# printed experiment with PolyBench's constant. The serial loops would take minutes at the largest sizes:
# after an execution of three seconds larger ones are left out. But PolyBench's own loops, the baseline of the
# report's speedups, run at 1500 too, often enough for an interval. SCALE=quick: up to 1024. Recorded points
# are not run again.
set -uo pipefail
# shellcheck source=scripts/experiment.sh
source "${0%/*}/../experiment.sh"

open_experiment patras-covariance
constant=321421201 # float_n of PolyBench, 3214212.01, in hundredths
if [[ $scale == full ]]; then
  report=1024,1500,2000,2300,3000
  cpu_sizes=256,512,$report
  serial_sizes=$cpu_sizes
  sizes=256,512,$report,4096,8192
  limit=3
  time=1
else
  report=1024
  serial_sizes=128,256,512
  cpu_sizes=$serial_sizes,1024
  sizes=$cpu_sizes
  limit=1
  time=0.1
fi

if only_counters "$@"; then
  count "counters: all variants in double at their defaults; 1024, 3000" \
    covariance 1024,3000 --dtype double --backend cuda,blas --time-limit 0.5
  close_experiment
fi

if only_energy "$@"; then energy_of_ladder double 3000 1024 covariance; fi

if [[ $scale == full ]]; then
  step "CPU: PolyBench's loops, double, five minutes; 1024, 1500" \
    covariance 1024,1500 --dtype double --variant serial/plain --time-limit 60 --point-limit 15
fi
for dtype in double float; do
  step "CPU: serial, $dtype; $serial_sizes" \
    covariance "$serial_sizes" --dtype $dtype --backend serial \
    --time-limit "$time" --point-limit "$limit"
  step "CPU: OpenMP and OpenBLAS on ${threads##*,} threads, $dtype; $cpu_sizes" \
    covariance "$cpu_sizes" --dtype $dtype --backend openmp,blas --time-limit "$time"
done

if ((gpu)); then
  step "GPU: tiles of 8, 16 and 32, double; $report" \
    covariance "$report" --dtype double --backend cuda --variant naive,tiled,mirror,packed \
    --tile 8,16,32 --time-limit 0.25
  step "GPU: all variants at their defaults, double; $sizes" \
    covariance "$sizes" --dtype double --backend cuda,blas --time-limit 0.5
  step "GPU: the same in float" \
    covariance "$sizes" --dtype float --backend cuda,blas --time-limit 0.5
fi

polybench="the printed experiment: column sums divided by 3214212.01, the product by nothing"
if ((gpu)); then
  step "GPU: $polybench; $report" \
    covariance "$report" --dtype double --backend cuda --variant tiled --float_n $constant \
    --time-limit 0.25
fi
step "CPU: $polybench; 256" \
  covariance 256 --dtype double --backend serial --float_n $constant --time-limit "$time"

close_experiment
