#!/bin/bash
# A new variant is one new file: it shows up in the usage text, the sweeps and the tests by itself.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

copy_tree
cd "$tree" || exit
sed 's/dmv_plain/dmv_mine/g; s/\.idea = "[^"]*"/.idea = "one of my own"/' serial/dmv/plain.cpp >serial/dmv/mine.cpp
sed 's/dmv_naive/dmv_mine/g; s/\.id = 0,//; s/\.idea = *"[^"]*"/.idea = "one of my own"/' cuda/dmv/naive.cu >cuda/dmv/mine.cu

expect "it is compiled" own_make bin/parlab-emulated
parlab=bin/parlab-emulated
# Its output, whatever its exit status says.
says() { $parlab "$@" || true; }
expect "--list shows the one on the CPU" eval "says dmv --list | grep -q 'serial/mine'"
expect "--list shows the kernel" eval "says dmv --list | grep -q 'cuda/mine'"
expect "the usage text shows the kernel with a number" eval "says dmv | grep -qE '[0-9]+:mine'"
expect "a sweep runs and verifies the one on the CPU" \
  eval "says dmv 65 --backend serial --iterations 2 --format csv | grep -q 'serial,mine,.*passed'"
expect "a sweep runs and verifies the kernel" \
  eval "says dmv 65 --variant cuda/mine --emulate --format csv | grep -q 'cuda,mine,.*passed'"

# Broken, the framework itself must notice.
sed -i 's/y\[row\] = sum/y[row] = sum + (row == 3)/' serial/dmv/mine.cpp
expect "it is compiled again" own_make $parlab
expect "a wrong one gets the verdict wrong_result" \
  eval "says dmv 65 --variant serial/mine --iterations 2 --format csv | grep -q 'serial,mine,.*wrong_result'"
rm serial/dmv/mine.cpp cuda/dmv/mine.cu
expect "it is gone with its file" eval "own_make $parlab && ! says dmv --list | grep mine"
end_tests
