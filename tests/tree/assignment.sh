#!/bin/bash -p
# A hand-out has everything that is needed to write its kernels and to check them, and no answers.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
out=$folder/out
refuses() { ! own_make -s assignment "$@" OUT="$folder/none" && test ! -e "$folder/none"; }
expect "a workload that is none is refused" refuses WORKLOAD=nothing KERNELS=naive
expect "a kernel that is none is refused" refuses WORKLOAD=dmv KERNELS=naive,nothing
expect "a kernel that shares code is refused" refuses WORKLOAD=matmul KERNELS=bf16x6
expect "the hand-out is made" own_make -s assignment WORKLOAD=dmv KERNELS=naive,coalesced OUT="$out"
expect "what is there already is not touched" eval "! own_make -s assignment WORKLOAD=dmv KERNELS=naive OUT='$out'"
expect "its kernels are without bodies" test "$(grep -l 'To be written' "$out"/cuda/dmv/*.cu | wc -l)" = 2
expect "and with their ideas" grep -q '^// The report' "$out/cuda/dmv/naive.cu"
expect "no answer is in it" test -z "$(grep -rl 'atomicAdd(&y' "$out" | head -1)$(find "$out" -path '*framework/cuda*')"

# What was built here need not be built again there.
mkdir -p "$out/framework/build"
cp -a build/units build/host build/emulated build/*.flags build/*.hpp "$out/framework/build"
find "$out/framework/build" -path '*/cuda/*' -delete 2>/dev/null
check() { (cd "$out" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS COMMIT=test make -s check); }
expect "make check says what is missing" eval "! check >$folder/log 2>&1 && test \$(grep -c 'not written yet' $folder/log) = 2"
cp cuda/dmv/naive.cu "$out/cuda/dmv/naive.cu"
sed 's/sum += a/sum -= a/' cuda/dmv/coalesced.cu >"$out/cuda/dmv/coalesced.cu"
expect "what is right and what is wrong: $(check 2>&1 | tail -3 | tr '\n' ' ')" \
  eval "! check >$folder/log 2>&1; grep -q 'naive: passed' $folder/log && grep -q 'coalesced: wrong_result' $folder/log"
cp cuda/dmv/coalesced.cu "$out/cuda/dmv/coalesced.cu"
expect "and passes in the end" check
end_tests
