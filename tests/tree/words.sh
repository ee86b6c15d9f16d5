#!/bin/bash
# What is typed: understood once, said back as it was typed, and never silently ignored.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

parlab=$PWD/bin/parlab-emulated
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit
quick="--iterations 2 --execution-limit 20"
# says PATTERN ARGUMENT...: the program's output has it.
says() {
  local pattern=$1
  shift
  "$parlab" "$@" >out 2>&1
  grep -qE -e "$pattern" out
}
# refuses PATTERN ARGUMENT...: one line, status 2, and nothing else.
refuses() {
  local pattern=$1
  shift
  "$parlab" "$@" >out 2>&1
  [[ $? = 2 && $(wc -l <out) = 1 ]] && grep -qE -e "$pattern" out
}
count() { "$parlab" "$@" --format json 2>/dev/null | grep -c '"type":"record"'; }

# shellcheck disable=SC2086 # words
expect "duplicates in lists are one" test \
  "$(count dmv 64,64 64x64 --variant serial/plain,plain,dmv/serial/plain --cache hot,hot --dtype float,float $quick)" = 1
# shellcheck disable=SC2086 # words
expect "of tunables too" test "$(count dmv 64 --variant openmp/rows --threads 1,1,1:1 $quick)" = 1
expect "a file that is given twice is read once" test \
  "$("$parlab" dmv 64 --variant serial/plain --iterations 2 --results r.jsonl >/dev/null 2>&1 && "$parlab" export r.jsonl r.jsonl | wc -l)" = 2

seeded() { PARLAB_SEED=$1 "$parlab" dmv 64 --variant cuda/naive >out 2>&1; }
expect "PARLAB_SEED is known" eval "seeded 7 && ! grep -q unknown out"
expect "and checked" eval '! seeded seven && grep -q "PARLAB_SEED=seven: allowed" out'

expect "an option of runs is refused by show" refuses '^parlab: --iterations: is an option of runs' show --iterations 3
expect "by export" refuses '--cache: is an option' export r.jsonl --cache hot
expect "by claims" refuses '--tile: is an option' claims r.jsonl --tile 8
expect "by page" refuses '--format: is an option' page results/x --format csv
expect "by machine" refuses '--kernel: is an option' machine --kernel 1
expect "by tune" refuses '--counters: is an option' tune dmv 64 --counters
expect "for an image" refuses '--iterations: is an option' convsep --image generated:8x8 --filter box:1 --output a.pgm --iterations 3
expect "and one of another command by runs" refuses "--margin: is an option of 'parlab compare'" dmv 64 --margin 5
for command in show compare export claims query database page index merge machine tune; do
  expect "$command --help works" eval "says '^Usage: parlab $command' $command --help && '$parlab' $command --help"
done

noted() { env "$@" "$parlab" vector_sum 64 --emulate >out 2>&1; }
without=$("$parlab" vector_sum --list | awk '/cuda\// { name = $2 } /--block/ { has[name] = 1 } /cuda\// { all[name] = 1 }
  END { for (n in all) if (!(n in has)) { sub(/.*\//, "", n); print n; exit } }')
if [[ -n $without ]]; then
  expect "GPU_BLOCK_SIZE for a kernel without one is a warning: $without" \
    eval "noted GPU_KERNEL=$without GPU_BLOCK_SIZE=64; grep -q 'GPU_BLOCK_SIZE=64: .*has no block size' out"
fi

expect "0x10 is shown as typed" refuses 'size 0x10: ' dmv 0x10
expect "1,,2 is shown as typed" refuses 'size 1,,2: ' dmv 1,,2
expect "in a list of kernels too" refuses '--kernel 0,99: ' dmv 64 --kernel 0,99
expect "and an extent that is none" refuses 'size 8x1:2: ' dmv 8x1:2

image=(convsep --image generated:16x16 --output a.pgm --filter)
expect "a filter of vanishing deviation is refused" refuses 'gaussian:1e-300' "${image[@]}" gaussian:1e-300
expect "one of small deviation is not" says 'passed' "${image[@]}" gaussian:0.1

course() { env GPU_KERNEL=0 NR_ITER=3 "$parlab" "$@" >out 2>/dev/null; }
expect "the course's format has sizes without parameters" eval "course convsep 64; grep -qx 'Matrix size: 64' out"
expect "and times of seven digits" eval "course dmv 8; test \$(grep -oE 'Elapsed time: [0-9.]+' out | head -1 | grep -oE '[1-9][0-9]*\$' | tail -c 8 | wc -c) -ge 5"
expect "with its variables as many numbers as extents are one problem" \
  eval "course matmul 8 16 24; grep -qx 'Matrix size: 8x16x24' out"
expect "without them they are a list" test "$(count matmul 8 16 24 --variant serial/plain --iterations 2)" = 3
expect "the usage text says so" says 'matmul <m> <k> <n>, one problem' matmul
expect "1e308 does not fill a line" eval "refuses 'execution-limit 1e308' dmv 8 --execution-limit 1e308 && test \$(wc -c <out) -lt 200"

limited() { env "$@" "$parlab" dmv 64 --variant openmp/rows --iterations 2 --format json; }
expect "a team that OMP_THREAD_LIMIT makes smaller is recorded as it runs" \
  eval "limited OMP_THREAD_LIMIT=1 OMP_NUM_THREADS=2 2>errors | grep -q '\"threads\":1' && grep -q OMP_THREAD_LIMIT=1 errors"
expect "OMP_DYNAMIC makes none smaller" \
  eval "limited OMP_DYNAMIC=true OMP_NUM_THREADS=2 2>errors | grep -q '\"threads\":2'"
first=$(grep -oP 'Cpus_allowed_list:\s*\K[0-9]+' /proc/self/status)
expect "threads that share a CPU are noted" \
  eval "limited OMP_NUM_THREADS=2 GOMP_CPU_AFFINITY=$first 2>errors | grep -q '\"threads\":2' && grep -q 'they share 1 CPU' errors"
expect "also where the process is bound" \
  eval "taskset -c $first env OMP_NUM_THREADS=2 '$parlab' dmv 64 --variant openmp/rows --iterations 2 2>&1 | grep -q 'they share 1 CPU'"
end_tests
