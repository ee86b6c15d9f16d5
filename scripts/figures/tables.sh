# What the tables.sh of every experiment begins with: source it, then heading, table ...
# Sets database, from the script's one argument; PARLAB: the program that reads it.
# shellcheck shell=bash

# shellcheck disable=SC2034 # for the script that sources this
database=$1
program=${PARLAB:-bin/parlab-emulated}

# The first line: experiment, machine, date, commit.
heading() { # EXPERIMENT
  "$program" query "$database" "SELECT '$1 on ' || machine || ': ' || coalesce(gpu, 'no GPU') || ', '
    || coalesce(cpu, '?') || ', ' || substr(date, 1, 10) || ', commit ' || \"commit\"
    FROM records ORDER BY date DESC LIMIT 1"
}

table() { # TITLE SQL
  echo
  echo "$1"
  local rows
  rows=$("$program" query "$database" "$2" --format table)
  echo "${rows:-no records of it here}"
}

# A number in SQL, NULL where there is none: as FORMAT VALUE
as() { echo "CASE WHEN $2 IS NULL THEN NULL ELSE printf('$1', $2) END"; }
# An interval, NULL where one end is not known: between FORMAT LOW HIGH
between() { echo "CASE WHEN $2 IS NULL OR $3 IS NULL THEN NULL ELSE printf('$1..$1', $2, $3) END"; }
# Columns of a view with speedups over the serial variant: without and with the copies to the GPU.
# shellcheck disable=SC2034 # for the script that sources this
speedup="$(as %.4g speedup) AS speedup, $(between %.4g speedup_low speedup_high) AS interval,
         CASE WHEN on_gpu THEN $(as %.4g speedup_transfers) END AS 'with copies',
         CASE WHEN on_gpu THEN $(between %.4g speedup_transfers_low speedup_transfers_high) END AS 'interval '"
