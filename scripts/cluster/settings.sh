#!/bin/bash -p
# Shared by the scripts for clusters.
# shellcheck source=scripts/environment.sh
source "${BASH_SOURCE[0]%/*}/../environment.sh"

# Keeps only Slurm's variables that set options, none of a job around this one.
for name in "${!SLURM_@}"; do
  [[ $name =~ ^SLURM_(CONF.*|JWT|OPTIONS|ARRAY_TASK_ID|RESTART_COUNT|JOB_ID|CPUS_ON_NODE)$ ]] || unset -v "$name"
done

cluster_names="PARTITION ACCOUNT TIME GRES CONSTRAINT MODULES SLURM_OPTIONS SHARDS BUILD_ON"

# read_settings FILE: reads lines NAME=value. A variable that is already set wins. Nothing is executed.
read_settings() {
  local line name value number=0
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    [[ $line =~ ^[[:space:]]*(#.*)?$ ]] && continue
    name=${line%%=*} value=${line#*=}
    if [[ $line != *=* || " $cluster_names " != *" $name "* ]]; then
      echo "$1:$number: '$line': a line is NAME=value, NAME one of $cluster_names" >&2
      return 2
    fi
    value=${value#[\"\']} value=${value%[\"\']}
    [[ -n ${!name+set} ]] || printf -v "$name" %s "$value"
  done <"$1"
}

# Loads the cluster's modules, if it has any.
load_modules() {
  [[ -n ${MODULES:-} ]] || return 0
  if ! type module >/dev/null 2>&1; then
    local file
    for file in {"${MODULESHOME:-}","${LMOD_PKG:-}"}/init/bash /etc/profile.d/{modules,lmod}.sh; do
      # shellcheck disable=SC1090
      [[ ! -r $file ]] || source "$file"
    done
  fi
  type module >/dev/null 2>&1 || {
    echo "MODULES='$MODULES': no command 'module' on $(hostname)" >&2
    return 2
  }
  # shellcheck disable=SC2086 # several words
  module load $MODULES
}

# The machine's kind: nodes of one kind share a folder, and their records tell on which one each ran.
node_kind() {
  local parlab=bin/parlab
  [[ -x $parlab ]] || parlab=bin/parlab-emulated
  "$parlab" machine --kind
}

# Shard files of EXPERIMENT, of any submission: results/MACHINE/EXPERIMENT.shards/SUBMISSION-*.jsonl A job
# also counts as alive if nobody can be asked about it now.
job_is_alive() {
  local said
  if said=$(squeue -h -j "$1" 2>&1); then [[ -n $said ]]; else [[ $said != *"Invalid job id"* ]]; fi
}
