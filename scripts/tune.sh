#!/bin/bash -p
# Searches for the best tunables of every variant of the workloads named as arguments, for `--block best` and
# similar options, and stores them in results/MACHINE/tuned.trials. SIZE=8K chooses another size.
set -uo pipefail
# shellcheck source=scripts/experiment.sh
source "${0%/*}/experiment.sh"

open_experiment tune >/dev/null
failures=0
size=${SIZE:-4MiB}
if [[ $scale == full ]]; then size=${SIZE:-192MiB}; fi
for workload in "$@"; do
  echo "$workload $size on $machine:"
  "$parlab" tune "$workload" "$size" --tuned "results/$machine/tuned.trials"
  status=$?
  # 2: the arguments are wrong, 130: interrupted; continuing would be no use.
  ((status <= 1)) || exit "$status"
  ((status == 0)) || failures=1
done
exit "$failures"
