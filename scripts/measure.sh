#!/bin/bash -p
# The experiment of each workload that has no folder of its own: scripts/measure.sh WORKLOAD.
#
# It measures all variants at their defaults, in all types: squares or vectors whose arrays fit a core's
# cache, that of all cores, and none, with odd ones among them; with a GPU up to a quarter of its memory,
# and with cold caches too. Without a GPU its kernels are emulated at one size, which verifies them. Sizes
# that would take the CPU more than five minutes, or 20 s with SCALE=quick, are left out. Figures and
# tables: scripts/workload/. Recorded points are not run again.
set -uo pipefail
# shellcheck source=scripts/experiment.sh
source "${0%/*}/experiment.sh"

(($#)) || {
  echo "measure: needs a workload: make measure WORKLOAD=dmv" >&2
  exit 2
}
workload=$1
shift
open_experiment "$workload"
"$parlab" "$workload" --list >/dev/null || exit
only_times "$*" "no counters are read here: $parlab $workload SIZE --counters" \
  "no energy is read here: $parlab $workload SIZE --energy"

small='64KiB:1MiB:*4,1MiB+3' large='4MiB:16MiB:*4,4MiB+3'
limit=0.1 longest=20
if [[ $scale == full ]]; then
  large+=',64MiB:256MiB:*4,64MiB+3'
  limit=0.25 longest=300
fi
# of BACKEND TEXT SIZES ARGUMENTS...: in all types of that backend.
of() {
  local types
  types=$(dtypes_of "$parlab" "$workload/$1/" | paste -sd ,)
  step "$2" "$workload" "$3" --dtype "$types" --time-limit $limit "${@:4}"
}
in_brief() { # SIZES
  tr , '\n' <<<"$1" | sort -n | awk 'NR == 1 { first = $0 } END { print NR " sizes, " first " to " $0 }'
}
cpu=(--backend 'serial,openmp,blas')
# A matrix product takes longer than its bytes suggest.
affordable=$("$parlab" "$workload" "$small,$large" "${cpu[@]}" --estimate |
  awk -F '\t' -v longest=$longest '{ split($1, name, " ") } $3 < longest && !seen[name[2]]++ { print name[2] }' | paste -sd ,)
[[ -z $affordable ]] || of serial "CPU: $(in_brief "$affordable")" "$affordable" "${cpu[@]}"
if ((gpu)); then
  most=$(($(answer '[1-9][0-9]*' nvidia-smi --query-gpu=memory.total --format=csv,noheader,nounits -i 0) / 4))
  ((most <= 256)) || large+=,${most}MiB
  of cuda "GPU: $small,$large" "$small,$large" --backend cuda,blas
  of cuda "GPU, cold caches: $large" "$large" --backend cuda,blas --cache cold
elif [[ -n $(dtypes_of "$parlab" "$workload/cuda/") ]]; then
  of cuda "GPU, emulated at 64KiB: verified, not timed" 64KiB --backend cuda --emulate
fi

close_experiment
