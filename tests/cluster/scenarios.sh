#!/bin/bash
# What goes wrong on clusters, shown on a real Slurm of three nodes on this host: killed tasks, lost
# nodes, time limits, cancelled arrays, two arrays at once, a full disk, a variant that fails; and how
# much faster three nodes are. Minutes: make check-cluster.
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

# A variant that sleeps: the nodes share one host, and only what needs no core can be three times as
# fast. One that is wrong at one size. And an experiment of 24 sizes with the first.
plain=$(sed -n '/^template/,/^}/p' serial/dmv/plain.cpp)
variant() { # NAME STATEMENT: a variant that does what the plain one does after the statement
  {
    printf '// For tests of clusters.\n#include <unistd.h>\n#include <cstdlib>\n'
    printf '#include "host/host.hpp"\n#include "workloads/dmv.hpp"\nusing namespace parlab;\n'
    echo "$plain"
    printf 'const Register<Dmv, float> variant({.idea = "for tests"}, []<typename T>(Host&, const Dmv::Args<T>& p, const Tunables&) {\n'
    printf '  dmv_plain(p.a, p.x, p.y, p.rows, p.cols);\n  %s\n});\n' "$2"
  } >"serial/dmv/$1.cpp"
}
variant sleeper 'usleep(1000 * std::atoi(std::getenv("SLEEP_MS") ? std::getenv("SLEEP_MS") : "0"));'
variant wrong 'if (p.rows == 320) p.y[0] += 1;'
expect "the variants compile" own_make NVCC= bin/parlab-emulated
mkdir scripts/slow scripts/broken
sed -e 's/open_experiment small/open_experiment slow/' \
  -e 's/dmv 64:512:64.*/dmv 64:1536:64 --variant serial\/sleeper --iterations 5/' scripts/small/steps.sh >scripts/slow/steps.sh
sed -e 's/open_experiment small/open_experiment broken/' \
  -e 's/--backend serial,openmp/--variant serial\/plain,serial\/wrong/' scripts/small/steps.sh >scripts/broken/steps.sh
for name in slow broken; do
  cp scripts/small/views.sql scripts/small/tables.sh scripts/$name/
  chmod +x scripts/$name/steps.sh
done
start_slurm || { echo "failed: Slurm does not start"; exit 1; }

