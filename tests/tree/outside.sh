#!/bin/bash
# Outside causes: limits of the shell, closed streams, a container's first process, a system without /proc.
# Each is named, none is blamed on a variant, and earlier measurements stay.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

root=$PWD parlab=$PWD/bin/parlab-emulated
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 777 "$folder" && cd "$folder" || exit
quick=(--iterations 2 --format csv)
cpu=(dmv 64 --backend "serial,openmp" --threads 2 "${quick[@]}")
# As a user to whom permissions and limits apply, and who may not see this tree.
ln "$parlab" here 2>/dev/null || cp "$parlab" here
somebody() { if ((EUID)); then "$@"; else setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; fi; }
# innocent FILE: all its lines are whole, and no variant is blamed.
innocent() { ! grep -vE '^\{"type":"(run|record)".*\}$' "$1" && ! grep -E '"verdict":"(launch_failed|wrong_result|timed_out)"' "$1"; }
passed() { grep -c '"verdict":"passed"' "$1"; }

# ---- streams --------------------------------------------------------------------------------------
for closed in '2>&-' '<&- >&-' '<&- >&- 2>&-'; do
  rm -f r.jsonl
  [[ $closed == 2* ]] && lost=0 || lost=1 # a table that nobody can read
  expect "closed streams, $closed: all is recorded, and nothing else" \
    eval "\"\$parlab\" \"\${cpu[@]}\" --results r.jsonl $closed; test \$? = $lost && innocent r.jsonl && test \$(passed r.jsonl) = 3"
done
"$parlab" --list 2>errors | true
status=${PIPESTATUS[0]}
expect "who is not read on ends as any program does: $status" eval '(( status == 141 || status == 0 )) && test ! -s errors'
(trap '' PIPE && "$parlab" "${cpu[@]}" 2>errors; echo $? >status) | true
expect "also where the signal was ignored: $(cat status)" eval '[[ $(cat status) =~ ^(141|0)$ ]] && ! grep -E "written|error" errors'

# ---- limits ---------------------------------------------------------------------------------------
rm -f r.jsonl
(ulimit -t 1 && "$parlab" dmv 512 --variant serial/plain,openmp/rows --iterations 1000000 --results r.jsonl) >out 2>errors
expect "CPU time that is used up is named: $? $(tail -1 errors)" grep -q 'ulimit -t' errors
expect "and blames nobody" innocent r.jsonl
rm -f r.jsonl
(ulimit -f 2 && "$parlab" dmv 64,65,66 --backend serial,openmp "${quick[@]}" --results r.jsonl) >/dev/null 2>errors
expect "a file as long as it may be: $? $(tail -1 errors)" grep -q 'File too large' errors
expect "has whole lines, and blames nobody" innocent r.jsonl
for limits in '-v 100000' '-n 4' '-n 6'; do
  rm -f r.jsonl && touch r.jsonl
  (eval "ulimit $limits" && "$parlab" dmv 64 --backend serial,openmp --threads 2,64 "${quick[@]}" --results r.jsonl) >out 2>&1
  expect "ulimit $limits: $? $(tail -1 out | cut -c1-80)" \
    eval 'innocent r.jsonl && { (( $(passed r.jsonl) >= 3 )) || grep -qE "Too many open files|shared libraries: .*cannot open" out; }'
done
for most in 2 4; do
  rm -f r.jsonl
  somebody bash -c "ulimit -u $most && exec ./here dmv 64 --backend serial,openmp --threads 2,6 --iterations 2 --results r.jsonl" >out 2>&1
  expect "ulimit -u $most: $(grep -m1 threads out | cut -c1-80)" \
    eval 'grep -q "ulimit -u" out && ! { test -e r.jsonl && ! innocent r.jsonl; }'
done
if mkdir -p small && unshare -m mount -t tmpfs -o size=8k none small 2>/dev/null; then
  unshare -m bash -c "mount -t tmpfs -o size=8k none small && '$parlab' dmv 64:84:2 --variant serial/plain --iterations 9 \
    --results small/r.jsonl; echo \$?; cp small/r.jsonl r.jsonl" >out 2>errors
  expect "a full disk: $(tail -1 out) $(tail -1 errors)" eval 'grep -q "No space left" errors && innocent r.jsonl'
