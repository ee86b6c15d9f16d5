#!/bin/bash -p
# Every script begins with this, whatever the shell and the machine of its user:
#   source "${0%/*}/environment.sh"
# It sets a known locale and removes variables that steer the programs that we start; bash -p keeps out
# functions and rc files. Functions that ask other programs are here too.
[[ $- == *p* || $0 != */*.sh || ! -f $0 ]] || exec /bin/bash -p "$0" "$@"

# forget PATTERN...: hides these variables from child processes. A pattern is a name, or a prefix and *.
forget() {
  local pattern
  for pattern; do
    [[ $pattern != *'*' ]] || eval "pattern=\${!${pattern%'*'}@}"
    # shellcheck disable=SC2086 # several names
    unset -v $pattern 2>/dev/null || true # bash keeps some of its own
  done
}
unset -v POSIXLY_CORRECT
set +o posix +o noclobber -f
while IFS= read -r line; do
  # shellcheck disable=SC2086 # several patterns
  [[ $line == //* ]] || forget ${line//[\",]/}
done <"${BASH_SOURCE[0]%/*}/../src/core/foreign_variables.inc"
unset -v line
set +f
export LC_ALL=C.UTF-8

# cpus: the number granted to this process. Only nproc would obey OMP_NUM_THREADS.
cpus() { env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc; }

# answer PATTERN COMMAND...: the first line of a program's output that has this form; no line, and a failure,
# if the program fails or prints anything else.
answer() {
  local said line
  said=$("${@:2}" 2>/dev/null </dev/null) || return
  while IFS= read -r line; do
    [[ ! $line =~ ^($1)$ ]] || { printf '%s\n' "$line"; return; }
  done <<<"$said"
  return 1
}

# dtypes_of PROGRAM WORKLOAD/[BACKEND/]: all types of these variants, one per line.
dtypes_of() {
  "$1" "${2%%/*}" --list | awk -v name="$2" '
    !index($0, name) { next }
    { while ($1 !~ name) sub(/^ *[^ ]+ +/, "")
      for (i = 2; i <= NF; ++i) if (!seen[$i]++) print $i }'
}

# gpus: a line for each GPU of this machine.
gpus() {
  answer 'GPU 0: .+' nvidia-smi -L >/dev/null && nvidia-smi -L | grep -E '^GPU [0-9]+: '
}

# go_to_base: changes to the folder of records, figures and built files: the source tree or, for an installed
# program, a folder of the user's own.
go_to_base() {
  local tree base part
  tree=$(cd -P "${BASH_SOURCE[0]%/*}/.." && pwd) base=$tree || exit
  if [[ ! -e $tree/Makefile ]]; then
    [[ ${XDG_DATA_HOME:-} == /* ]] && base=$XDG_DATA_HOME/parlab || base=~/.local/share/parlab
    mkdir -p "$base" || exit
    for part in bin scripts; do
      [[ $base/$part -ef $tree/$part ]] || ln -sfn "$tree/$part" "$base/$part" || exit
    done
  fi
  cd "$base" || exit
}
