#!/bin/bash -p
# Machines of today's courses: no driver, one that is too old or does not start, GPUs that are hidden, of
# several models, or used by others. Each gives one clear line, and variants that need no GPU are measured.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

NVCC=${NVCC-$(own_make -s print-NVCC)}
[[ $NVCC ]] || { echo "passed: without nvcc nothing here asks a driver"; exit; }
unset -v CUDA_VISIBLE_DEVICES
own_make -s build/check/parlab-without-kernels build/check/parlab-of-fake-gpus || exit
root=$PWD folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cc -std=gnu99 -shared -fPIC -o "$folder/libcuda.so.1" tests/machine/fake_driver.c -ldl
cd "$folder" || exit

# says WORDS PROGRAM [VARIABLE=VALUE...]: prints a table in which each variant for a GPU has that reason, and
# those for the CPU have a time.
says() {
  rm -f r.jsonl
  env "${@:3}" "$root/build/check/parlab-$2" dmv 64 --backend serial,blas --iterations 2 --results r.jsonl >out 2>&1
  local status=$?
  tr -s ' \n' ' ' <out >line
  cat out
  [[ $status == 0 ]] && grep -qF "blas/cublas no_device: $1" line && grep -qE 'serial/plain +[0-9.]+ .s' out &&
    test "$(grep -c '"verdict":"passed"' r.jsonl)" = 2 && ! grep -q '"verdict":"launch_failed"' r.jsonl
}
driver() { says "$1" without-kernels LD_LIBRARY_PATH="$folder" "${@:2}"; }
if [[ ! $(PATH=$PATH:/sbin ldconfig -p) =~ libcuda\.so\.1 ]]; then
  expect "without a driver: none was found" \
    says "no GPU can be used: $([[ -e /usr/lib/wsl/lib/libcuda.so.1 ]] && echo the driver lies || echo no NVIDIA driver)" without-kernels
fi
expect "a driver older than the toolkit: both versions" driver \
  "no GPU can be used: the driver is of CUDA 11.4, this program of" FAKE_DRIVER=11040
expect "the same where it refuses to start" driver \
  "no GPU can be used: the driver is of CUDA 11.4, this program of" FAKE_DRIVER=11040 FAKE_START=35
expect "no GPU in the machine" driver "no GPU can be used: none was found" FAKE_START=100
for visible in -1 7 '' GPU-8f3a MIG-40f4 MIG-GPU-8f3a/1/0; do
  expect "CUDA_VISIBLE_DEVICES=$visible hides all: it is named" driver \
    "no GPU can be used: CUDA_VISIBLE_DEVICES=$visible leaves none" FAKE_START=100 CUDA_VISIBLE_DEVICES="$visible"
done
# A library that does not match the kernel module; a container without devices; a GPU that fell off the bus.
for start in 803 804 3 46 802 999; do
  expect "a driver that does not start, $start: in CUDA's words" driver "no GPU can be used: " FAKE_START=$start
done

kinds='Tesla T4=75,NVIDIA H100 80GB HBM3=90,Tesla T4=75'
expect "GPUs that another process has" says "choosing device 0: another process holds the GPU" of-fake-gpus FAKE_GPUS="$kinds"
expect "every one of several kinds is tried" eval \
  'FAKE_GPUS=$kinds "$root/build/check/parlab-of-fake-gpus" dmv 64 --backend serial,blas --device all --iterations 2 >out 2>&1 && cat out && grep -q serial/plain out'
expect "who names one that is not there is told which are" eval \
  'FAKE_GPUS=$kinds "$root/build/check/parlab-of-fake-gpus" dmv 64 --device 3 >out 2>&1; cat out; grep -q "there are: 0 Tesla T4, 1 NVIDIA H100 80GB HBM3, 2 Tesla T4" out'
expect "the machine is named after the first kind, and how many of it there are" eval \
  'FAKE_GPUS=$kinds "$root/build/check/parlab-of-fake-gpus" machine --name | tee out | grep -qx tesla-t4-x2'
end_tests
