#!/bin/bash
# A sweep that is killed loses at most the point under way, and the same command goes on from there.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
records=$folder/records.jsonl
sweep() {
  bin/parlab-emulated dmv 32:224:32 --backend serial,openmp --threads 1,2 --iterations 30 \
    --format csv --results "$records" >/dev/null 2>"$folder/errors"
}
count() { grep -c '"type":"record"' "$records"; }

# Seven sizes; of each serial, and OpenMP's variants with one and with two threads.
killed=0
for delay in 0.9 1.0 1.1 1.2 1.3 1.4 1.6 1.8; do
  sweep &
  child=$!
  sleep $delay
  kill -9 $child 2>/dev/null && killed=$((killed + 1))
  wait $child 2>/dev/null
  # The next one must find a readable file whatever was being written.
  if [[ -s $records ]]; then
    expect "what a killed sweep wrote is readable" bin/parlab-emulated export "$records"
  fi
done
expect "at least one sweep was killed in its middle" test $killed -ge 1
sweep
expect "the last one ends well" test $? = 0
bin/parlab-emulated export "$records" >"$folder/all.csv"
expect "every point is there once: 7 sizes x (1 + 2 x 2)" test "$(tail -n +2 "$folder/all.csv" | wc -l)" = 35
before=$(count)
sweep
expect "once more measures nothing" test "$(count)" = "$before"

printf '{"type":"record","torn' >>"$records"
sweep
expect "a torn last line is named" grep -q 'jsonl:.*skipped' "$folder/errors"
expect "and costs nothing else" test "$(count)" -ge "$before"

# Ctrl-C: what is complete is kept, and the exit status says so.
rm -f "$records"
timeout --preserve-status --signal=INT 6 bin/parlab-emulated dmv 64,2048 --backend serial \
  --iterations 9999 --format csv --results "$records" >/dev/null 2>&1
expect "an interrupted sweep exits with 130" test $? = 130
expect "and keeps what was complete" test "$(count)" -ge 1
end_tests
