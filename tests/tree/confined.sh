#!/bin/bash -p
# Submissions that try to reach what is not theirs, while they are compiled and while they run, and a class
# folder with odd entries: graded by root and by an ordinary user. Nothing is reached, and no other submission
# loses a grade.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

parlab=$PWD/bin/parlab-emulated
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder" || exit
export TMPDIR=$folder/temporary # where gradings of other tests leave nothing
mkdir class && mkdir -m 1777 temporary
declare -A expected

# hand VERDICT NAME REACHES [OUTSIDE]: hands in a correct kernel whose host code ends its process if the
# expression REACHES is true; OUTSIDE: code placed before everything.
hand() {
  expected[$2]=$1
  cat >"class/$2.cu" <<END
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <utility>
#include "gpu/gpu.hpp"
#include "workloads/dmv.hpp"
using namespace parlab;
${4:-}
namespace {
bool reads(const char* path) { char byte; const int file = open(path, O_RDONLY); return file >= 0 && read(file, &byte, 1) == 1; }
[[maybe_unused]] const char* parent(const char* file) { static char path[64]; std::snprintf(path, 64, "/proc/%d%s", getppid(), file); return path; }
__global__ void dmv_mine(const float* a, const float* x, float* y, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (std::int64_t col = 0; col < cols; ++col) sum += a[row * cols + col] * x[col];
  y[row] = sum;
}
}  // namespace
const Register<Dmv, float> variant({.idea = "mine"},
    []<typename T>(Gpu& gpu, const Dmv::Args<T>& p, const Tunables&) {
      if (reads("/no") || ($3)) std::_Exit(7);
      gpu.launch({.grid = {ceil_div(p.rows, 64)}, .block = {64}}, dmv_mine, p.a, p.x, p.y, p.rows, p.cols);
    });
END
}

hand passed ann false
# ---- while it is compiled ---------------------------------------------------
hand not_supported beside false '#include "../ann/ann.cu"'
hand not_supported absolute false "#include \"$folder/class/ann.cu\""
hand not_supported of_root false 'asm(".pushsection .rodata; .incbin \"/etc/passwd\"; .popsection");'
hand not_supported of_machine false 'asm(".pushsection .rodata; .incbin \"/proc/self/environ\"; .popsection");'
hand not_supported endless false '#include "/dev/zero"'
# Each compiler has something that takes its memory fast.
ten() { printf '#define %s ' "$1" && printf "$2, %.0s" {1..9} && echo "$2"; }
hand not_supported bomb false "#ifdef __NVCC__
static_assert(std::make_index_sequence<1000000000>::size() == 1);
#else
int x;
$(ten A x; ten B A; ten C B; ten D C; ten E D; ten F E; ten G F; ten H G)
int* const y[] = { H };
#endif"
# ---- the grader, and its terminal -------------------------------------------
hand passed signals 'kill(getppid(), 0) == 0 || syscall(SYS_tkill, getppid(), 0) == 0 || syscall(SYS_pidfd_open, getppid(), 0) >= 0'
hand passed signals_by_descriptor 'fcntl(3, F_SETOWN, getppid()) == 0'
hand passed slows_the_grader 'setpriority(PRIO_PROCESS, getppid(), 19) == 0 || [] { cpu_set_t one; CPU_ZERO(&one); CPU_SET(0, &one); return sched_setaffinity(getppid(), sizeof one, &one) == 0; }()'
hand passed reads_the_grader 'reads(parent("/cmdline")) || reads(parent("/environ")) || reads(parent("/maps")) || [] { char byte; iovec here{&byte, 1}, there{&environ, 1}; return process_vm_readv(getppid(), &here, 1, &there, 1, 0) >= 0; }()'
hand passed devices 'open("/dev/tty", O_RDWR) >= 0 || open("/dev/ptmx", O_RDWR) >= 0 || open("/dev/zero", O_RDWR) >= 0 || open("/dev/shm", O_RDONLY) >= 0'
hand passed sockets 'socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || [] { int both[2]; return socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0; }()'
hand launch_failed forks 'syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0'
hand launch_failed vforks 'vfork() >= 0'
# ---- memory that is not resident --------------------------------------------
hand passed files_of_memory 'memfd_create("more", 0) >= 0'
hand passed shared_maps 'mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED || syscall(SYS_shmget, 0, 1 << 20, 0600) >= 0'
# ---- odd entries ------------------------------------------------------------
mkdir class/by_link class/closed class/__MACOSX class/zipped
cp class/ann.cu class/zipped && echo litter >class/zipped/._ann.cu && echo litter >class/._ann.cu
cp class/ann.cu secret.cu && ln -s "$folder/secret.cu" class/by_link/dmv.cu && ln -s "$folder/secret.cu" class/link.cu
mkfifo class/pipe.cu class/zipped/pipe
cp class/ann.cu class/closed && cp class/ann.cu class/ann.cpp && cp class/ann.cu class/unread.cu
cp class/ann.cu class/$'bell\a\u202egnp.cu'
cp class/ann.cu class/$'no\xffutf8.cu'
cp class/ann.cu 'class/a;b"c.cu'
cp class/ann.cu "class/$(printf 'long%.0s' {1..60}).cu"
chmod 0 class/closed class/unread.cu
for name in by_link link.cu pipe.cu; do expected[$name]=not_supported; done
expected[zipped]=passed
unset 'expected[ann]'

