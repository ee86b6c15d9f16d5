#!/bin/bash -p
# A hand-out has everything needed to write its kernels and to check them, and no answers.
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

# Files that are already built need not be built again there.
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

# In the form of a course, with the framework built above.
lab=$folder/lab
expect "a course that is none is refused" refuses WORKLOAD=dmv KERNELS=naive COURSE=nowhere
expect "one that has no such workload, too" refuses WORKLOAD=dmv KERNELS=naive COURSE=solve
expect "a hand-out in the form of a course" own_make -s assignment WORKLOAD=dmv KERNELS=naive COURSE=cslab OUT="$lab"
rm -r "$lab/framework" && ln -s "$out/framework" "$lab/framework"
check_lab() { (cd "$lab" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS COMMIT=test make -s check); }
expect "says what is missing" eval "! check_lab >$folder/log 2>&1 && grep -q 'naive.cu: not written yet' $folder/log"
sed -i 's|// To be written.|size_t row = blockIdx.x * blockDim.x + threadIdx.x;\n  value_t sum = 0;\n  for (size_t col = 0; col < n; ++col) sum += a[row * n + col] * x[col];\n  y[row] = sum;|' \
  "$lab/cuda/dmv/naive.cu"
expect "and passes when it is written: $(check_lab 2>&1 | tail -2 | tr '\n' ' ')" check_lab
sed -i 's/y\[row\] = sum/y[row] += 2 * sum/' "$lab/cuda/dmv/naive.cu"
expect "and not when it is wrong" eval '! check_lab >/dev/null 2>&1'
# Another kind of launch, from a hand-out's own scripts.
awk '/gpu.launch\(/ { print "      dmv_naive<T><<<dim3(ceil_div(p.rows, block), strips), block>>>(p.a, p.x, p.y, p.rows, p.cols);"; skip = 1 }
       !skip { print } skip && /;$/ { skip = 0 }' cuda/dmv/naive.cu >"$out/cuda/dmv/naive.cu"
expect "angle brackets: $(check 2>&1 | tail -2 | tr '\n' ' ')" eval "grep -q '<<<' $out/cuda/dmv/naive.cu && check"
end_tests
