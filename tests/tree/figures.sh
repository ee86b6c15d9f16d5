#!/bin/bash
# Figures from records alone: drawn once, again when the records change, skipped with a word.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

copy_tree
cd "$tree" || exit
records=results/fixture/cslab-dmv.jsonl
measure() {
  bin/parlab-emulated dmv "$1" --backend serial,openmp --threads 1,2 --iterations 5 \
    --format csv --results $records >/dev/null
}
expect "records are made" measure 64,128
drawn=$(own_make figures 2>&1)
figure() { echo "plots/fixture/cslab-dmv-$1"; }

for name in 1-openmp-time 2-openmp-gflops 6-all-time 7-all-gflops; do
  expect "$name is drawn as SVG" grep -q '</svg>' "$(figure $name).svg"
  expect "$name is drawn as PNG" eval "head -c 4 $(figure $name).png | grep -q PNG"
  expect "$name names its machine, date and commit" grep -q "$(date -u +%Y-).* · commit" "$(figure $name).svg"
done
for name in 3-naive-blocks 4-coalesced-blocks 5-shmem-blocks; do
  expect "$name is skipped with one line that names the run" \
    eval "test \"\$(grep -c 'skip .*$name: no records of dmv/cuda' <<<'$drawn')\" = 1"
  expect "$name leaves no picture" test ! -e "$(figure $name).svg"
done
expect "the tables are written" grep -q 'Table 3' "$(figure tables).txt"

expect "the page is written" grep -q '</html>' plots/fixture/index.html
expect "the page has the figures" grep -q 'id="fig-cslab-dmv-6-all-time"' plots/fixture/index.html

expect "a second time writes no page" eval "! own_make figures 2>&1 | grep wrote"
expect "a second time draws nothing" eval "! own_make figures 2>&1 | grep drew"
measure 256
expect "new records draw all of them again" eval 'test "$(own_make figures 2>&1 | grep -c drew)" -ge 4'
touch scripts/cslab-dmv/6-all-time.gp
expect "a changed script draws its figure alone" \
  eval 'test "$(own_make figures 2>&1 | grep drew)" = "  drew  $(figure 6-all-time).svg .png"'
head -c -20 $records >torn && mv torn $records
expect "a torn record file still gives figures" eval 'own_make figures && test -s $(figure 1-openmp-time).svg'
end_tests
