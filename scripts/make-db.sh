#!/bin/bash
# Makes the database the figures read: scripts/make-db.sh RECORDS.csv EXPERIMENT OUT.db
# Tables: records, and published_NAME for each results/published/EXPERIMENT-NAME.csv, with _ for -;
# then the experiment's own views. Empty cells are NULL.
set -euo pipefail

csv=$1 experiment=$2 out=$3
# A column that no record of this machine filled may be absent from its CSV.
always="block threads tile granularity block_x block_y w1 h1 w2 h2 load store strip active_warps
  occupancy roof_percent low_s high_s achieved_occupancy branch_uniformity global_load_sectors
  global_store_sectors profiled_kernels"
text=" commit date run source_hash machine host_id gpu gpu_uuid cpu n_label "

import() { # FILE TABLE
  local columns column definitions=() updates=()
  IFS=, read -ra columns < <(head -1 "$1" | tr -d '\r')
  for column in "${columns[@]}"; do
    # NUMERIC turns what looks like a number into one; a commit such as 12e4 must stay text.
    definitions+=("\"$column\" $([[ $text == *" $column "* ]] && echo TEXT || echo NUMERIC)")
    updates+=("UPDATE $2 SET \"$column\" = NULL WHERE \"$column\" = '';")
  done
  local IFS=,
  echo "CREATE TABLE $2 (${definitions[*]});"
  echo ".import --csv --skip 1 '$1' $2"
  IFS=$'\n'
  echo "${updates[*]}"
  if [[ $2 == records ]]; then
    IFS=$' \n'
    for column in $always; do
      [[ " ${columns[*]} " == *" $column "* ]] || echo "ALTER TABLE records ADD COLUMN $column NUMERIC;"
    done
  fi
}

mkdir -p "$(dirname "$out")"
rm -f "$out.part"
{
  echo "BEGIN;"
  import "$csv" records
  for table in results/published/"$experiment"-*.csv; do
    name=${table##*/"$experiment"-}
    name=${name%.csv}
    if [[ -e $table ]]; then import "$table" "published_${name//-/_}"; fi
  done
  cat "scripts/$experiment/views.sql"
  echo "COMMIT;"
} | sqlite3 -bail "$out.part"
mv "$out.part" "$out"
