#!/bin/bash -p
# Submits experiments to Slurm: scripts/cluster/submit.sh EXPERIMENT...
#
# There are three jobs: one lists the points to measure (and builds, with BUILD_ON=node), one is an array
# whose tasks measure one shard each, and one merges and draws. Recorded points are not measured again.
# docs/how-to/cluster.md describes the settings.
set -uo pipefail
# shellcheck source=scripts/cluster/settings.sh
source "${0%/*}/settings.sh"
go_to_base

fail() {
  echo "CLUSTER=slurm: $1" >&2
  exit 2
}
[[ ${CLUSTER:-slurm} == slurm ]] || {
  echo "CLUSTER=$CLUSTER: the one that is known is slurm" >&2
  exit 2
}
for program in sbatch squeue scontrol sinfo; do
  command -v $program >/dev/null || fail "no $program in the PATH; is this a node of a cluster?"
done
file=${CLUSTER_SETTINGS:-cluster.settings}
if [[ -e $file ]]; then
  read_settings "$file" || exit
elif [[ -n ${CLUSTER_SETTINGS:-} ]]; then
  fail "there is no file $file"
fi
[[ ${BUILD_ON:=login} == login || $BUILD_ON == node ]] || fail "BUILD_ON=$BUILD_ON: allowed are login, node"

options=()
[[ -z ${PARTITION:-} ]] || options+=("--partition=$PARTITION")
[[ -z ${ACCOUNT:-} ]] || options+=("--account=$ACCOUNT")
[[ -z ${TIME:-} ]] || options+=("--time=$TIME")
[[ -z ${CONSTRAINT:-} ]] || options+=("--constraint=$CONSTRAINT")
read -ra more <<<"${SLURM_OPTIONS:-}"
options+=("${more[@]}")
gpu=()
[[ -z ${GRES:-} ]] || gpu+=("--gres=$GRES")
# CPU times are only as good as the node is idle: takes the whole node, unless other options are given.
cpus=(--exclusive)
[[ " ${options[*]} " =~ \ --(exclusive|cpus-per-task|oversubscribe|overcommit)|\ -(c|s)\  ]] && cpus=()

if [[ -z ${SHARDS:-} ]]; then
  nodes=$(sinfo -h ${PARTITION:+-p "$PARTITION"} -o %D | awk '/^[0-9]+$/ { sum += $1 } END { print sum + 0 }')
  SHARDS=$((2 * nodes < 1 ? 1 : 2 * nodes > 64 ? 64 : 2 * nodes))
fi
[[ $SHARDS =~ ^[1-9][0-9]{0,3}$ ]] || fail "SHARDS=$SHARDS: a number from 1 to 9999 is needed"

submission=$(date +%Y%m%dT%H%M%S)-$$
folder=build/cluster/$submission
mkdir -p "$folder"
{
  echo "experiments='$*' submission=$submission shards=$SHARDS"
  declare -p SCALE MACHINE MODULES BUILD_ON 2>/dev/null | sed 's/^declare -[-x]* /export /'
} >"$folder/settings"

# A make that submits is not the parent of the makes in the jobs.
unset MAKEFLAGS MAKELEVEL MFLAGS
if [[ $BUILD_ON == node ]]; then unset NVCC GPU_ARCH; fi

submit() { # NAME OPTIONS... SCRIPT ARGUMENTS...
  local name=$1
  shift
  # Slurm itself prints its objections.
  local said
  said=$(sbatch --parsable --job-name="parlab-$name" --chdir="$PWD" --nodes=1 --ntasks=1 \
    --output="$folder/$name.log" "${options[@]}" "$@") || exit 2
  sed -nE 's/^([0-9]+)(;.*)?$/\1/p' <<<"$said" | grep -m 1 . || fail "sbatch names no job, but says: $said"
}

if [[ $* == device-spread ]]; then
  # Each node once, with all its GPUs: one job each, since an array cannot choose its nodes.
  mapfile -t nodes < <(sinfo -h -N ${PARTITION:+-p "$PARTITION"} -t idle,mixed,allocated,completing -o %N | sort -u)
  ((${#nodes[@]})) || fail "no node is up${PARTITION:+ in partition $PARTITION}"
  echo "count=${#nodes[@]}" >>"$folder/settings"
  jobs=()
  for number in "${!nodes[@]}"; do
    job=$(submit control --hold --nodelist="${nodes[number]}" --output="$folder/shard-$((number + 1)).log" \
      "${cpus[@]}" "${gpu[@]}" scripts/cluster/task.sh "$folder" $((number + 1))) || exit
    jobs+=("$job")
  done
  array=$(IFS=,; echo "${jobs[*]}")
  merge=$(submit merge --dependency="afterany:${array//,/:}" scripts/cluster/merge.sh "$folder") || exit
  echo "prepare= array=$array merge=$merge" >>"$folder/settings"
  scontrol release "$array" || exit 2
  echo "jobs $array: control points on ${#nodes[@]} nodes; job $merge merges and draws; logs in $folder"
  [[ ${WAIT:-0} != 1 ]] || exec scripts/cluster/progress.sh "$folder"
  exit
fi

# Held until all three ids are known: the first job cancels the tasks that have no points left.
prepare=$(submit prepare --hold "${gpu[@]}" scripts/cluster/prepare.sh "$folder") || exit
array=$(submit shard --array="1-$SHARDS" --dependency="afterok:$prepare" --kill-on-invalid-dep=yes \
  --requeue --output="$folder/shard-%a.log" --open-mode=append "${cpus[@]}" "${gpu[@]}" \
  scripts/cluster/task.sh "$folder") || { scancel "$prepare"; exit 2; }
merge=$(submit merge --dependency="afterany:$array" scripts/cluster/merge.sh "$folder") ||
  { scancel "$prepare" "$array"; exit 2; }
echo "prepare=$prepare array=$array merge=$merge" >>"$folder/settings"
scontrol release "$prepare" || exit 2

echo "job $array: $* in at most $SHARDS shards; job $merge merges and draws; logs in $folder"
[[ ${WAIT:-0} != 1 ]] || exec scripts/cluster/progress.sh "$folder"
