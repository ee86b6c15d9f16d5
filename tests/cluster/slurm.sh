#!/bin/bash -p
# A Slurm for tests: source this after scripts/testing.sh, from the repository root, then call begin_on_slurm.
# Its files are in one temporary folder, it uses the loopback interface, and its processes are this user's.
#
# It has three nodes on this host, each with two cores and /dev/null as a GPU. Its intervals are much shorter
# than Slurm's defaults, so that tests need not wait for them.

# slurm_missing: names missing programs; prints nothing if all are installed.
slurm_missing() {
  local program
  for program in slurmctld slurmd munged sbatch squeue scancel scontrol; do
    PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || echo "$program"
  done
}

# begin_on_slurm: changes to a copy of the tree that contains the small experiment, and starts a Slurm; both
# are removed when the test ends. If Slurm cannot run, the test ends here and says why.
begin_on_slurm() {
  local missing
  missing=$(slurm_missing | tr '\n' ' ')
  if [[ -n $missing ]]; then
    echo "skipped: not installed: $missing"
    exit 0
  fi
  copy_tree
  # shellcheck disable=SC2154 # tree, of copy_tree
  trap 'stop_slurm; rm -rf "$tree"' EXIT
  cd "$tree" || exit
  small_experiment
  if ! start_slurm; then
    local why
    why=$(tail -qn 1 "$slurm"/log/*.out "$slurm"/log/slurmctld.log | grep -v '^$' | tail -1)
    echo "skipped: Slurm does not start here: $why"
    exit 0
  fi
}

start_slurm() {
  PATH=$PATH:/usr/sbin
  slurm=$(mktemp -d /tmp/slurm.XXXXXX) # a short path: names of sockets are limited
  slurm_processes=()
  local node
  mkdir -p "$slurm"/{state,spool/node{1,2,3},log,run,munge/sock,gpu}
  chmod 711 "$slurm" "$slurm/munge"
  chmod 755 "$slurm/munge/sock"
  for node in 1 2 3; do ln -s /dev/null "$slurm/gpu/gpu$node"; done
  (umask 077 && head -c 128 /dev/urandom >"$slurm/munge/key")
  : >"$slurm/cgroup.conf"
  for node in 1 2 3; do
    echo "NodeName=node$node Name=gpu File=$slurm/gpu/gpu$node Flags=nvidia_gpu_env"
  done >"$slurm/gres.conf"
  export SLURM_CONF=$slurm/slurm.conf
  slurm_settings >"$SLURM_CONF"
  munged -F --key-file "$slurm/munge/key" --socket "$slurm/munge/sock/s" --pid-file "$slurm/munge/pid" \
    --seed-file "$slurm/munge/seed" --log-file "$slurm/log/munged.log" >"$slurm/log/munged.out" 2>&1 &
  slurm_processes+=($!)
  wait_for 10 test -S "$slurm/munge/sock/s" || return
  slurmctld -D -f "$SLURM_CONF" >"$slurm/log/slurmctld.out" 2>&1 &
  slurm_processes+=($!)
  for node in 1 2 3; do start_node $node; done
  wait_for 30 nodes_idle
}

slurm_settings() { # prints slurm.conf
  local host user node port=${SLURM_TEST_PORT:-27000}
  host=$(hostname -s) user=$(id -un)
  cat <<CONF
ClusterName=trial
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$slurm/munge/sock/s,cred_expire=5
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool/%n
SlurmctldPidFile=$slurm/run/c.auto
SlurmdPidFile=$slurm/run/%n.auto
SlurmctldLogFile=$slurm/log/slurmctld.log
SlurmdLogFile=$slurm/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/$( (($(cpus) > 1)) && echo affinity || echo none)
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$slurm/log/jobcomp.log
MailProg=/bin/true
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,bf_interval=1,sched_min_interval=10000,bf_window=60
SlurmdParameters=config_overrides
SlurmctldTimeout=10
SlurmdTimeout=10
MessageTimeout=5
TCPTimeout=2
BatchStartTimeout=10
KillWait=2
MinJobAge=600
PropagateResourceLimits=NONE
GresTypes=gpu
$(getent hosts "$host" >/dev/null && echo "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny")
$(for node in 1 2 3; do
    echo "NodeName=node$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + node))" \
      "CPUs=2 Boards=1 SocketsPerBoard=1 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=2000 Gres=gpu:1 State=UNKNOWN"
  done)
PartitionName=main Nodes=ALL Default=YES MaxTime=UNLIMITED DefaultTime=10 State=UP
CONF
}

start_node() { # NUMBER; its process is in node_process[NUMBER]
  slurmd -D -N "node$1" -f "$SLURM_CONF" >"$slurm/log/node$1.out" 2>&1 &
  # shellcheck disable=SC2034 # read by losses.sh
  node_process[$1]=$!
  slurm_processes+=($!)
}

nodes_idle() { [[ $(sinfo -h -o '%T %D' 2>/dev/null) == "idle 3" ]]; }
queue_empty() { [[ -z $(squeue -h 2>/dev/null) ]]; }

# wait_for SECONDS COMMAND...: repeats the command until it succeeds; fails after that time.
wait_for() {
  local until=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < until)) || return 1
    sleep 0.1
  done
}

stop_slurm() {
  [[ -n ${slurm:-} ]] || return 0
  scancel --user "$(id -un)" 2>/dev/null
  wait_for 15 queue_empty
  kill "${slurm_processes[@]}" 2>/dev/null
  wait "${slurm_processes[@]}" 2>/dev/null
  unset SLURM_CONF
  rm -rf "$slurm"
  slurm=
}

# ---- the measured points -------------------------------------------------------------------------

# small_experiment: adds an experiment of 24 points to this tree: 8 sizes with serial and OpenMP.
small_experiment() {
  mkdir -p scripts/small
  cat >scripts/small/steps.sh <<'STEPS'
#!/bin/bash
# a small experiment for tests
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
source scripts/experiment.sh
open_experiment small
step "serial and OpenMP" dmv 64:512:64 --backend serial,openmp --threads 1 --iterations 5
close_experiment
STEPS
  : >scripts/small/views.sql
  : >scripts/small/tables.sql
  chmod +x scripts/small/*.sh
  export MACHINE=trial PARLAB=bin/parlab-emulated
}

# The same points in one process; the caller sets PARLAB_RESULTS.
whole_plan() {
  bin/parlab-emulated dmv 64:512:64 --backend serial,openmp --threads 1 --iterations 5 --format csv >/dev/null
}

# points_of FILE: the measured points, one line per record, sorted; repeated points appear twice.
points_of() {
  grep '"type":"record"' "$1" | grep -oE '"workload".*"verdict":"[a-z_]*"' | sort
}