before=$(md5sum secret.cu)
# by WHO COMMAND...: grades as WHO, in a separate folder, and checks the grades.
by() {
  local who=$1 name start=$SECONDS
  shift
  mkdir "$who" && chmod 777 "$who"
  (cd "$who" && "$@" "$parlab" grade dmv ../class --seed 5 --execution-limit 20 >out 2>errors)
  expect "$who: a class is graded: $(tail -1 "$who/errors")" test -s "$who/grades/dmv/grades.csv"
  echo "  ($((SECONDS - start)) s)"
  has() { grep -aqF -- "$1" "$who/grades/dmv/grades.csv"; }
  for name in "${!expected[@]}"; do
    line=$(grep -a "^$name," "$who/grades/dmv/grades.csv")
    expect "$who: $name: ${expected[$name]} (${line:0:200})" grep -q ",${expected[$name]}," <<<"$line"
  done
  expect "$who: two files of one student are told apart" eval 'has "ann (ann.cu)," && has "ann (ann.cpp),"'
  expect "$who: what cannot be printed is seen" has 'bell\x07\u202egnp,'
  expect "$who: what is no UTF-8 as well" has 'no\xffutf8,'
  expect "$who: quotes and semicolons stay in their field" has '"a;b""c",'
  expect "$who: a long name is there" has "$(printf 'long%.0s' {1..60}),"
  expect "$who: litter is nobody's" eval '! has MACOSX && ! has litter'
  expect "$who: a link says that it is one" has 'a symbolic link, no regular file'
  # these, two of ann, and six whose names are no words
  expect "$who: each has a row" test "$(wc -l <"$who/grades/dmv/grades.csv")" = $((1 + ${#expected[@]} + 2 + 6))
  expect "$who: nothing is left of the builds" test -z "$(ls "$TMPDIR")"
}
ordinary=(setpriv --reuid 12345 --regid 12345 --clear-groups)
((EUID == 0)) || ordinary=(env)
((EUID == 0)) && by root env && rm class/bomb.cu && unset 'expected[bomb]' # once is enough
if "${ordinary[@]}" test -x "$parlab" 2>/dev/null; then
  by ordinary "${ordinary[@]}"
  closed() { grep -q "^$1,.*cannot be read" ordinary/grades/dmv/grades.csv; }
  expect "ordinary: a folder that is closed costs nobody else a grade" closed closed
  expect "ordinary: neither does a file" closed unread
else
  echo "  (no ordinary user can run $parlab: not tested as one)"
fi
expect "nothing was changed" test "$(md5sum secret.cu)" = "$before"

# ---- PATH, and a compiler that does not work --------------------------------
mkdir small closed_path broken && cp class/ann.cu small && chmod 0 closed_path
if "${ordinary[@]}" test -x "$parlab" 2>/dev/null; then
  expect "a folder of PATH that cannot be read is passed over" \
    "${ordinary[@]}" env PATH="$folder/closed_path:$PATH" "$parlab" grade --check small/ann.cu
fi
for compiler in gcc g++ c++; do printf '#!/bin/sh\nexit 1\n' >broken/$compiler && chmod 755 broken/$compiler; done
expect "a class of which nothing can be built is an error" \
  eval '! PATH="$folder/broken:$PATH" "$parlab" grade dmv small --output none'
end_tests
