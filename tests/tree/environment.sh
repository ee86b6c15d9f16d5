#!/bin/bash -p
# In anybody's shell, on anybody's machine: the commands of README.md print and write the same whatever the
# environment sets, and the output of another program counts as an answer only if it succeeded.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

repository=$PWD
copy_tree
cd "$tree" || exit
cp -a "$repository"/{docs,LICENSE,README.md} .
home="$tree/José Home"
mkdir -p "$home/.config/gnuplot" fakes
fake() { # NAME SCRIPT: a program of that name, in fakes/
  printf '#!/bin/sh\n%s\n' "$2" >"fakes/$1"
  chmod +x "fakes/$1"
}

# ---- all at once ---------------------------------------------------------------------------------
bin/parlab-emulated dmv 64,128 --backend serial,openmp --threads 1,2 --iterations 7 --format csv \
  --results results/here/cslab-dmv.jsonl >/dev/null 2>&1
bin/parlab-emulated database results/here/cslab-dmv.jsonl here.db --views scripts/cslab-dmv/views.sql
printf 'set title "hostile"\nset xrange [1:2]\nset decimalsign locale\n' |
  tee "$home/.gnuplot" "$home/.gnuplotrc" >"$home/.config/gnuplot/gnuplotrc"
printf '.mode column\n.headers on\n' >"$home/.sqliterc"
printf '[color]\n\tui = always\n[status]\n\tshort = true\n' >"$home/.gitconfig"
# shellcheck disable=SC2016 # for that shell
printf 'echo hostile\nset -C\ngrep() { command grep --color=always "$@"; }\ncd() { builtin cd "$@" && echo "$PWD"; }\n' |
  tee "$home/.bashrc" "$home/.profile" >"$home/rc"
comma=$(locale -a 2>/dev/null | grep -m 1 -E '^(de|fr|es|it|nl|ru)_') locales=
if [[ -z $comma ]] && localedef -i de_DE -f UTF-8 "$home/de_DE.UTF-8" 2>/dev/null; then comma=de_DE.UTF-8 locales=$home; fi
mkdir elsewhere
git init -q elsewhere 2>/dev/null
hostile=(
  HOME="$home" USER=José LOGNAME=José TERM=dumb BASH_ENV="$home/rc" ENV="$home/rc" CDPATH=.:..:/ SHELLOPTS=noclobber:nounset
  BASHOPTS=nullglob:failglob 'BASH_FUNC_sed%%=() {  echo hostile
}' 'BASH_FUNC_dirname%%=() {  echo hostile
}' GLOBIGNORE='*' TMOUT=1 FUNCNEST=1 POSIXLY_CORRECT=1 LC_ALL="${comma:-C}" ${locales:+LOCPATH="$locales"} LANGUAGE=de LC_NUMERIC="$comma"
  GREP_OPTIONS='--color=always -v' GREP_COLORS='mt=01;31' CLICOLOR_FORCE=1 FORCE_COLOR=1 LS_COLORS='*=01;31'
  QUOTING_STYLE=c TAR_OPTIONS='--exclude=*' TAPE=/dev/full GZIP=-h XZ_OPT=--help ZSTD_CLEVEL=x AWKPATH=/ BLOCK_SIZE=human
  GNUTERM=dumb GNUPLOT_LIB="$home" SQLITE_HISTORY="$home/h" OMP_NUM_THREADS=64 MAKEFLAGS=kj3
  GIT_DIR="$tree/elsewhere/.git" GIT_WORK_TREE="$tree/elsewhere" GIT_CONFIG_GLOBAL="$home/.gitconfig"
  SBATCH_WAIT=1 SLURM_JOB_ID=7 PYTHONHOME=/ COLUMNS=20 LINES=3
)
clean=(HOME="$tree" USER=jane LOGNAME=jane TERM=xterm MAKEFLAGS=kj3)
# The cheap commands that README.md names, with all files that they write. Times differ, so they are left out.
commands() { # in a folder of the environment's name, $1
  export PARLAB=bin/parlab-emulated MACHINE=
  scripts/machine-name.sh
  scripts/list-records.sh
  scripts/source-hash.sh cuda/dmv/naive.cu
  MACHINE=here scripts/list-figures.sh
  NO_INSTALL=1 scripts/install.sh build figures
  scripts/assignment.sh dmv naive "$1/hand-out"
  FORMATS=svg scripts/figure.sh here.db scripts/cslab-dmv/1-openmp-time.gp "$1/time" && cat "$1/time.svg"
  bin/parlab-emulated tables here.db scripts/cslab-dmv/tables.sql
  bin/parlab-emulated show results/here
  bin/parlab-emulated compare results/here/cslab-dmv.jsonl results/here/cslab-dmv.jsonl
  bin/parlab-emulated export results/here
  bin/parlab-emulated page results/here --output "$1/index.html" && cat "$1/index.html"
  bin/parlab-emulated dmv 64 --backend serial,openmp --threads 1,2 --iterations 3 --format csv | cut -d , -f 2-12
  bin/parlab-emulated convsep --image generated:16x16 --filter box:1 --output "$1/x.pgm" && cksum <"$1/x.pgm"
  MACHINE=here SCALE=quick ESTIMATE=$1/plan scripts/cslab-dmv/steps.sh && cut -f 1,2 "$1/plan"
  make -s help
  make -s NVCC= print-MAKEFLAGS
  unset COMMIT
  make -s NVCC= print-COMMIT
}
declare -f commands >commands.sh
said_with() { # NAME VARIABLE=VALUE...: what the commands say
  mkdir -p "$1"
  (
    umask "$([[ $1 == hostile ]] && echo 077 || echo 022)"
    env -i PATH="$PATH" COMMIT="$COMMIT" "${@:2}" /bin/bash --norc -pc 'source ./commands.sh; commands "$1"' - "$1" 2>&1 |
      grep -v "^parlab: other programs are at work here"
  ) | sed "s|$1/|FOLDER/|g" >"$1.said"
}
said_with clean "${clean[@]}"
said_with hostile "${hostile[@]}"
expect "the commands say something: $(wc -l <clean.said) lines" eval 'grep -q passed clean.said && grep -q "<svg" clean.said'
expect "in a hostile environment${comma:+, in $comma,} all is said and written as in a clean one" \
  eval 'diff clean.said hostile.said && diff -r clean/hand-out hostile/hand-out'

