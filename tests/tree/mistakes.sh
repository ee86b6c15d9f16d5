#!/bin/bash -p
# A kernel that somebody drops in: if it does not compile the program is built without it, and if it is right
# only at squares the message speaks of rows and columns. Additions need as few changes as src/README.md says:
# a variant or a command is one file, a field of a record is its member and a line, a value of an enum is a
# line.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

copy_tree
cd "$tree" || exit
sed 's/dmv_naive/dmv_mine/g; /\.id = /d; s/row \* cols + col/row * rows + col/' cuda/dmv/naive.cu >cuda/dmv/mine.cu
sed 's/heat_naive/heat_fixed/g; /\.id = /d; s/in_launches(gpu, p, 1,/Heat::Args<T> q = p; q.steps = 16; in_launches(gpu, q, 1,/' \
  cuda/heat/naive.cu >cuda/heat/fixed.cu
sed 's/transpose_naive/transpose_short/g; s/ceil_div(p.cols, x)/p.cols \/ x/' cuda/transpose/naive.cu >cuda/transpose/short.cu
scripts/workload.sh raised n by >/dev/null
sed 's/a\[i\] + by/a[i] + 4/' cuda/raised/naive.cu >cuda/raised/four.cu
# All threads count in one variable.
sed -E 's/(b\[)i(\] = )/\1at++\2/; s/^#pragma omp/  std::int64_t at = 0;\n&/' openmp/raised/parallel.cpp >openmp/raised/racing.cpp
printf '#include "gpu/gpu.hpp"\n__global__ void broken(int* y) { *y = unknown; }\n' >cuda/dmv/broken.cu
touch cuda/dmv/blank.cu
cat >src/commands/hello.cpp <<'END'
#include <ostream>
#include "cli/command.hpp"
namespace parlab {
namespace {
int say_hello(const Arguments&, const Streams& streams) {
  streams.out << "hello\n";
  return 3;
}
const CommandRegistration hello_command({.name = "hello", .help = "Greets.", .run = say_hello});
}
}
END

parlab=bin/parlab-emulated
own_make $parlab >make.log 2>&1
expect "a kernel that does not compile is named, with the first error" \
  eval "grep -A 1 'broken.cu is left out' make.log | grep -q unknown"
expect "who asks for it is told where all messages are" \
  eval "$parlab dmv 100 --variant cuda/broken 2>&1 | grep -q 'does not compile: see build/emulated/cuda/dmv/broken.cu.log'"
expect "a file without a variant is named" grep -q 'blank.cu has no Register' make.log
expect "... also to who asks for its variant" \
  eval "$parlab dmv 100 --kernel blank 2>&1 | grep -q 'cuda/dmv/blank.cu registers no variant'"
expect "make check would notice" test ! -e build/emulated/cuda/dmv/broken.cu.o
expect "the rest of the program is there" eval "$parlab dmv --list | grep -q 'cuda/mine'"
expect "rows taken for columns are found where only a square was asked for" \
  eval "$parlab dmv 65 --variant cuda/mine --emulate 2>&1 | grep -q 'does it confuse two extents'"
expect "it is wrong at the rectangle alone, which is named, and fails the run" \
  eval "! $parlab dmv 65 --variant cuda/mine --emulate >out 2>&1 && grep -q '1 passed, 1 failed' out && grep -q 'dmv 33x67' out"
expect "found at 3x1000, the message says that it is right at a square" \
  eval "$parlab dmv 3x1000 --variant cuda/mine --emulate 2>&1 | has_words 'does it confuse two extents' -"
expect "a right kernel is emulated at a rectangle as well" \
  eval "$parlab dmv 65 --variant cuda/naive --emulate 2>&1 | grep -q 'also checking 33x67'"
expect "a kernel with a constant in place of a parameter passes at that value, not at the other that is tried" \
  eval "! $parlab heat 40 --dtype float --variant cuda/fixed --emulate >out 2>&1 && grep -q '1 passed, 1 failed' out && has_words 'or have a constant in place of a parameter'"
expect "... and where there is one extent" \
  eval "! $parlab raised 1000 --variant cuda/four --emulate >out 2>&1 && grep -q '1 passed, 1 failed' out && has_words 'it passed at 1000 by=4: does it have a constant in place of a parameter'"
expect "a type that was not tried is named" eval "grep -q 'not tried in double: add --dtype double' out"
expect "it passes in both types" eval "$parlab raised 1000 --variant cuda/naive --dtype float,double --emulate >out 2>&1 && ! grep -q 'not tried' out"
expect "a right kernel passes at both" eval "$parlab heat 40 --dtype float --variant cuda/naive --emulate >out 2>&1 && grep -q '67.*steps=3' out"
expect "a wrong result of a team names the command that looks for races" \
  eval "! $parlab raised 1000003 --variant openmp/racing --threads 2 >out 2>&1 && has_words \"'bin/parlab grade --check openmp/raised/racing.cpp' looks for one\""
expect "an element that no thread writes is named as such" \
  eval "$parlab transpose 40x41 --dtype float --variant cuda/short --emulate 2>&1 | has_words 'b\[[0-9,]*\] was not written, expected' -"
expect "a new command is one file, and in the help" eval "$parlab --help | grep -qw hello && $parlab hello --help | grep -q Greets"
expect "it does what it says" eval "$parlab hello >out; [[ \$? = 3 ]] && grep -qx hello out"

cp -a src before
sed -i 's|^  int discarded = 0;|  int lanes_lost = 0;\n&|' src/record/record.hpp
sed -i 's|^  visit("discarded".*|&\n  visit("lanes_lost", record.lanes_lost);|' src/record/fields.hpp
sed -i 's|(implausible, "implausible")|&,\n            (too_hot, "too_hot")|' src/core/types.hpp
expect "a field is a line in two files, a value of an enum in one" \
  eval "diff -r before src | grep -c '^> ' | grep -qx 4 && diff -rq before src | wc -l | grep -qx 3"
cat >probe.cpp <<'END'
#include <iostream>
#include "record/json.hpp"
using namespace parlab;
int main() {
  Record record;
  record.run = "1", record.workload = "w", record.backend = "cuda", record.variant = "v";
  record.dimensions = {"n"}, record.size = {8};
  record.verdict = from_string<Verdict>("too_hot");
  record.lanes_lost = 7;
  const auto read = std::get<Record>(from_json_line(to_json_line(record)));
  std::cout << to_string(read.verdict) << ' ' << read.lanes_lost << '\n';
}
END
# The code that reads and writes records is compiled with them; the layers below it do not know records.
# Columns of tables: tests/record/fields_test.cpp.
expect "what reads and writes records has them" eval "$(<build/room.flags) -O0 probe.cpp src/record/json.cpp src/record/record.cpp \
  build/host/units/{core,facts,render,statistics}-*.o -o probe"
expect "they are written and read by their names" eval "./probe | grep -qx 'too_hot 7'"
end_tests
