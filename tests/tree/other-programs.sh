#!/bin/bash -p
# Other programs read our records: the snippets of docs/how-to/comparing.md run, and the tools of Google
# Benchmark read its form. The test leaves out programs that are not installed, and says so.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

root=$PWD
parlab=$PWD/bin/parlab-emulated
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit

# block LANGUAGE: the block of that language in docs/how-to/comparing.md.
block() { awk -v start="^\`\`\`$1\$" '$0 ~ start { inside = 1; next } /^```/ { inside = 0 } inside' "$root/docs/how-to/comparing.md"; }
# python_with MODULE: a Python that has it.
python_with() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c "import $1" 2>/dev/null; then echo "$python"; return; fi
  done
  echo "skipped: no Python here has $1" >&2
  return 1
}

expect "records are exported" eval "'$parlab' export '$root/results/nvidia-h200/tiled-matmul.jsonl' >records.csv"
block python >snippet.py
block r >snippet.R
expect "docs/how-to/comparing.md has a snippet for pandas and one for R" test -s snippet.py -a -s snippet.R
if python=$(python_with pandas); then
  expect "pandas prints the best times" eval "$python snippet.py | grep -qE 'warp_tiles +[0-9.e-]+$'"
fi
if command -v Rscript >/dev/null; then
  expect "R prints the best times" eval "Rscript snippet.R | grep -qE 'matmul +float +cuda +warp_tiles +[0-9.e-]+$'"
else
  echo "skipped: R is not here"
fi

for run in 1 2; do
  for side in before after; do
    expect "$side, run $run" eval "'$parlab' dmv 64 --variant serial/plain,openmp/rows --iterations 12 --results $side.jsonl --force >said 2>&1"
  done
done
for side in before after; do
  expect "$side is exported" eval "'$parlab' export $side.jsonl --format google-benchmark >$side.json"
done
compare=/usr/share/benchmark/compare.py # of libbenchmark-tools
if [[ ! -f $compare ]]; then
  echo "skipped: the tools of Google Benchmark are not here"
elif python=$(python_with scipy); then
  expect "compare.py of Google Benchmark compares them" eval \
    "$python $compare benchmarks before.json after.json >table && [[ \$(grep -c dmv/serial/plain/64x64/float/hot table) -ge 3 ]]"
fi
if python=$(python_with prometheus_client); then
  "$parlab" export before.jsonl --format openmetrics >metrics
  expect "Prometheus reads OpenMetrics" "$python" -c '
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
(family,) = parse(open("metrics").read())
assert family.name == "parlab_time_seconds" and len(family.samples) == 2, family'
fi
end_tests
