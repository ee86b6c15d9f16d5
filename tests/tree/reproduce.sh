#!/bin/bash -p
# `parlab reproduce` measures a stranger's records here, and says why some cannot be compared.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

parlab=$PWD/bin/parlab-emulated
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit

for run in 1 2 3; do
  expect "run $run is recorded" eval \
    "'$parlab' dmv 64x100 --variant serial/plain,openmp/rows --threads 2 --iterations 12 --results their.jsonl --force >said 2>&1"
done
# reproduces FORMAT PATTERN OPTION...: exits with 1, because not all is the same, and says so.
reproduces() {
  local format=$1 pattern=$2 status
  shift 2
  rm -f mine.jsonl # beside theirs: the ceilings are known there
  "$parlab" reproduce theirs.jsonl --results mine.jsonl --time-limit 0.02 --format "$format" "$@" >out 2>errors
  status=$?
  if [[ $status != 1 ]] || ! grep -qE -e "$pattern" out; then
    echo "status $status"
    cat out errors
    false
  fi
}
# times FACTOR: multiplies all samples.
times() { perl -pe "s/(\"samples_us\":\[)([^\]]*)/\$1 . join(',', map { \$_ * $1 } split(',', \$2))/e" their.jsonl >theirs.jsonl; }

times 1000
expect "what took a thousand times as long is faster here" reproduces csv '^faster,dmv/serial/plain,dmv 64x100 float hot,,'
expect "it was measured as often as there" test "$(grep -c '"variant":"plain"' mine.jsonl)" = 3
expect "with the same tunables" grep -q '^faster,dmv/openmp/rows,dmv 64x100 float hot,threads=2,' out
times 0.001
expect "what took a thousandth is slower" reproduces csv '^slower,dmv/serial/plain,' --variant serial/plain
expect "only what was asked for is measured" eval '! grep openmp out'
sed 's/"cpu":"[^"]*"/"cpu":"Another"/' their.jsonl >theirs.jsonl
expect "other hardware is not comparable" reproduces markdown '^- dmv/openmp/rows .* and 1 more: other hardware: Another'
sed 's/"source_hash":"[^"]*"/"source_hash":"0123"/' their.jsonl >theirs.jsonl
expect "that nothing could be compared is said" grep -q '^2 points: 2 not comparable; nothing could be compared' out
expect "nor another source" reproduces markdown '^- dmv/serial/plain .*: the variant has another source there: hash 0123' --backend serial
expect "one point is not points" grep -q '^1 point: ' out
sed 's/"variant":"plain"/"variant":"theirs"/; s/"backend":"openmp","variant":"rows"/"backend":"cuda","variant":"naive"/
  s/{"threads":2}/{"block":64}/' their.jsonl >theirs.jsonl
expect "nor a variant that is not here" reproduces markdown '^- dmv/serial/theirs .*: this parlab has no such variant'
expect "nor a kernel where there is no GPU" grep -qE '^- dmv/cuda/naive .* (no GPU can be used|to emulate CUDA kernels)' out
for asked in '' '--results mine.jsonl'; do
  mkdir -p temporary
  # shellcheck disable=SC2086 # no word, or two
  TMPDIR=$folder/temporary timeout --foreground --preserve-status --signal=INT 3 "$parlab" reproduce their.jsonl --time-limit 2 $asked >out 2>errors
  status=$?
  expect "Ctrl-C ends it in order: $(tail -1 errors)" eval \
    "test $status = 130 && grep -q 'interrupted; .*${asked:+in mine}' errors && rmdir temporary"
done
expect "nothing to reproduce is refused" eval "! '$parlab' reproduce theirs.jsonl --variant nonsuch 2>said; grep -q 'no record with a time' said"
end_tests
