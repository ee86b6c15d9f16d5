#!/bin/bash
# Experiments on a real Slurm: three nodes on this host, everything in one temporary folder. What goes
# wrong there is in tests/cluster/losses.sh.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh
# shellcheck source=tests/cluster/slurm.sh
source tests/cluster/slurm.sh
begin_on_slurm

submitted() { # ARGUMENTS...: submits the small experiment, stays until it ends
  WAIT=1 POLL=0.5 "$@" scripts/cluster/submit.sh small >says 2>&1
}
expect "an array of three shards ends well" submitted env SHARDS=3
expect "the command names its job" grep -qE '^job [0-9]+: small in at most 3 shards' says
expect "progress tells of points and tasks" grep -qE '[0-9]+ of 24 points; tasks: [0-9] running' says
points_of results/trial/small.jsonl >array.points
PARLAB_RESULTS=one.jsonl whole_plan
points_of one.jsonl >one.points
expect "it measured what one process measures: $(wc -l <array.points) points, none lost, none twice" \
  eval 'test "$(wc -l <array.points)" = 24 && cmp array.points one.points'
expect "three nodes had a part" test "$(grep -ho 'on node[123]' build/cluster/*/shard-*.log | sort -u | wc -l)" = 3
expect "every node measured the control point" \
  test "$(grep -o '"node":"node[123]"' results/trial/device-spread.jsonl | sort -u | wc -l)" = 3
expect "no shard file is left" eval '! ls results/trial/*.shards 2>/dev/null'
expect "the page has the devices" grep -q 'id="devices"' plots/trial/index.html

before=$(wc -l <results/trial/small.jsonl)
expect "again ends well" submitted env SHARDS=3
expect "and measured nothing" test "$(wc -l <results/trial/small.jsonl)" = "$before"

grep -v '"cols":192' results/trial/small.jsonl >some && mv some results/trial/small.jsonl
expect "what is missing is measured again" submitted env SHARDS=3
expect "and nothing else: the log says 3 points" grep -q '^3 points of 1 ' "$(ls -d build/cluster/*/ | tail -1)prepare.log"
expect "now it is complete again" \
  eval 'points_of results/trial/small.jsonl | cmp - one.points'

expect "a partition that is not there is told in Slurm's own words" \
  eval 'submitted env PARTITION=nowhere; test $? = 2 && grep -q "invalid partition" says'
mkdir little && ln -s "$(command -v dirname)" little
expect "no sbatch in the path is told" \
  eval '{ PATH=$PWD/little "$BASH" scripts/cluster/submit.sh small 2>&1 || test $? = 2; } | grep -q "no sbatch in the PATH"'
echo 'PARTITON=main' >cluster.settings
expect "a setting that is none is told with its line" \
  eval 'submitted env; grep -q "cluster.settings:1: .PARTITON=main" says'
rm cluster.settings

# ---- which device is slow ------------------------------------------------------------------------
expect "make device-spread measures every node" own_make NVCC= device-spread CLUSTER=slurm WAIT=1 POLL=0.5
last_of() { grep '"type":"run"' results/trial/device-spread.jsonl | grep -o '"node":"node[123]"' | tail -n "$1"; }
expect "each node once more" test "$(last_of 3 | sort -u | wc -l)" = 3
expect "the page has a chart of them" \
  eval 'sed -n "/id=.devices/,/<.section>/p" plots/trial/index.html | grep -q "time over that of the device in the middle"'
expect "and names the slow ones, or says that there is none" \
  grep -qE 'Slower than the device in the middle|No device is slower' plots/trial/index.html
end_tests