expect "make speaks of no locale that is not there" \
  test -z "$(env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS LC_ALL=xx_XX.UTF-8 LANG=yy make -s NVCC= print-CXX 2>&1 >/dev/null)"

# ---- output of other programs ------------------------------------------------------------------------
unset -v NVCC GPU_ARCH  # `make check` hands on its own
asked() { PATH=$PWD/fakes:$PATH own_make -s NVCC= "$@" 2>&1; }
fake nvidia-smi 'echo "Unable to determine the device handle for GPU 0000:3B:00.0: Unknown Error"; exit 15'
expect "an nvidia-smi that fails is no architecture, whatever it prints" test -z "$(asked print-GPU_ARCH)"
fake nvidia-smi 'echo "GPU 0: broken, 9.0"; echo "[N/A]"'
expect "nor is one that succeeds with other words" test -z "$(asked print-GPU_ARCH)"
fake nvidia-smi 'echo "warning: persistence mode is off"; echo 7.5; echo 9.0'
expect "the first that stands alone on a line is" test "$(asked print-GPU_ARCH)" = 75
fake nvidia-smi 'echo "No devices were found"; exit 6'
expect "an nvidia-smi that finds no GPU is no GPU to scripts" \
  test -z "$(PATH=$PWD/fakes:$PATH scripts/make/shell -c gpus)"
fake nvcc 'echo "nvcc: cannot find cicc"'
PATH=$PWD/fakes:$PATH own_make -s print-NVCC | grep -qF fakes && found=1 || found=0
expect "an nvcc that says no release is none" test "$found" = 0
fake nvcc 'echo "Cuda compilation tools, release 12.8, V12.8.93"'
expect "one that does is" eval 'PATH=$PWD/fakes:$PATH own_make -s print-NVCC | grep -qF fakes'
for says in 'echo "gnuplot: cannot open a library"' 'echo "gnuplot: cannot open a library" >&2; exit 127' 'echo "<svg" >"$8"'; do
  fake gnuplot "$says"
  expect "a gnuplot that says or draws anything else has drawn nothing ($says)" eval \
    '! PATH=$PWD/fakes:$PATH PARLAB=bin/parlab-emulated FORMATS=svg scripts/figure.sh here.db scripts/cslab-dmv/1-openmp-time.gp drawn && test ! -e drawn.svg'
