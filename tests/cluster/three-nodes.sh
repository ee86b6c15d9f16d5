#!/bin/bash -p
# Experiments on a real Slurm of three nodes on this host: everything that should work. Failures are tested in
# tests/cluster/losses.sh.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh
# shellcheck source=tests/cluster/slurm.sh
source tests/cluster/slurm.sh
begin_on_slurm

# `make report` runs all experiments: only small and smaller are left.
rm scripts/[!s]*/steps.sh scripts/s[!m]*/steps.sh
cp -r scripts/small scripts/smaller
sed -i 's/small$/smaller/; s/64:512:64/32,48/' scripts/smaller/steps.sh

submitted() { # SETTINGS...: submits the small experiment and waits until it has ended
  own_make NVCC= small CLUSTER=slurm WAIT=1 POLL=0.5 "$@" >says 2>&1
}
log_of() { cat "$(ls -d build/cluster/*/ | tail -1)$1"*.log; } # of the last submission
expect "an array of three shards ends well" submitted SHARDS=3
expect "the command names its job" grep -qE '^job [0-9]+: small in at most 3 shards' says
expect "progress tells of points and tasks" grep -qE '[0-9]+ of 24 points; tasks: [0-9] running' says
points_of results/trial/small.jsonl >array.points
PARLAB_RESULTS=one.jsonl whole_plan
points_of one.jsonl >one.points
expect "it measured what one process measures: $(wc -l <array.points) points, none lost, none repeated" \
  eval 'test "$(wc -l <array.points)" = 24 && cmp array.points one.points'
expect "each of the three nodes measured a part" \
  test "$(grep -ho 'on node[123]' build/cluster/*/shard-*.log | sort -u | wc -l)" = 3
expect "each task had all CPUs of its node" eval '! log_of shard | grep "were granted"'
# shellcheck disable=SC2016 # awk's
expect "all variants of one size ran on one node" awk '
  function value(name) { match($0, "\"" name "\":\"?[^\",]*"); return substr($0, RSTART, RLENGTH) }
  /"type":"run"/ { id = value("id"); sub("id", "run", id); node[id] = value("node") }
  /"type":"record"/ {
    rows = value("rows"); on = node[value("run")]
    if (!(rows in at)) { at[rows] = on; ++sizes }
    bad += on == "" || at[rows] != on
  }
  END { exit bad > 0 || sizes != 8 }' results/trial/small.jsonl
expect "every node measured the control point" \
  test "$(grep -o '"node":"node[123]"' results/trial/device-spread.jsonl | sort -u | wc -l)" = 3
expect "no shard file is left" eval '! ls results/trial/*.shards 2>/dev/null'
expect "the page has the devices" grep -q 'id="devices"' plots/trial/index.html

before=$(wc -l <results/trial/small.jsonl)
expect "make report submits all experiments" \
  own_make NVCC= report CLUSTER=slurm WAIT=1 POLL=0.5 SHARDS=3
expect "what was recorded is not measured again" test "$(wc -l <results/trial/small.jsonl)" = "$before"
expect "the other experiment is measured" test "$(points_of results/trial/smaller.jsonl | wc -l)" = 6
expect "the other experiment has its tables" test -e plots/trial/smaller-tables.txt

# Some records and the program are missing, and the settings are in a file.
grep -v '"cols":192' results/trial/small.jsonl >some && mv some results/trial/small.jsonl
rm bin/parlab-emulated
cat >cluster.settings <<SETTINGS
PARTITION=main
SLURM_OPTIONS="-c 1 --comment=of-this-test"
MODULES=gcc/12 cuda/none
BUILD_ON=node
SHARDS=2
SETTINGS
mkdir -p modules/init
cat >modules/init/bash <<'END'
module() {
  echo "module $*"
  export NVCC= # a compiler of CUDA would have more to build than this test needs
}
END
export MODULESHOME=$PWD/modules
expect "with BUILD_ON=node the experiment is completed" submitted
unset MODULESHOME
expect "only what was missing was measured: the log says 3 points" eval 'log_of prepare | grep -q "^3 points of 1 "'
expect "the first job built the program" eval 'log_of prepare | grep -q "LINK.*bin/parlab-emulated"'
expect "the login node built nothing" eval '! grep LINK says'
expect "the records are those of one process again" \
  eval 'points_of results/trial/small.jsonl | cmp - one.points'
for job in prepare shard merge; do
  expect "$job loaded the modules" eval 'log_of $job | grep -q "^module load gcc/12 cuda/none"'
done
expect "a task that got fewer CPUs says so" \
  eval "log_of shard | grep -q \"1 of the node's 2 CPUs were granted\""
settings=$(ls -d build/cluster/*/ | tail -1)settings
array=$(grep -oE "array=[0-9]+" "$settings" | cut -d = -f 2)
expect "Slurm was given the options" \
  eval "scontrol show job $array | grep -q Comment=of-this-test"
rm cluster.settings

expect "without its modules a job says what it misses" \
  eval 'submitted MODULES=gcc/12; log_of prepare | grep -q "MODULES=.gcc/12.: no command"'
expect "an unknown partition is reported in Slurm's own words" \
  eval '! submitted PARTITION=nowhere && grep -q "invalid partition" says'
mkdir little && ln -s "$(command -v dirname)" little
expect "a missing sbatch is reported" \
  eval '{ PATH=$PWD/little "$BASH" scripts/cluster/submit.sh small 2>&1 || test $? = 2; } | grep -q "no sbatch in the PATH"'
echo 'PARTITON=main' >cluster.settings
expect "an unknown setting is reported with its line" \
  eval '! submitted && grep -q "cluster.settings:1: .PARTITON=main" says'
rm cluster.settings

# ---- within an allocation -------------------------------------------------------------------------
if (($(cpus) > 1)); then
  threads=$(srun --cpus-per-task=1 bin/parlab-emulated \
    dmv 64 --variant openmp/rows --iterations 2 --format json | grep -oE '"threads":[0-9]+')
  expect "srun has the cores it was given, and one thread each" test "$threads" = '"threads":1'
  expect "so has srun within salloc" \
    eval 'salloc --cpus-per-task=1 srun bin/parlab-emulated machine | grep -q " 1 core"'
  expect "the machine itself has more" eval 'bin/parlab-emulated machine | grep -qE " ([2-9]|[1-9][0-9]+) cores"'
fi

# ---- which device is slow ------------------------------------------------------------------------
expect "make device-spread measures every node" \
  own_make NVCC= device-spread CLUSTER=slurm WAIT=1 POLL=0.5
last_of() { grep '"type":"run"' results/trial/device-spread.jsonl | grep -o '"node":"node[123]"' | tail -n "$1"; }
expect "each node was measured once more" test "$(last_of 3 | sort -u | wc -l)" = 3
expect "the page has a chart of them" \
  eval 'sed -n "/id=.devices/,/<.section>/p" plots/trial/index.html | grep -q "time relative to the median device"'
expect "and names the slow ones, or says that there is none" \
  grep -qE 'Slower than the median device|No device is slower' plots/trial/index.html

# shellcheck disable=SC2034 # used in a test that is a string
trial=$slurm
stop_slurm
expect "Slurm ends without a trace" eval 'test ! -e $trial && ! pgrep -f "$trial"'
end_tests
