#!/bin/bash -p
# Waits until a submission has ended and shows its progress: scripts/cluster/progress.sh FOLDER. The exit
# status is that of the submission: 0, or 1 if a shard failed.
set -uo pipefail
shopt -s nullglob
folder=$1
# shellcheck source=scripts/cluster/settings.sh
source "${0%/*}/settings.sh"
go_to_base

tell() { # one line: rewritten in place on a terminal
  if [[ -t 1 && ${TERM:-dumb} != dumb ]]; then printf '\r\033[K%s' "$1"; else echo "$1"; fi
}
duration() { ((${1%.*} < 60)) && echo "${1%.*} s" || echo "$((${1%.*} / 60)) min"; }

begun=$SECONDS last='' most=0
# shellcheck disable=SC1091
source "$folder/settings"
# shellcheck disable=SC2154 # of the settings
while [[ ! -e $folder/outcome ]] && job_is_alive "$merge"; do
  # shellcheck disable=SC1091
  source "$folder/settings"
  total=$(awk -F '\t' '{ n += $2 } END { print n + 0 }' "$folder/plan" 2>/dev/null)
  files=()
  # shellcheck disable=SC2154 # of the settings
  for experiment in $experiments; do files+=(results/*/"$experiment".shards/"$submission"-*.jsonl); done
  points=0
  ((${#files[@]} == 0)) || points=$(cat "${files[@]}" 2>/dev/null | grep -c '"type":"record"')
  ((points >= most)) && most=$points || points=$most # when they are merged the files are gone
  states=$(squeue -h -r -j "$array" -o %T 2>/dev/null)
  statuses=("$folder"/status-*)
  failed=0
  ((${#statuses[@]} == 0)) || failed=$(grep -Lx 0 "${statuses[@]}" | wc -l)
  line="$points of ${total:-?} points; tasks: $(grep -c RUNNING <<<"$states") running"
  line+=", $(grep -c PENDING <<<"$states") waiting, $failed failed"
  if ((points > 0 && ${total:-0} > points)); then
    line+="; about $(duration $(((SECONDS - begun) * (total - points) / points))) left"
  fi
  [[ $line == "$last" ]] || tell "$line"
  last=$line
  sleep "${POLL:-2}"
done
[[ ! -t 1 ]] || echo
for _ in {1..50}; do # a shared file system may be slow to show it
  [[ ! -e $folder/outcome ]] || break
  sleep 0.1
done
[[ -e $folder/outcome ]] || {
  echo "the submission ended without a merge (cancelled?); the same command goes on from there; logs in $folder" >&2
  exit 1
}
cat "$folder/outcome"
grep -q '^all' "$folder/outcome"
