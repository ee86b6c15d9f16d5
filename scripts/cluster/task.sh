#!/bin/bash
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

# Of a job that shares its node the times are worth less.
granted=${SLURM_CPUS_ON_NODE:-$(nproc)}
all=$(scontrol show node "${SLURMD_NODENAME:-}" 2>/dev/null | grep -oE 'CPUTot=[0-9]+' | cut -d = -f 2)
echo "shard $number/$count on ${SLURMD_NODENAME:-$(hostname)}, attempt $((${SLURM_RESTART_COUNT:-0} + 1))"
if ((granted < ${all:-granted})); then
  echo "  $granted of the node's $all CPUs were granted: others may be at work beside the times of the CPU"
fi

# Where Slurm does not hold a job to its cores, the job does.
if ((granted < $(nproc))) && command -v taskset >/dev/null; then
  taskset -cp "0-$((granted - 1))" $$ >/dev/null
fi

[[ -n ${MACHINE:-} ]] || MACHINE=$(node_kind) || exit
# A file of its own for each attempt: two of one task may overlap when a node was lost for a while.
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
echo $worst >"$folder/status-$number"
exit $worst