done
(
  unset COMMIT
  cd elsewhere || exit
  mkdir inner serial openmp cuda blas tests && cp -r ../Makefile ../VERSION ../src ../scripts .
  cp -r Makefile VERSION src scripts serial openmp cuda blas tests inner
  git add VERSION && git -c user.name=x -c user.email=x@y commit -qm "Another's"
  expect "the commit of a repository that does not have our sources is none of ours" \
    test "$(own_make -s NVCC= print-COMMIT)" = unknown
  git add inner && git -c user.name=x -c user.email=x@y commit -qm "With an archive"
  expect "nor is that of one around them" test "$(own_make -s -C inner NVCC= print-COMMIT)" = unknown
  git add Makefile && git -c user.name=x -c user.email=x@y commit -qm "A copy of ours"
  expect "that of our own is" eval 'own_make -s NVCC= print-COMMIT | grep -qE "^[0-9a-f]{10}"'
  fake() { printf '#!/bin/sh\n%s\n' "$2" >"../fakes/$1" && chmod +x "../fakes/$1"; }
  fake git 'echo fatal: 0123456789abcdef; exit 128'
  expect "a git that fails knows no commit" test "$(PATH=$PWD/../fakes:$PATH own_make -s NVCC= print-COMMIT)" = unknown
  exit "$((failures > 0))"
) || failures=1
rm fakes/*

# ---- CPUs ----------------------------------------------------------------------------------------
if (($(cpus) > 1)); then
  last=$(taskset -cp $$ | grep -oE '[0-9]+$')
  expect "make starts as many jobs as it has CPUs, whatever OMP_NUM_THREADS says" \
    eval 'OMP_NUM_THREADS=64 taskset -c "$last" make -s NVCC= print-MAKEFLAGS | grep -qw -- -j1'
  expect "an experiment takes the threads of the CPUs that were granted" \
    eval 'taskset -c "$last" bash -c "source scripts/experiment.sh; MACHINE=here open_experiment x >/dev/null; echo \$threads" | grep -qx 1'
  # A Slurm task on a node that does not limit CPUs.
  fake scontrol "case \"\$*\" in *node*) echo '   CPUAlloc=1 CPUTot=$(nproc --all) CPULoad=0.1' ;; *) echo '     Nodes=n CPU_IDs=$last Mem=0 GRES=' ;; esac"
  mkdir -p scripts/alone build/cluster/x
  printf '#!/bin/bash\necho "runs on $(taskset -cp $$)"\n' | tee scripts/alone/steps.sh >scripts/cluster/control.sh
  chmod +x scripts/alone/steps.sh
  echo "experiments=alone submission=x count=1 shards=1" >build/cluster/x/settings
  task() { PATH=$PWD/fakes:$PATH MACHINE=here SLURM_CPUS_ON_NODE=1 SLURM_JOB_ID=5 scripts/cluster/task.sh build/cluster/x 1; }
  expect "a task takes the CPUs that it was given" eval 'task | grep "runs on" | tail -1 | grep -q ": $last\$"'
  fake scontrol 'echo "slurm_load_jobs error: Unable to contact slurm controller"; exit 1'
  expect "it says so when nobody tells which these are" eval 'task | grep -q "is not known"'
fi

# ---- a scheduler's variables ---------------------------------------------------------------------
for program in squeue sinfo; do fake $program 'echo "slurm error: no controller"; exit 1'; done
fake scontrol exit
# shellcheck disable=SC2016 # for that shell
fake sbatch 'env >>"$SUBMITTED"; echo "submit plugin; 17 hints"; echo "4711;cluster"'
submit() { PATH=$PWD/fakes:$PATH SUBMITTED=$PWD/submitted env "$@" scripts/cluster/submit.sh alone; }
expect "a submission takes the number that sbatch prints alone" \
  eval 'submit SBATCH_WAIT=1 SBATCH_EXPORT=NONE SLURM_ARRAY_TASK_MAX=3 SALLOC_X=1 PBS_JOBID=3 | grep -q "^job 4711: alone in at most 1 "'
expect "and nothing of a scheduler steers it" eval '! grep -E "^(SBATCH|SALLOC|PBS|SLURM_ARRAY_TASK_MAX)" submitted'
fake sbatch 'echo "queued, thank you"'
expect "an sbatch that names no job is an error" eval '! submit MACHINE= 2>said && grep -q "names no job" said'

# ---- clones --------------------------------------------------------------------------------------
if git -C "$repository" rev-parse -q --verify HEAD >/dev/null 2>&1; then
  expect "a clone of one commit, where git makes CR LF" \
    git -c core.autocrlf=true clone -q --depth 1 "file://$(cd "$repository" && git rev-parse --show-toplevel)" clone
  cd clone || exit
  expect "has scripts that run, and the same hashes" \
    test "$(scripts/source-hash.sh cuda/dmv/naive.cu)" = "$(cd "$repository" && git show HEAD:cuda/dmv/naive.cu >/dev/null && cd "$tree" && scripts/source-hash.sh cuda/dmv/naive.cu)"
  expect "has no line that ends otherwise" eval '! grep -rlI $'"'\\r'"' --include=*.sh --include=*.cpp --include=Makefile .'
  mkdir "mein Blatt" submissions # a hand-out, and what was handed in
  echo 'fi (' | tee "mein Blatt/Lösung.sh" submissions/ann.sh >"mein Blatt/a b.cpp"
  expect "make check-quick finds nothing to compare with there, and tests what it can" \
    eval 'NVCC= own_make -s check-quick | grep -q "layers .* passed, 0 failed"'
fi
end_tests
