#!/bin/bash -p
# Every experiment script begins with this: source it, then open_experiment NAME, step ..., and
# close_experiment. Sets parlab, gpu (0 or 1), scale (quick or full), threads (1,2,4 ... all cores).
#
# SHARD=3/20 measures one shard of the experiment into a file of its own beside the experiment's. Points that
# any of these files records are not measured again. ESTIMATE=FILE measures nothing; it appends the points to
# measure to a file for PARLAB_PLAN=FILE, from which all shards are cut in the same way.
# shellcheck source=scripts/environment.sh
source "${BASH_SOURCE[0]%/*}/environment.sh"
go_to_base

# shellcheck disable=SC2034 # scale and threads are for the script that sources this
open_experiment() {
  parlab=${PARLAB:-bin/parlab}
  [[ -x $parlab ]] || parlab=bin/parlab-emulated
  gpu=0
  if [[ $(readlink -f "$parlab") != *-emulated && -n $(gpus) ]]; then gpu=1; fi
  scale=${SCALE:-}
  [[ -n $scale ]] || scale=$( ((gpu)) && echo full || echo quick)
  [[ $scale == quick || $scale == full ]] || {
    echo "SCALE='$scale': use quick or full" >&2
    exit 2
  }
  local cores count
  # Physical cores that this process may use: hyperthreads of one core share what limits a sweep.
  cores=$(answer '[1-9][0-9]*' "$parlab" machine --cores) || cores=$(cpus)
  threads=1
  for ((count = 2; count < cores; count *= 2)); do threads+=,$count; done
  if ((cores > 1)); then threads+=,$cores; fi
  machine=$(scripts/machine-name.sh) || exit
  results=results/$machine/$1.jsonl
  if [[ -n ${SHARD:-}${ESTIMATE:-} ]]; then
    # Nodes with one machine name count as the same machine.
    export PARLAB_RESUME=$results,results/$machine/$1.shards
  fi
  if [[ -n ${SHARD:-} ]]; then
    export PARLAB_SHARD=$SHARD
    results=results/$machine/$1.shards/${ATTEMPT:-$(date +%Y%m%dT%H%M%S)-$$-${SHARD%/*}}.jsonl
  fi
  failures=0
  echo "$1 on $machine ($scale): $results"
}

# step TEXT ARGUMENTS...: one invocation; a point that fails is reported, and the script goes on.
step() {
  local text=$1
  shift
  if [[ -n ${ESTIMATE:-} ]]; then
    "$parlab" "$@" --results "$results" --estimate >>"$ESTIMATE" || exit
    return
  fi
  echo "  $text"
  "$parlab" "$@" --results "$results" --format csv >/dev/null || {
    local status=$?
    failures=$((failures + 1))
    # 2: the arguments are wrong, 130: interrupted; continuing would be no use.
    ((status == 1)) || exit "$status"
  }
}

# count TEXT ARGUMENTS...: adds hardware counters to the points measured with these arguments, and measures
# missing ones.
count() { step "$@" --counters; }

# For `make counters`: scripts/NAME/steps.sh counters. Only the GPU has counters.
only_counters() {
  [[ ${1:-} == counters ]] || return 1
  ((gpu)) || {
    echo "  no counters: no GPU here that this build can use" >&2
    exit 0
  }
}

# For `make energy`: scripts/NAME/steps.sh energy.
only_energy() { [[ ${1:-} == energy ]]; }

# energy_of_ladder DTYPE GPU_SIZE CPU_SIZE WORKLOAD [ARGUMENTS...]: energy of all variants at one size, half a
# minute each, on the GPU if there is one. Ends the script.
energy_of_ladder() {
  local dtype=$1 size=$2 backends=cuda,blas
  ((gpu)) || size=$3 backends=serial,openmp,blas
  shift 3
  step "energy: the ladder in $dtype; $size" \
    "$1" "$size" --dtype "$dtype" --backend "$backends" "${@:2}" --time-limit 0.5 --energy
  close_experiment
}

# nothing_to_do WHY: ends the script.
nothing_to_do() {
  echo "  nothing to do: $1" >&2
  exit 0
}

# only_times ARGUMENTS WHY_NO_COUNTERS WHY_NO_ENERGY: for an experiment that has neither.
only_times() {
  if only_counters "$1"; then nothing_to_do "$2"; fi
  if only_energy "$1"; then nothing_to_do "$3"; fi
}

# Ends the script; with status 1 if a step failed, and names the points.
close_experiment() {
  ((failures == 0)) && exit 0
  echo "some points failed, of $results:" >&2
  "$parlab" show "$results" --verdict failed >&2
  exit 1
}
