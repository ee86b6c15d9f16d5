#!/bin/bash -p
# One task of a submission, which measures one shard: scripts/cluster/task.sh FOLDER [NUMBER].
set -uo pipefail
folder=$1 number=${2:-${SLURM_ARRAY_TASK_ID:-1}}
# shellcheck source=scripts/cluster/settings.sh
source scripts/cluster/settings.sh
# shellcheck disable=SC1091
source "$folder/settings"
# shellcheck disable=SC2154 # of the settings
((number <= count)) || exit 0
load_modules || exit

# Times of a job that shares its node are less reliable.
granted=${SLURM_CPUS_ON_NODE:-} usable=$(cpus)
[[ $granted =~ ^[1-9][0-9]*$ ]] || granted=$usable
all=$(answer '.*CPUTot=[0-9]+( .*)?' scontrol show node "${SLURMD_NODENAME:-}") || all=CPUTot=$granted
all=${all##*CPUTot=} all=${all%% *}
echo "shard $number/$count on ${SLURMD_NODENAME:-$(hostname)}, attempt $((${SLURM_RESTART_COUNT:-0} + 1))"
if ((granted < all)); then
  echo "  $granted of the node's $all CPUs were granted: others may be at work beside the times of the CPU"
fi

# If Slurm does not bind a job to its cores, the job binds itself to the ones that it was given. Slurm counts
# them core by core, the threads of a core one after the other, if it counts threads at all.
given_cpus() {
  local ids id range cpus
  ids=$(answer '.* CPU_IDs=[0-9,-]+( .*)?' scontrol show job --details "${SLURM_JOB_ID:-}") || return
  ids=${ids##*CPU_IDs=} ids=${ids%% *}
  mapfile -t cpus < <(lscpu --parse=SOCKET,CORE,CPU | grep -v '^#' | sort -t, -n -k1,1 -k2,2 -k3,3)
  ((all >= ${#cpus[@]})) || mapfile -t cpus < <(printf '%s\n' "${cpus[@]}" | sort -t, -n -u -k1,1 -k2,2)
  for range in ${ids//,/ }; do
    for ((id = ${range%-*}; id <= ${range#*-}; ++id)); do echo "${cpus[id]##*,}"; done
  done | paste -sd ,
}
if ((granted < usable)); then
  given=$(given_cpus) && taskset -cp "$given" $$ >/dev/null 2>&1 ||
    echo "  which CPUs these are is not known: the times of the CPU are those of $usable"
fi

[[ -n ${MACHINE:-} ]] || MACHINE=$(node_kind) || exit
# A separate file for each attempt: two attempts of one task may overlap if a node was lost for a while.
# shellcheck disable=SC2154
export MACHINE SHARD=$number/$count PARLAB_PLAN=$folder/plan PARLAB_NODE=${SLURMD_NODENAME:-$(hostname -s)}
# shellcheck disable=SC2154
export ATTEMPT=$submission-$number-${SLURM_RESTART_COUNT:-0}

echo "  started $(date +%s.%N)"
worst=0
run() {
  "$@"
  local status=$?
  ((status <= worst)) || worst=$status
}
# shellcheck disable=SC2154
if [[ $experiments == device-spread ]]; then
  run scripts/cluster/control.sh all
else
  run scripts/cluster/control.sh
  for experiment in $experiments; do run scripts/"$experiment"/steps.sh; done
fi
echo "  ended $(date +%s.%N)"
echo $worst >"$folder/new-status-$number" && mv "$folder/"{new-,}"status-$number" # it appears whole
exit $worst
