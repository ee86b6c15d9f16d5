#!/bin/bash
# Experiments on a real Slurm: three nodes on this host, everything in one temporary folder. What takes
# minutes is in tests/cluster/scenarios.sh (make check-cluster).
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh
# shellcheck source=tests/cluster/slurm.sh
source tests/cluster/slurm.sh

missing=$(slurm_missing | tr '\n' ' ')
if [[ -n $missing ]]; then
  echo "skipped: not installed: $missing"
  exit 0
fi
copy_tree
trap 'stop_slurm; rm -rf "$tree"' EXIT
cd "$tree" || exit
small_experiment
if ! start_slurm; then
  echo "skipped: Slurm does not start here: $(tail -n 1 "$slurm"/log/*.out "$slurm"/log/slurmctld.log | grep -v '^$' | tail -1)"
  exit 0
fi

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
  eval 'PATH=$PWD/little "$BASH" scripts/cluster/submit.sh small 2>&1 | "$(command -v grep)" -q "no sbatch in the PATH"'
echo 'PARTITON=main' >cluster.settings
expect "a setting that is none is told with its line" \
  eval 'submitted env; grep -q "cluster.settings:1: .PARTITON=main" says'
rm cluster.settings
end_tests
