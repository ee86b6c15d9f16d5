#!/bin/bash -p
# The last job of a submission: scripts/cluster/merge.sh FOLDER. It merges the shards' records, draws the
# figures and pages, and reports the result in the last line of its log and in its exit status.
set -uo pipefail
shopt -s nullglob
folder=$1
# shellcheck source=scripts/cluster/settings.sh
source scripts/cluster/settings.sh
# shellcheck disable=SC1091
source "$folder/settings"
load_modules || exit
unset SHARD PARLAB_SHARD PARLAB_PLAN

parlab=bin/parlab
[[ -x $parlab ]] || parlab=bin/parlab-emulated
failed=()

# Two submissions may end at once, and their merges would move the same files and draw the same figures.
exec {merging}>build/cluster/merging
flock "$merging" || echo "this file system has no locks: a merge that runs meanwhile may disturb this one"

# Also the shards of other submissions, unless these are still at work.
is_finished() { # SHARD-FILE
  local name=${1##*/} other settings
  other=build/cluster/${name%-*-*}/settings
  # shellcheck disable=SC2154 # of the settings
  [[ ${name%-*-*} != "$submission" ]] || return 0
  [[ -e $other ]] || return 0
  settings=$(grep -oE 'array=[0-9,]+' "$other") || return 1
  ! job_is_alive "${settings#array=}"
}

for shards in results/*/*.shards/; do
  shards=${shards%/} files=()
  for file in "$shards"/*.jsonl; do
    ! is_finished "$file" || files+=("$file")
  done
  if ((${#files[@]})); then
    "$parlab" merge "${shards%.shards}.jsonl" "${files[@]}" || failed+=("merging $shards")
  fi
  rmdir "$shards" 2>/dev/null
done
make figures || failed+=("drawing")

# shellcheck disable=SC2154
for ((number = 1; number <= ${count:-0}; ++number)); do
  status=$(cat "$folder/status-$number" 2>/dev/null || echo lost)
  [[ $status == 0 ]] || failed+=("shard $number ($([[ $status == lost ]] && echo "did not end" || echo "exit status $status"))")
done
[[ -n ${count:-} ]] || failed+=("the first job (see $folder/prepare.log)")

# progress.sh reads the outcome as soon as the file is there, so it appears whole.
report() { # OUTCOME STATUS
  echo "$1" | tee "$folder/outcome.new" && mv "$folder/outcome.new" "$folder/outcome"
  exit "$2"
}
if ((${#failed[@]})); then
  report "failed: $(printf '%s, ' "${failed[@]}" | sed 's/, $//'); the same command measures what is missing" 1
fi
# shellcheck disable=SC2154
((count > 0)) || report "all is recorded already: nothing was measured" 0
report "all $count shards ended well" 0
