#!/bin/bash -p
# Input is interpreted once, quoted as it was typed, and never silently ignored.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

parlab=$PWD/bin/parlab-emulated
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit
quick=(--iterations 2 --execution-limit 20)
# says PATTERN ARGUMENT...: the program's output contains it.
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

expect "duplicates in lists are one" test \
  "$(count dmv 64,64 64x64 --variant serial/plain,plain,dmv/serial/plain --cache hot,hot --dtype float,float "${quick[@]}")" = 1
expect "of tunables too" test "$(count dmv 64 --variant openmp/rows --threads 1,1,1:1 "${quick[@]}")" = 1
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
expect "which takes no words" refuses "machine: 'h200': it takes options" machine h200
expect "a format that a command does not have" refuses 'allowed are csv, table, json' query r.db 'SELECT 1' --format record
expect "by tune" refuses '--counters: is an option' tune dmv 64 --counters
expect "of a machine" refuses "no records of a machine 'nvidia-x'" dmv 64 --emulate --counters --like nvidia-x
expect "of no counters" refuses '--like nvidia-h200: is for --counters' dmv 64 --emulate --like nvidia-h200
for option in --sass --registers '--pictures x' '--keep-report x'; do
  # shellcheck disable=SC2086 # with its value
  expect "$option of none" refuses "^parlab: $option: is for --counters" dmv 64 $option
done
expect "seconds of no energy" refuses 'is for --energy' dmv 64 --energy-time 1
expect "by --list" refuses "--backend: is an option of runs; '--list' has none" dmv --list --backend openmp
for own in --explain --estimate; do
  expect "with $own another format, and what to do" refuses 'leave one out' dmv 64 $own --format json
done
expect "a size as it is typed, and the parameters apart" says '^heat 64x64 steps=16 float' heat 64 --backend serial --estimate
expect "a command names the formats that it has" says 'NAME +table, json, markdown$' merge --help
expect "record is one of runs" says 'NAME +table, csv, json, markdown$' compare --help
expect "types are those of --list" says 'all in --list' dmv --help
mkdir -p results/mine && cp r.jsonl results/mine && cp r.jsonl results/counts.jsonl
expect "index takes all of results/" "$parlab" index results/*
expect "page takes a machine's name" "$parlab" page mine
expect "but not none" refuses "no records of a machine ''" page ''
rm -r results
expect "for an image" refuses '--iterations: is an option' convsep --image generated:8x8 --filter box:1 --output a.pgm --iterations 3
expect "and one of another command by runs" refuses "--margin: is an option of 'parlab compare'" dmv 64 --margin 5
for command in show compare reproduce export claims query database page index merge machine tune grade; do
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
expect "a shard 7/3" refuses 'shard 7/3: a shard is NUMBER/COUNT' dmv 64 --shard 7/3
expect "and an extent that is none" refuses 'size 8x1:2: ' dmv 8x1:2

for size in 1e3 x1024 1024x; do
  expect "$size is refused with sizes that are allowed" refuses "size $size: .*as 1K or 300x1000" dmv "$size"
done
expect "no option is the value of another" refuses '^parlab: --pictures: needs a value, FOLDER' dmv 64 --pictures --kernel naive
expect "nor of one with a variable" refuses '^parlab: --results: needs a value, FILE' dmv 64 --results --emulate
expect "a value of = may not begin so either" refuses '^parlab: --tuned: needs a value' dmv 64 --tuned=--x
expect "an unknown claim is named" refuses "called 'C99'" claims r.jsonl --claim C6,C99
mkdir subs && touch subs/ann.cu
expect "sizes of grade are named with their option" refuses '^parlab: --sizes: size abc' grade dmv subs --sizes abc
expect "hidden ones, too" refuses '^parlab: --hidden: size 0' grade dmv subs --hidden 0
touch words.md
expect "a file that is no source is refused with what is needed" refuses "words.md': needs a .cu or .cpp file" grade --check words.md
expect "records of no machine are named with the folder" refuses "no records of a machine 'x' in $folder/results" show x
mkdir bare
expect "a missing folder of records, too" eval "(cd bare && refuses 'there is no folder $folder/bare/results' audit)"
expect "a file below no folder is refused" says "folder $folder/none does not exist" dmv 64 --variant serial/plain --results none/below/r.jsonl
expect "so is a picture" says "folder $folder/none does not exist" convsep --image generated:16x16 --filter box:1 --output none/below/a.pgm
expect "and no folder is made" test ! -e none
expect "grade says how long an execution may take there" says 'end an execution this long \(10\)' grade --help
expect "the size that is emulated has its time, too" eval 'timeout 10 "$parlab" dmv 1000000 --kernel naive --emulate >out 2>&1
  grep -qE "emulating at .* takes about .*; 1000000x1000000 would take about [0-9.]+ days" out'

image=(convsep --image generated:16x16 --output a.pgm --filter)
expect "a picture that is no PGM is refused" refuses 'write FILE.pgm' convsep --image generated:8x8 --filter box:1 --output a.jpg
expect "a filter of vanishing deviation is refused" refuses 'gaussian:1e-300' "${image[@]}" gaussian:1e-300
expect "one of small deviation is not" says 'passed' "${image[@]}" gaussian:0.1

course() { env GPU_KERNEL=0 NR_ITER=3 "$parlab" "$@" >out 2>/dev/null; }
expect "the course's format has sizes without parameters" eval "course convsep 64; grep -qx 'Matrix size: 64' out"
expect "and times of at least four digits, however short" eval "course dmv 8; grep -m 1 'Elapsed time: ' out | grep -qE '[1-9][0-9]{3,} s\$'"
expect "with its variables as many numbers as extents are one problem" \
  eval "course matmul 8 16 24; grep -qx 'Matrix size: 8x16x24' out"
expect "without them they are a list" test "$(count matmul 8 16 24 --variant serial/plain --iterations 2)" = 3
expect "the usage text says so" says 'matmul <m> <k> <n>, one problem' matmul
expect "1e308 does not fill a line" eval "refuses 'execution-limit 1e308' dmv 8 --execution-limit 1e308 && test \$(wc -c <out) -lt 200"
# The same for such numbers in records, large or small: no number shown has 40 characters or more.
mkdir -p results/huge
for time in 1e308 1e-300; do
  sed -E "s/(\"samples_us\":\[)[^]]*/\1$time,$time/; s/\"(flops|bytes)\":[0-9.]+/\"\1\":$time/; s/(\"rows\":)64/\1${#time}/" r.jsonl
