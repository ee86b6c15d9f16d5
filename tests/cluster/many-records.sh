#!/bin/bash -p
# Many records: the time to read 50,000 of them grows in proportion, and the memory is at most twice the file.
# Times are processor time, and the limits leave room, because the machine may be busy. The total time allowed
# depends on the machine and on the length of records: four times that of gzip.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# make_records COUNT: the H200's records as one file, repeated with other sizes up to this number.
make_records() {
  lines results/nvidia-h200/*.jsonl* | awk -v most="$1" '
    !/"type":"record"/ { print; next }
    { line[++n] = $0 }
    END {
      for (made = 0; made < most; ++made) {
        text = line[made % n + 1]
        match(text, /"size":[{]"[a-z_]+":[0-9]+/)
        end = RSTART + RLENGTH
        print substr(text, 1, end - 1) sprintf("%03d", made / n) substr(text, end)
      }
    }'
}

# seconds_of COMMAND...: processor time; 1e9 if it fails.
seconds_of() {
  local TIMEFORMAT='%U %S'
  { time "$@" >"$folder/out" 2>"$folder/errors" || echo failed; } 2>&1 |
    awk '/failed/ { bad = 1 } NF == 2 { sum = $1 + $2 } END { print bad ? 1e9 : sum }'
}
at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }'; }

expect "those of the repository are packed" test -z "$(git ls-files 'results/*.jsonl')"
expect "and below 20 MB" test "$(du -sk results | cut -f1)" -lt 20000

make_records 50000 >"$folder/all.jsonl"
make_records 12500 >"$folder/quarter.jsonl"
expect "there are 50,000 records" test "$(grep -c '"type":"record"' "$folder/all.jsonl")" = 50000

# Measures one more point. The same command, timed below, then finds it and measures nothing.
resume=(dmv 8 --backend serial --iterations 1 --format csv --results)
for file in all quarter; do bin/parlab-emulated "${resume[@]}" "$folder/$file.jsonl" >"$folder/out"; done

limit=$(seconds_of gzip -1 -c "$folder/all.jsonl" | awk '{ print 4 * $1 }')
for what in export show resume; do
  command=(bin/parlab-emulated "$what")
  [[ $what != resume ]] || command=(bin/parlab-emulated "${resume[@]}")
  all=$(seconds_of "${command[@]}" "$folder/all.jsonl")
  quarter=$(seconds_of "${command[@]}" "$folder/quarter.jsonl")
  expect "$what takes $all s of processor time: at most $limit s" at_most "$all" "$limit"
  expect "$what of a quarter takes $quarter s: the whole costs in proportion" \
    at_most "$all" "$(awk "BEGIN { print 8 * $quarter + 0.3 }")"
done
expect "resuming measured nothing" \
  test "$(grep -c '"type":"record"' "$folder/all.jsonl")" = 50001

# The memory of the other three quarters, so that the program's own needs are not counted.
peak() { # ARGUMENTS...: the most memory that parlab had, in KiB
  bin/parlab-emulated "$@" >"$folder/out" &
  local child=$! most=0 now
  while now=$(awk '/VmHWM/ { print $2 }' "/proc/$child/status" 2>/dev/null) && [[ -n $now ]]; do
    most=$now
    sleep 0.02
  done
  wait $child && echo "$most"
}
size() { echo $(($(stat -c %s "$1") / 1024)); }
records=$(($(size "$folder/all.jsonl") - $(size "$folder/quarter.jsonl")))
for what in show export; do
  memory=$(($(peak $what "$folder/all.jsonl") - $(peak $what "$folder/quarter.jsonl")))
  expect "the memory of $what, $memory KiB, is below twice that of the records, $records KiB" \
    test "$memory" -lt $((2 * records))
done
end_tests
