#!/bin/bash -p
# Failures on clusters, on a real Slurm of three nodes on this host: killed tasks, lost nodes, time limits,
# cancelled arrays, two arrays at once, a full disk, a variant that fails. It also measures how much faster
# three nodes are than one.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh
# shellcheck source=tests/cluster/slurm.sh
source tests/cluster/slurm.sh
export SLURM_TEST_PORT=27100 # other tests have a Slurm at the same time
begin_on_slurm

# One variant sleeps: the nodes share one host, so only work that needs no core can be three times as fast on
# three of them. The other is wrong at one size.
plain=$(sed -n '/^template/,/^}/p' serial/dmv/plain.cpp)
variant() { # NAME STATEMENT: adds a variant that does what the plain one does, then the statement
  cat >"serial/dmv/$1.cpp" <<CPP
// For tests of clusters.
#include <unistd.h>
#include <cstdlib>
#include "host/host.hpp"
#include "workloads/dmv.hpp"
using namespace parlab;
$plain
const Register<Dmv, float> variant(
    {.idea = "for tests"}, []<typename T>(Host&, const Dmv::Args<T>& p, const Tunables&) {
      dmv_plain(p.a, p.x, p.y, p.rows, p.cols);
      $2
    });
CPP
}
variant sleeper 'usleep(1000 * std::atoi(std::getenv("SLEEP_MS") ? std::getenv("SLEEP_MS") : "0"));'
variant wrong 'if (p.rows == 320) p.y[0] += 1;'
expect "the variants compile" own_make NVCC= bin/parlab-emulated

# Experiments of 15 sizes each.
sizes=64:960:64
experiment() { # NAME VARIANTS
  mkdir "scripts/$1"
  cp scripts/small/views.sql scripts/small/tables.sql "scripts/$1"
  sed -e "s/open_experiment small/open_experiment $1/" \
    -e "s/dmv 64:512:64.*/dmv $sizes --variant $2 --iterations 5/" \
    scripts/small/steps.sh >"scripts/$1/steps.sh"
  chmod +x "scripts/$1/steps.sh"
}
experiment slow serial\\/sleeper
experiment broken serial\\/plain,serial\\/wrong