done >results/huge/cslab-dmv.jsonl
for shown in "show results/huge" "show results/huge --format record" "show results/huge --explain" \
  "compare results/huge results/huge" "claims results/huge" "page results/huge --output out.html" \
  "index results/huge --output out.html"; do
  # shellcheck disable=SC2086 # words
  expect "nor in records: $shown" eval \
    "'$parlab' $shown >out.html.txt && cat out.html.txt out.html 2>/dev/null | sed 's/<[^>]*>/ /g' | grep -oE '[-+.0-9einfa]{40,}' | { ! grep .; }; rm -f out.html"
done

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

# It is no error if a reader stops early, as head does.
expect "a sweep into a closed pipe ends as other programs do" eval \
  "('$parlab' dmv 64,96 --variant serial/plain --iterations 1 2>closed; echo \$? >status) | true; grep -qx 141 status"
expect "it calls that no error" eval '! grep -i error closed'

# Limits of a control group, as a container or a cluster sets them: simulated by a folder that replaces the
# system's, if the process may mount. in_group CPUS BYTES COMMAND...: with this many CPUs' time and this much
# memory, a quarter of it in use.
in_group() {
  # shellcheck disable=SC2016 # expanded within
  unshare --map-root-user --mount bash -c '
    at=/sys/fs/cgroup cpus=$1 bytes=$2
    shift 2
    mount -t tmpfs none $at && mkdir -p $at/cpu $at/memory || exit
    echo "$((cpus * 100000)) 100000" >$at/cpu.max
    echo $((cpus * 100000)) >$at/cpu/cpu.cfs_quota_us
    echo 100000 >$at/cpu/cpu.cfs_period_us
    echo $bytes | tee $at/memory.max >$at/memory/memory.limit_in_bytes
    echo $((bytes / 4)) | tee $at/memory.current >$at/memory/memory.usage_in_bytes
    "$@"' in_group "$@"
}
if in_group 1 1000000 true 2>/dev/null; then
  expect "a control group of one CPU has one thread" \
    eval "in_group 1 1000000000 '$parlab' dmv 64 --variant openmp/rows --iterations 2 --format json 2>/dev/null | grep -q '\"threads\":1[,}]'"
  expect "more of them are noted" eval \
    "OMP_NUM_THREADS=2 in_group 1 1000000000 '$parlab' dmv 64 --variant openmp/rows --iterations 2 2>&1 | grep -q 'they share 1 CPU.*control group'"
  expect "what its memory cannot hold is told" eval \
    "in_group 1 200000000 '$parlab' dmv 8K --variant serial/plain 2>&1 | grep -q 'needs 256 MiB of host memory, 143 MiB are free'"
else
  echo "skipped: control groups: this user cannot mount"
fi
end_tests