submission() { ls -d build/cluster/*/ | tail -1; }
id_of() { # prepare, array or merge of the last submission
  grep -oE "$1=[0-9]+" "$(submission)settings" | cut -d = -f 2
}
submit() { # EXPERIMENT SETTINGS...: returns at once
  local experiment=$1
  shift
  env "$@" scripts/cluster/submit.sh "$experiment" >says 2>&1
}
complete() { # EXPERIMENT SETTINGS...: the same command until its end
  local experiment=$1
  shift
  env WAIT=1 "$@" scripts/cluster/submit.sh "$experiment" >says 2>&1
}
records() { cat results/trial/slow.shards/*.jsonl results/trial/slow.jsonl 2>/dev/null | grep -c '"type":"record"'; }
some_records() { (($(records) >= $1)); }
distinct() { grep '"type":"record"' results/trial/slow.jsonl | grep -oE '"rows":[0-9]+' | sort -u | wc -l; }
task_process() { # NUMBER: the parlab that this task runs
  local pid
  for pid in $(pgrep -x parlab-emulated); do
    if tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx "SLURM_ARRAY_TASK_ID=$1" &&
      tr '\0' '\n' <"/proc/$pid/environ" | grep -qx "SLURM_CONF=$SLURM_CONF"; then
      echo "$pid"
    fi
  done
}
sleeping() { # NUMBER: that task measures the experiment
  [[ -n $(task_process "$1") ]] && ls results/trial/slow.shards/*-"$1"-0.jsonl
}
fresh() { rm -rf results/trial build/cluster; }
all_there() { test "$(distinct)" = 24; }
once() { test "$(grep -c '"type":"record"' results/trial/slow.jsonl)" = "$1"; }

# ---- a task is killed with -9 --------------------------------------------------------------------
export SLEEP_MS=100
submit slow SHARDS=3
expect "a task is at work" wait_for 120 sleeping 2
wait_for 30 some_records 5
task_process 2 | xargs -r kill -9
expect "the array ends, the merge runs" wait_for 180 queue_empty
expect "its outcome names the shard" grep -q '^failed: shard 2 (exit status 137)' "$(submission)outcome"
kept=$(grep -c '"type":"record"' results/trial/slow.jsonl)
expect "the same command completes it" complete slow SHARDS=3
expect "24 sizes, none twice ($kept were kept)" eval 'all_there && once 24'

# ---- a node is lost in mid-array -----------------------------------------------------------------
fresh
submit slow SHARDS=3
wait_for 120 sleeping 1
wait_for 60 some_records 3
lost=$(squeue -h -r -j "$(id_of array)" -t RUNNING -o '%N' | head -1)
kill -9 "${node_process[${lost#node}]}"
scontrol update NodeName="$lost" State=DOWN Reason=test
expect "its task is in the queue again" wait_for 30 eval 'squeue -h -r -j "$(id_of array)" -o %r%T | grep -q PENDING'
start_node "${lost#node}"
wait_for 20 eval 'sinfo -h -n "$lost" -o %T | grep -vq down' || scontrol update NodeName="$lost" State=RESUME
for job in $(squeue -h -r -j "$(id_of array)" -t PENDING -o %i); do scontrol update JobId="$job" StartTime=now; done
expect "the array ends, the merge runs" wait_for 240 queue_empty
expect "its outcome is good" grep -q '^all' "$(submission)outcome"
expect "24 sizes, twice only what two copies measured at once: $(grep -c '"type":"record"' results/trial/slow.jsonl) records" all_there
expect "two attempts had files of their own" grep -q 'attempt 2' "$(submission)"shard-*.log

# ---- a time limit ends a task --------------------------------------------------------------------
fresh
submit slow SHARDS=3
wait_for 120 sleeping 3
scontrol update JobId="$(id_of array)_3" TimeLimit=1 EndTime=now
expect "the array ends, the merge runs" wait_for 240 queue_empty
expect "its outcome names the shard" grep -q 'shard 3 (did not end)' "$(submission)outcome"
expect "the same command completes it" complete slow SHARDS=3
expect "24 sizes, none twice" eval 'all_there && once 24'

# ---- a cancelled array is submitted again --------------------------------------------------------
fresh
submit slow SHARDS=4
wait_for 120 some_records 4
scancel "$(id_of array)"
expect "the merge runs" wait_for 60 queue_empty
kept=$(grep -c '"type":"record"' results/trial/slow.jsonl)
expect "it kept what was measured: $kept" test "$kept" -ge 4
expect "the same command completes it" complete slow SHARDS=4
expect "24 sizes, none twice" eval 'all_there && once 24'

# ---- two arrays at once --------------------------------------------------------------------------
fresh
submit slow SHARDS=2
complete slow SHARDS=2
expect "both end" wait_for 240 queue_empty
expect "both are good" test "$(cat build/cluster/*/outcome | grep -c '^all')" = 2
expect "24 sizes, some twice: $(grep -c '"type":"record"' results/trial/slow.jsonl) records" all_there
expect "exported each is there once" \
  test "$(bin/parlab-emulated export results/trial/slow.jsonl | tail -n +2 | wc -l)" = 24

# ---- the disk of one node is full ----------------------------------------------------------------
fresh
cat >full-on-node2 <<'WRAP'
#!/bin/bash
# As if node2 had room for little more.
if [[ ${SLURMD_NODENAME:-} == node2 && " $* " == *" serial/sleeper "* ]]; then
  trap '' XFSZ
  ulimit -f 8
fi
exec bin/parlab-emulated "$@"
WRAP
chmod +x full-on-node2
export SLEEP_MS=10
PARLAB=./full-on-node2 submit slow SHARDS=3
expect "the array ends, the merge runs" wait_for 240 queue_empty
expect "its outcome names a shard" grep -q '^failed: shard [123]' "$(submission)outcome"
expect "its log says why" grep -qi 'cannot store a record.*File too large' "$(submission)"shard-*.log
expect "no half line is among what was merged" eval '! grep -h "torn" "$(submission)merge.log"'
expect "with room it is completed" complete slow SHARDS=3
expect "24 sizes, none twice" eval 'all_there && once 24'

# ---- a variant fails -----------------------------------------------------------------------------
complete broken SHARDS=3
expect "a wrong variant is told by the exit status" test $? = 1
expect "one shard failed" test "$(grep -o 'shard [0-9] (exit status 1)' says | wc -l)" = 1
expect "the others, and what else it measured, are merged" \
  test "$(grep -c '"type":"record"' results/trial/broken.jsonl)" = 16

# ---- three nodes against one ---------------------------------------------------------------------
fresh
export SLEEP_MS=600
SECONDS=0
PARLAB_RESULTS=results/trial/alone.jsonl bin/parlab-emulated dmv 64:1536:64 --variant serial/sleeper \
  --iterations 5 --format csv >/dev/null
alone=$SECONDS
complete slow SHARDS=3
together=$(awk '/started/ { if (!a || $2 < a) a = $2 } /ended/ { if ($2 > b) b = $2 } END { printf "%.1f", b - a }' "$(submission)"shard-*.log)
expect "three nodes take $together s, one takes $alone s: at least 2.7 times as fast" \
  awk "BEGIN { exit !($alone >= 2.7 * $together) }"
end_tests
