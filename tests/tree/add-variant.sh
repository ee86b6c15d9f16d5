#!/bin/bash -p
# A new variant is one new file, which appears in the usage text, the sweeps and the tests without further
# changes. A new workload is one pair of files.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

copy_tree
# The programs that the docs show.
mkdir "$tree/scripts/my-question"
programs=$(awk -v tree="$tree" '/^<!-- program: / { file = $3; sub(/mine/, "shown", file); next }
  /^```/ { if (inside) print file; inside = !inside && file != ""; if (!inside) file = ""; next }
  inside { print >(tree "/" file) }' docs/*/*.md)
expect "the docs have programs" test "$(wc -w <<<"$programs")" -ge 8
cd "$tree" || exit
# Functions and kernels keep their names in the copies, because a file's definitions are its own.
sed 's/\.idea = "[^"]*"/.idea = "one of my own"/' serial/dmv/plain.cpp >serial/dmv/mine.cpp
sed '/\.id = /d; s/\.idea = *"[^"]*"/.idea = "one of my own"/' cuda/dmv/coalesced.cu >cuda/dmv/mine.cu

expect "a new workload is begun" scripts/workload.sh twice_all "planes rows cols" "steps radius"
expect "not twice" eval '! scripts/workload.sh twice_all n 2>said; grep -q "there is such a workload" said'
expect "a name that is none is refused" eval '! scripts/workload.sh Twice n 2>said; grep -q "small letters" said'
expect "nor is one of a command taken" eval '! scripts/workload.sh show n 2>said; grep -q "a command is called so" said'
expect "an extent is no word of C++" eval '! scripts/workload.sh twice int 2>said; grep -q "a word of C++" said'
expect "nor has it a comma" eval '! scripts/workload.sh twice rows,cols 2>said; grep -q "blanks between names" said'
expect "a parameter is no option" eval '! scripts/workload.sh twice n dtype 2>said; grep -q "is an option" said'
expect "nothing is written then" test ! -e src/workloads/twice.hpp
expect "no number has two meanings" eval '! scripts/workload.sh twice "m n" n 2>said; grep -q "PARAMETERS: .n. twice" said'

expect "it is compiled" own_make bin/parlab-emulated
parlab=bin/parlab-emulated
# Its output, whatever its exit status.
says() { $parlab "$@" || true; }
expect "--list shows the one on the CPU" eval "says dmv --list | grep -q 'serial/mine'"
expect "--list shows the kernel" eval "says dmv --list | grep -q 'cuda/mine'"
expect "the usage text shows the kernel with a number" eval "says dmv | grep -qE '[0-9]+:mine'"
expect "a sweep runs and verifies the one on the CPU" \
  eval "says dmv 65 --backend serial --iterations 2 --format csv | grep -q 'serial,mine,.*passed'"
expect "a sweep runs and verifies the kernel" \
  eval "says dmv 65 --variant cuda/mine --emulate --format csv | grep -q 'cuda,mine,.*passed'"

for variant in openmp,pairs cuda,shown cuda,my_team; do
  expect "$variant of the docs is right" eval \
    "says dmv 33 --variant ${variant/,//} --iterations 2 --emulate --format csv | grep -q '$variant,.*passed'"
done
expect "its team has as many GPUs as asked for" eval \
  "test \$(says dmv 33 --variant my_team --gpus 1,2,3 --emulate --format csv | grep ,passed | grep -oE 'gpus=[1-3],' | sort -u | wc -l) = 3"
chmod +x scripts/my-question/steps.sh
(
  PARLAB=$parlab SCALE=quick MACHINE=mine scripts/my-question/steps.sh &&
    $parlab database results/mine/my-question.jsonl question.db --views scripts/my-question/views.sql &&
    $parlab tables question.db scripts/my-question/tables.sql &&
    $parlab claims results/mine --claim Q1
) >out 2>&1
expect "the experiment of the docs measures" test -s results/mine/my-question.jsonl
expect "it has a table" grep -q '^The fastest at each size' out
expect "and a claim: $(tail -1 out)" grep -q 'Several threads pay' out
if command -v gnuplot >/dev/null; then
  expect "and a figure" eval "PARLAB=$parlab FORMATS=svg scripts/figure.sh question.db scripts/my-question/1-time.gp question && grep -q 'is the fastest' question.svg"
fi
for variant in serial,plain openmp,parallel cuda,naive; do
  expect "the new workload's $variant is right" eval \
    "test \$(says twice_all 3x65x7 --steps 4,7 --iterations 2 --emulate --format csv | grep -c '$variant,.*passed') -ge 2"
done
expect "a square of it is one number" eval "says twice_all 5 --iterations 2 | grep -q 5x5x5"

# If they are broken, the framework itself must notice.
sed -i 's/y\[row\] = sum/y[row] = sum + (row == 3)/' serial/dmv/mine.cpp
sed -i 's/atomicAdd(&y\[row\], sum)/atomicAdd(\&y[row], sum + (row == 3))/' cuda/dmv/mine.cu
expect "they are compiled again" own_make $parlab
for variant in serial/mine cuda/mine; do
  expect "a wrong $variant gets the verdict wrong_result" \
    eval "says dmv 65 --variant $variant --iterations 2 --emulate --format csv | grep -q '${variant/\//,},.*wrong_result'"
done
(
  source scripts/experiment.sh
  PARLAB=$parlab open_experiment mine
  step "a wrong one and a right one" dmv 65 --backend serial --iterations 2
  close_experiment
) >out 2>&1
status=$?
expect "an experiment with a point that fails fails: status $status" test $status = 1
expect "it says which one, and how" \
  eval 'sed "1,/^some points failed/d" out | grep -q "serial/mine .*wrong_result" && ! sed "1,/^some points failed/d" out | grep -q serial/plain'
expect "what it was copied from is still right" \
  eval "says dmv 65 --variant cuda/coalesced --emulate --format csv | grep -q 'cuda,coalesced,.*passed'"

# A message names the kernel as the source does.
sed -i 's/col < last; ++col/col <= last + rows * cols; ++col/' cuda/dmv/mine.cu
expect "it is compiled once more" own_make $parlab
expect "a message has the plain name of the kernel" \
  eval "says dmv 65 --variant cuda/mine --emulate --format csv 2>&1 | grep -q 'kernel dmv_coalesced<float>'"

# Launches that several variants share are compiled once. A copy of their header that is changed has its own,
# and one that still refers to the shared ones does not link.
sed 's/rows - 2 - top/rows - 3 - top/' cuda/conv2d/streamed.cuh >cuda/conv2d/mine.cuh
sed '/\.id = /d; s/streamed\.cuh/mine.cuh/' cuda/conv2d/streamed.cu >cuda/conv2d/mine.cu
expect "a copy does not get the launches of the original" eval '! own_make $parlab'
sed -i '/^extern template/d' cuda/conv2d/mine.cuh
expect "it gets its own" own_make $parlab
expect "they are what it says" \
  eval "says conv2d 67 --variant cuda/mine --emulate --format csv | grep -q 'cuda,mine,.*wrong_result'"
expect "the original's are still right" \
  eval "says conv2d 67 --variant cuda/streamed --emulate --format csv | grep -q 'cuda,streamed,.*passed'"
rm cuda/conv2d/mine.cu cuda/conv2d/mine.cuh

# No variant sees another one's definitions, or the linker would keep one of two.
mapfile -t objects < <(find build/host/{serial,openmp,blas} build/emulated/cuda -name '*.o' 2>/dev/null)
seen=$(nm -A --defined-only "${objects[@]}" 2>/dev/null | awk '$2 ~ /^[TWVuDBR]$/ && $3 ~ /^_Z[0-9]/' | c++filt)
expect "all that a variant defines is in an unnamed namespace: $seen" test -z "$seen"
rm serial/dmv/mine.cpp cuda/dmv/mine.cu
expect "it is gone with its file" eval "own_make $parlab && ! says dmv --list | grep mine"
end_tests