fi
# With thousands of threads on a few CPUs, each of parlab's own loops would take long and count as the
# variant's time.
for setting in OMP_MAX_ACTIVE_LEVELS=0 OMP_DYNAMIC=true OMP_THREAD_LIMIT=1 OMP_NUM_THREADS=3000; do
  rm -f r.jsonl
  env $setting "$parlab" "${cpu[@]}" --results r.jsonl >out 2>errors
  threads=$([[ $setting == *LIMIT* ]] && echo 1 || echo 2)
  expect "$setting: teams of $threads run, and are recorded" \
    eval 'innocent r.jsonl && test "$(grep -c "{\"threads\":$threads}.*passed" r.jsonl)" = 2'
done
rm -f r.jsonl
OMP_STACKSIZE=100000G "$parlab" "${cpu[@]}" --results r.jsonl >out 2>errors
expect "stacks of threads that no memory holds: $(grep -hom1 OMP_STACKSIZE out errors)" \
  eval 'innocent r.jsonl && grep -q OMP_STACKSIZE out errors'

# ---- signals, and the first process ---------------------------------------------------------------
rm -f r.jsonl
"$parlab" dmv 512 --variant serial/plain --time-limit 60 --iterations 1000000 --results r.jsonl >out 2>&1 &
until worker=$(pgrep -P $!) && (($(ps -o cputimes= -p "$worker") > 0)); do kill -0 $! || break; sleep 0.1; done
kill -TERM "$worker"
wait $!
expect "a signal to the worker ends all: $?" test $? = 143
expect "and blames nobody" eval '! grep -q "\"type\":\"record\"" r.jsonl'
if unshare -pf --mount-proc true 2>/dev/null; then
  first=(unshare -pf --mount-proc --kill-child)
  "${first[@]}" "$parlab" dmv 512 --variant serial/plain --time-limit 60 --iterations 1000000 >out 2>&1 &
  until first_process=$(pgrep -P $!) && pgrep -P "$first_process" >/dev/null; do kill -0 $! || break; sleep 0.1; done
  kill -TERM "$first_process"
  for _ in {1..50}; do kill -0 "$first_process" 2>/dev/null || break; sleep 0.1; done
  expect "TERM ends the first process of a container" eval '! kill -0 $first_process'
  wait $!
  expect "with the status of who was ended: $?" test $? = 143
  "${first[@]}" "$parlab" --list 2>errors | true
  expect "a closed pipe is no error there" test ! -s errors
  expect "what it returns is returned" eval '"${first[@]}" "$parlab" --version && ! "${first[@]}" "$parlab" nonsense'
  # A child whose parent has ended belongs to process 1.
  # shellcheck disable=SC2016 # expanded inside
  "${first[@]}" bash -c '(sleep 0.3 & exec sleep 0.1) & exec "'"$parlab"'" dmv 512 --variant serial/plain --time-limit 3' >out 2>&1 &
  sleep 2
  expect "no zombie stays" eval 'test -z "$(ps -o stat= --ppid $(pgrep -P $!) | grep Z)"'
  wait $!
fi
if unshare -m mount -t tmpfs none /sys 2>/dev/null; then
  for gone in /proc '/proc /sys'; do
    rm -f r.jsonl
    unshare -m bash -c "for at in $gone; do mount -t tmpfs none \$at; done; \
      '$parlab' ${cpu[*]} --results r.jsonl && '$parlab' machine" >out 2>errors
    expect "without $gone: $? $(tail -1 errors)" eval 'innocent r.jsonl && test $(passed r.jsonl) = 3 && ! grep -w "0 B" out'
  done
fi

# ---- grading --------------------------------------------------------------------------------------
mkdir class && sed '/[.]id = /d' "$root/cuda/dmv/naive.cu" >class/ann.cu
# graded COMMAND...: grades a correct submission, started by that command.
graded() {
  rm -rf grades
  "$@" "$parlab" grade dmv class --sizes 64 --hidden 65 >out 2>&1
  local status=$?
  cat out
  return $status
}
verdict() { cut -d , -f 1,3 grades/dmv/grades.csv | tail -1; }
for place in /nowhere '' "$folder/a b"; do
  mkdir -p "$folder/a b"
  expect "TMPDIR='$place'" eval 'graded env TMPDIR="$place" && test "$(verdict)" = ann,passed'
