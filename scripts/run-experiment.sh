#!/bin/bash -p
# Runs experiments, then draws the records, without make: parlab-experiment [NAME...], in an installed
# program. Records, figures and pages go to a folder of the user's own, which is printed.
# shellcheck source=scripts/environment.sh
source "$(dirname "$(readlink -f "$0")")/environment.sh"
set -uo pipefail
go_to_base
parlab=bin/parlab-emulated failed=0
is_workload() { [[ -x bin/$1 && $1 != parlab* ]]; }
for name; do
  [[ -x scripts/$name/steps.sh ]] || is_workload "$name" || {
    echo "parlab-experiment: '$name' is none of $(cd scripts && printf '%s\n' */steps.sh | cut -d / -f 1 | paste -sd ' '), and no workload" >&2
    exit 2
  }
done
for name; do
  steps=("scripts/$name/steps.sh")
  ! is_workload "$name" || steps=(scripts/measure.sh "$name")
  "${steps[@]}" || {
    status=$? failed=1
    ((status == 1)) || exit "$status"
  }
done

draw() { # MACHINE EXPERIMENT
  local database=build/records/$1/$2.db plots=plots/$1/$2 scripts=scripts/$2 figure
  [[ -e $scripts/views.sql ]] || scripts=scripts/workload
  mkdir -p "${database%/*}" "${plots%/*}"
  "$parlab" database "results/$1/$2.jsonl" "$database" --views "$scripts/views.sql" || return
  for figure in "$scripts"/*.gp; do
    ! command -v gnuplot >/dev/null || scripts/figure.sh "$database" "$figure" "$plots-$(basename "$figure" .gp)" || return
  done
  [[ ! -e $scripts/tables.sql ]] || "$parlab" tables "$database" "$scripts/tables.sql" >"$plots-tables.txt"
}
while IFS=/ read -r _ machine file; do
  name=${file%.jsonl}
  { [[ ! -e scripts/$name/views.sql ]] && ! is_workload "$name"; } || draw "$machine" "${file%.jsonl}" || failed=1
done < <(scripts/list-records.sh)
for machine in plots/*/; do
  "$parlab" page "results/$(basename "$machine")" || failed=1
done
"$parlab" index results/* || failed=1
echo "in $PWD:"
scripts/list-figures.sh "$@"
exit "$failed"
