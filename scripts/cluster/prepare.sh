#!/bin/bash -p
# The first job of a submission: scripts/cluster/prepare.sh FOLDER. It builds if that was left to a node,
# lists the points not recorded yet, and cancels the tasks that have none left.
set -uo pipefail
folder=$1
# shellcheck source=scripts/cluster/settings.sh
source scripts/cluster/settings.sh
# shellcheck disable=SC1091
source "$folder/settings"
load_modules || exit

if [[ $BUILD_ON == node ]]; then
  make build || exit
  # The other jobs must not see a different compiler, or none, and build again.
  echo "export NVCC='$(make -s print-NVCC)' GPU_ARCH='$(make -s print-GPU_ARCH)'" >>"$folder/settings"
fi
[[ -n ${MACHINE:-} ]] || MACHINE=$(node_kind) || exit
export MACHINE ESTIMATE=$folder/plan.part
: >"$ESTIMATE"
# shellcheck disable=SC2154 # of the settings
for experiment in $experiments; do
  scripts/"$experiment"/steps.sh || exit
done
sort -u -t $'\t' -k 1,1 "$ESTIMATE" | cut -f 1 | wc -l >"$folder/groups.part"
mv "$ESTIMATE" "$folder/plan"
groups=$(<"$folder/groups.part")
# shellcheck disable=SC2154
count=$((groups < shards ? groups : shards))
echo "count=$count" >>"$folder/settings"
echo "$(awk -F '\t' '{ n += $2 } END { print n + 0 }' "$folder/plan") points of $groups sizes and dtypes are not recorded: $count shards"
# If a node may not cancel tasks, these end as soon as they begin.
# shellcheck disable=SC2154
((count == shards)) || scancel "${array}_[$((count + 1))-$shards]" || true