done
expect "a folder that takes no files is named" eval '! graded env TMPDIR=/proc && grep -q "in /proc (TMPDIR" out'
mkdir -m 700 private
if ((EUID == 0)); then
  expect "a folder that submissions may not enter is named" \
    eval '! graded env TMPDIR="$folder/private" && grep -q "use $folder/private: TMPDIR" out'
fi
for limit in '-v 4000000' '-d 1000000' '-f 100' '-t 20' '-n 20'; do
  # shellcheck disable=SC2034 # used in a test that is a string
  limited="ulimit $limit && exec \"\$@\""
  # Root may give a child more than it has.
  expect "ulimit $limit is no fault of whoever is graded" \
    eval 'if graded bash -c "$limited" -; then test "$(verdict)" = ann,passed; else grep -qF "(ulimit ${limit% *})" out && test ! -e grades; fi'
done
if mkdir -p small && unshare -m mount -t tmpfs -o size=8k none small 2>/dev/null; then
  # shellcheck disable=SC2034 # used in a test that is a string
  on_full_disk='mount -t tmpfs -o size=1m none small && TMPDIR=$PWD/small exec "$@"'
  expect "nor is anybody on a full disk" \
    eval '! graded unshare -m bash -c "$on_full_disk" - && grep -q "the disk is full" out && test ! -e grades'
fi

# ---- words ----------------------------------------------------------------------------------------
"$parlab" "${cpu[@]}" --results good/r.jsonl >/dev/null 2>&1
mkdir -p shut/below some/shut && cp good/r.jsonl shut/below && cp good/r.jsonl some && chmod 0 shut some/shut
((EUID)) || chown -R 65534 good some shut
for command in "show shut/below" "export shut/below/r.jsonl" "show shut" "dmv 64 --backend serial --results shut/below/r.jsonl" \
  "dmv 64 --backend serial --resume shut/below --results r.jsonl" "page shut/below" "pack shut/below/r.jsonl" \
  "database shut/below/r.jsonl x.db --views shut/v.sql" "grade dmv shut"; do
  # shellcheck disable=SC2086 # words
  somebody ./here $command >out 2>&1
  expect "$command: $? $(head -1 out | cut -c1-100)" grep -q 'Permission denied' out
done
expect "a folder that cannot be read is named" eval 'somebody ./here export some 2>&1 >/dev/null | grep -q "shut: Permission denied"'
long=$(printf 'x%.0s' {1..256})
for command in "show $long/r.jsonl" "dmv 64 --backend serial --results $long.jsonl" "export $long/r.jsonl" "tables $long $long"; do
  # shellcheck disable=SC2086 # words
  "$parlab" $command >out 2>&1
  expect "${command%% *} of a name of 256 characters: $? $(cut -c1-30 out)" grep -q 'File name too long' out
done
chmod 700 shut some/shut
if command -v script >/dev/null; then
  on_terminal() { TERM=$1 script -qec "'$parlab' dmv 512 --backend serial --iterations 1000" /dev/null </dev/null; }
  expect "a terminal sees what is at work" eval 'on_terminal xterm | grep -qP "\x1b"'
  for kind in dumb unknown ''; do
    expect "TERM=$kind gets no escape sequence" eval '! on_terminal "$kind" | grep -qP "\x1b|\r\["'
  done
fi
# As editors on other systems rewrite a file, alone and after another one.
sed '1s/^/\xef\xbb\xbf/; s/$/\r/' good/r.jsonl >bom.jsonl
cat bom.jsonl bom.jsonl >twice.jsonl
for file in bom.jsonl twice.jsonl; do
  expect "$file: a byte order mark and line ends of DOS are no part of records" \
    eval 'test "$("$parlab" export $file 2>errors | wc -l)" = 4 && test ! -s errors'
done
printf '\xef\xbb\xbfdmv 64x64 float\t3\t1\r\n' >plan
"$parlab" dmv 64 --backend serial --shard 1/2 --plan plan "${quick[@]}" >out 2>&1
expect "nor of a plan: $? $(head -1 out)" test $? = 0
end_tests