# ---- helpers -------------------------------------------------------------------------------------
submission() { ls -d build/cluster/*/ | tail -1; }
id_of() { # prepare, array or merge of the last submission
  grep -oE "$1=[0-9]+" "$(submission)settings" | cut -d = -f 2
}
submit() { # EXPERIMENT SETTINGS...: returns at once
  local experiment=$1
  shift
  env "$@" scripts/cluster/submit.sh "$experiment" >says 2>&1
}
complete() { # EXPERIMENT SETTINGS...: returns when it has ended
  submit "$@" WAIT=1 POLL=0.3
}
records() {
  cat results/trial/slow.shards/*.jsonl results/trial/slow.jsonl 2>/dev/null | grep -c '"type":"record"'
}
some_records() { (($(records) >= $1)); }
merged() { grep -c '"type":"record"' "results/trial/${1:-slow}.jsonl"; }
distinct() { grep '"type":"record"' results/trial/slow.jsonl | grep -oE '"rows":[0-9]+' | sort -u | wc -l; }
all_there() { test "$(distinct)" = 15; }
all_once() { all_there && test "$(merged)" = 15; }
task_process() { # NUMBER: the parlab that this task runs
  local pid
  for pid in $(pgrep -x parlab-emulated); do
    # The Slurm of another test may have a task with this number too.
    { tr '\0' '\n' <"/proc/$pid/environ"; } 2>/dev/null |
      awk -v task="SLURM_ARRAY_TASK_ID=$1" -v conf="SLURM_CONF=$SLURM_CONF" \
        '$0 == task || $0 == conf { ++n } END { exit n < 2 }' && echo "$pid"
  done
}
at_work() { # NUMBER...: these tasks have begun to measure
  local number
  for number in "$@"; do
    [[ -n $(task_process "$number") ]] || return
    compgen -G "results/trial/slow.shards/*-$number-0.jsonl" >/dev/null || return
  done
}
fresh() { rm -rf results/trial/{slow,broken}* build/cluster; }

# ---- one process, for the comparison at the end --------------------------------------------------
# It sleeps while the tests in between run, and takes no core from them.
SLEEP_MS=120 PARLAB_RESULTS=results/trial/alone.jsonl \
  bash -c "time bin/parlab-emulated dmv $sizes --variant serial/sleeper --iterations 5 --format csv" \
  >alone 2>&1 &
alone_process=$!

# ---- a task is killed with -9, another ends at its time limit ------------------------------------
export SLEEP_MS=150
# The second task is still at work when it is killed, even if this script is late. The third sleeps beyond its
# time limit, even if Slurm notices late.
cat >two-are-slow <<'WRAP'
#!/bin/bash
case ${SLURM_ARRAY_TASK_ID:-} in
  2) export SLEEP_MS=1000 ;;
  3) export SLEEP_MS=5000 ;;
esac
exec bin/parlab-emulated "$@"
WRAP
chmod +x two-are-slow
PARLAB=./two-are-slow submit slow SHARDS=3
expect "two tasks are at work" wait_for 120 at_work 2 3
scontrol update JobId="$(id_of array)_3" TimeLimit=1 EndTime=now
wait_for 30 some_records 4
task_process 2 | xargs -r kill -9
expect "the array ends, the merge runs" wait_for 180 queue_empty
# Slurm ends the processes of a task one by one, so its shell may or may not learn how the program ended.
ended_both() {
  cat "$(submission)outcome"
  grep -qE '^failed: shard 2 \(exit status 137\), shard 3 \((did not end|exit status 143)\)' "$(submission)outcome"
}
expect "its outcome names both shards" ended_both
kept=$(merged)
export SLEEP_MS=40
expect "the same command completes it" complete slow SHARDS=3
expect "15 sizes, none twice ($kept were kept)" all_once

# ---- a node is lost in the middle of an array ----------------------------------------------------
fresh
submit slow SHARDS=3
wait_for 120 at_work 1 2 3
lost=$(squeue -h -r -j "$(id_of array)" -t RUNNING -o '%N' | head -1)
kill -9 "${node_process[${lost#node}]}"
scontrol update NodeName="$lost" State=DOWN Reason=test
# shellcheck disable=SC2016 # evaluated later
expect "its task is in the queue again" \
  wait_for 30 eval 'squeue -h -r -j "$(id_of array)" -o %r%T | grep -q PENDING'
# The first copy goes on without its slurmd; the second starts at once on a remaining node.
for job in $(squeue -h -r -j "$(id_of array)" -t PENDING -o %i); do
  scontrol update JobId="$job" StartTime=now
done
expect "the array ends, the merge runs" wait_for 240 queue_empty
expect "its outcome is that all was measured" \
  eval 'cat "$(submission)outcome"; grep -q "^all" "$(submission)outcome"'
expect "15 sizes, twice only what two copies measured at once: $(merged) records" all_there
expect "the second attempt has a log of its own" grep -q 'attempt 2' "$(submission)"shard-*.log
start_node "${lost#node}"
# shellcheck disable=SC2016
wait_for 20 eval 'sinfo -h -n "$lost" -o %T | grep -vq down' ||
  scontrol update NodeName="$lost" State=RESUME
wait_for 30 nodes_idle

# ---- a cancelled array is submitted again --------------------------------------------------------
fresh
submit slow SHARDS=4
wait_for 120 some_records 3
scancel "$(id_of array)"
expect "the merge of a cancelled array runs" wait_for 60 queue_empty
kept=$(merged)
expect "it kept what was measured: $kept" test "$kept" -ge 3
expect "the same command completes a cancelled array" complete slow SHARDS=4
expect "15 sizes, none twice" all_once

# ---- two arrays at once --------------------------------------------------------------------------
fresh
export SLEEP_MS=20
submit slow SHARDS=2
complete slow SHARDS=2
expect "two arrays at once end" wait_for 240 queue_empty
expect "the outcome of both is that all was measured" \
  eval 'cat build/cluster/*/outcome; test "$(cat build/cluster/*/outcome | grep -c ^all)" = 2'
expect "15 sizes, some twice: $(merged) records" all_there
expect "exported, each size is there once" \
  test "$(bin/parlab-emulated export results/trial/slow.jsonl | tail -n +2 | wc -l)" = 15

# ---- the disk of one node is full, a variant fails -----------------------------------------------
fresh
cat >full-on-node2 <<'WRAP'
#!/bin/bash
# As if node2 had room for little more.
if [[ ${SLURMD_NODENAME:-} == node2 && " $* " == *" serial/sleeper "* ]]; then
  trap '' XFSZ
  ulimit -f 4
  set -- "$@" --in-process # what a supervisor keeps in memory would be limited, too
fi
exec bin/parlab-emulated "$@"
WRAP
chmod +x full-on-node2
PARLAB=./full-on-node2 submit slow SHARDS=3
expect "with a full disk on one node the array ends, the merge runs" wait_for 240 queue_empty
expect "its outcome names a shard" grep -q '^failed: shard [123]' "$(submission)outcome"
expect "its log says why" grep -qi 'cannot store a record.*File too large' "$(submission)"shard-*.log
expect "no half line is among what was merged" eval '! grep -h torn "$(submission)merge.log"'
expect "with room it is completed" complete slow SHARDS=3
expect "15 sizes, none twice" all_once

complete broken SHARDS=3
expect "a wrong variant shows in the exit status" test $? = 1
expect "one shard failed" \
  eval 'tail -2 says; test "$(grep -o "shard [0-9] (exit status 1)" says | wc -l)" = 1'
expect "the other shards, and what else it measured, are merged" test "$(merged broken)" = 30

# ---- three nodes against one ---------------------------------------------------------------------
wait "$alone_process"
alone=$(sed -nE 's/^real\t([0-9]+)m([0-9.]+)s/\1 \2/p' alone | awk '{ print 60 * $1 + $2 }')
fresh
# Notes the program's time, so that the time added by the task is known.
cat >timed <<'WRAP'
#!/bin/bash
begun=$EPOCHREALTIME
bin/parlab-emulated "$@"
status=$?
[[ -z ${SLURM_ARRAY_TASK_ID:-} ]] ||
  echo "  program $(awk "BEGIN { print $EPOCHREALTIME - $begun }")" >>"program-$SLURM_ARRAY_TASK_ID"
exit $status
WRAP
chmod +x timed
PARLAB=./timed SLEEP_MS=120 complete slow SHARDS=3
expect "progress told the time that was left" grep -qE '; about [0-9]+ (s|min) left' says
logs=("$(submission)"shard-?.log)
together=$(awk '
  /started/ { if (!first || $2 < first) first = $2 }
  /ended/ { if ($2 > last) last = $2 }
  END { printf "%.1f", last - first }' "${logs[@]}")
expect "three nodes take $together s, one takes $alone s: at least 2.4 times as fast" \
  awk "BEGIN { exit !($alone >= 2.4 * $together) }"
for number in 1 2 3; do
  task=$(awk '/started/ { a = $2 } /ended/ { print $2 - a }' "${logs[number - 1]}")
  program=$(awk '{ sum += $2 } END { print sum }' "program-$number")
  expect "task $number takes $task s, the program $program of them: less than 2 s more" \
    awk "BEGIN { exit !($task - $program < 2) }"
done
end_tests
