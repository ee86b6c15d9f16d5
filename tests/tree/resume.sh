#!/bin/bash -p
# A sweep that is killed loses at most the current point, and the same command continues from there.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
records=$folder/records.jsonl
command=(bin/parlab-emulated dmv 32:224:32 --backend "serial,openmp" --threads "1,2" --iterations 30
  --format csv --results "$records")
sweep() { "${command[@]}" >/dev/null 2>"$folder/errors"; }
count() { cat "$records" 2>/dev/null | grep -c '"type":"record"'; }

# Seven sizes, each measured by the serial variant and by two of OpenMP with one thread and with two. Each
# sweep is killed when it has this many records.
killed=0
for most in 3 9 15 21 27; do
  "${command[@]}" >/dev/null 2>&1 &
  child=$!
  while kill -0 $child 2>/dev/null && (($(count) < most)); do sleep 0.01; done
  kill -9 $child 2>/dev/null && killed=$((killed + 1))
  wait $child 2>/dev/null
  # Its worker ends with it and releases the file.
  expect "with a killed sweep its worker ends" flock --timeout 30 "$records" true
  # The next one must find a readable file, whatever was being written.
  expect "what it wrote is readable: $(count) records" bin/parlab-emulated export "$records"
done
expect "$killed of 5 sweeps were killed before their end, at least 3" test $killed -ge 3
sweep
expect "the last one ends well" test $? = 0
expect "every point was measured once: 7 sizes x (1 + 2 x 2)" test "$(count)" = 35
expect "and is exported" test "$(bin/parlab-emulated export "$records" | tail -n +2 | wc -l)" = 35
before=$(count)
sweep
expect "once more measures nothing" test "$(count)" = "$before"
expect "and says so" grep -qF "35 of 35 results were recorded before, in $records" "$folder/errors"
expect "nor does it with --resume alone" eval "bin/parlab-emulated dmv 64 --backend serial --resume $records 2>&1 |
  grep -q '1 of 1 results were recorded before'"
expect "a file to resume from that is not there is refused" eval \
  "bin/parlab-emulated dmv 64 --resume $folder/none 2>$folder/said; test \$? = 2 && grep -q 'no such file' $folder/said"

program=$PWD/bin/parlab-emulated
into() { (cd "$folder" && mkdir -p results && "$program" dmv 8 --backend serial --iterations 1 --machine "$1" --results "$2"); }
expect "a machine has a folder" into one results/one/dmv.jsonl
expect "which takes no records of another" eval "into two results/one/new.jsonl 2>$folder/said
  test \$? = 2 && grep -q 'its folder has records of one' $folder/said && test ! -e $folder/results/one/new.jsonl"

printf '{"type":"record","torn' >>"$records"
sweep
expect "a torn last line is named" grep -q 'jsonl:.*skipped' "$folder/errors"
expect "and costs nothing else: none is measured again" test "$(count)" = $((before + 1)) # it is one of them
expect "nor lost" test "$(bin/parlab-emulated export "$records" 2>/dev/null | tail -n +2 | wc -l)" = 35
expect "packed, they are exported as before" eval 'bin/parlab-emulated pack $records && test ! -e "$records" &&
  test "$(bin/parlab-emulated export $records | tail -n +2 | wc -l)" = 35'
sweep
expect "and none is measured again" test ! -e "$records"

# Shards by hand, as on any cluster: each job has a number and a file, and the files are merged.
for number in 1 2 3; do
  expect "shard $number of 3" eval "bin/parlab-emulated dmv 32:224:32 --backend serial,openmp --threads 1,2 --iterations 2 \
    --format csv --shard $number/3 --results $folder/$number.jsonl 2>/dev/null"
done
expect "every shard has a part" eval 'for n in 1 2 3; do grep -q "\"type\":\"record\"" $folder/$n.jsonl || exit 1; done'
expect "all variants of one size are in one shard" \
  test -z "$(for n in 1 2 3; do grep -oE '"rows":[0-9]+' "$folder/$n.jsonl" | sort -u; done | sort | uniq -d)"
expect "they are merged" bin/parlab-emulated merge "$folder/merged.jsonl" "$folder"/[123].jsonl
expect "every point is there once" eval 'test "$(grep -c "\"type\":\"record\"" $folder/merged.jsonl)" = 35 &&
  test "$(bin/parlab-emulated export $folder/merged.jsonl | tail -n +2 | wc -l)" = 35'

# A size that does not fit is a failed point, even if it is the only one, and an experiment goes on.
bin/parlab-emulated dmv 1M --variant serial/plain --results "$folder/large.jsonl" >"$folder/large" 2>&1
expect "a sweep of a size that does not fit exits with 1" test $? = 1
expect "says what is needed and free" grep -qE 'needs 4.00 TiB of host memory, .* are free' "$folder/large"
expect "and records it" grep -q '"verdict":"out_of_memory"' "$folder/large.jsonl"

# Ctrl-C: complete points are kept, and the exit status tells.
rm -f "$records"*
timeout --preserve-status --signal=INT 6 bin/parlab-emulated dmv 64,8192 --backend serial \
  --iterations 999 --format csv --results "$records" >/dev/null 2>&1
expect "an interrupted sweep exits with 130" test $? = 130
expect "and keeps what was complete" test "$(count)" -ge 1
end_tests
