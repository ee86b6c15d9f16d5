#!/bin/bash -p
# No variant can end a sweep: anything that it does to its process becomes its own verdict, the others are
# measured, and earlier measurements stay. No variant works in another process, and none is blamed for
# another.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

copy_tree
cd "$tree" || exit
parlab=bin/parlab-emulated

# plant BACKEND NAME CODE [OUTSIDE]: a correct variant of dmv that executes CODE first. OUTSIDE: code placed
# before everything.
plant() {
  cat >"$1/dmv/$2.cpp" <<END
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>
#include "host/host.hpp"
#include "workloads/dmv.hpp"
using namespace parlab;
inline int tainted = 0;  // that of all files
${4:-}
namespace {
[[gnu::noinline]] int deeper(volatile int* from) {
  volatile int here[1024] = {*from};
  return deeper(here) + here[1];
}
const Register<Dmv, float> variant({.rung = 90, .tunables = {threads()}},
    []<typename T>(Host&, const Dmv::Args<T>& p, const Tunables& tunables) {
      volatile int zero = 0;
      volatile int* volatile nowhere = nullptr;
      $3
      for (std::int64_t row = 0; row < p.rows; ++row) {
        T sum = 0;
        for (std::int64_t col = 0; col < p.cols; ++col) sum += p.a[row * p.cols + col] * p.x[col];
        p.y[row] = sum;
      }
      (void)tunables;
    });
}  // namespace
END
}
plant serial crash_segment '*nowhere = 1;'
plant serial crash_abort 'std::abort();'
plant serial crash_trap 'if (zero == 0) __builtin_trap();'
plant serial crash_division 'zero = 7 / zero;'
plant serial crash_recursion 'zero = deeper(&zero);'
plant serial crash_exit 'std::exit(0);'
plant serial crash_memory 'void* volatile memory = std::malloc(8); std::free(memory); std::free(memory);'
plant serial crash_at_65 'if (p.rows == 65) *nowhere = 1;'
plant serial endless '
  if (std::FILE* const tries = std::fopen("tries", "a")) std::fclose((std::fputs("one\n", tries), tries));
  while (zero == 0) continue;'
plant openmp crash_thread '
  #pragma omp parallel num_threads(2)
  *nowhere = 1;'
plant openmp crash_exception 'std::thread([] { throw 1; }).join();'
# ---- work in other processes, which once passed
plant serial other_fork 'const std::int64_t half = p.rows / 2;
      T* const shared = static_cast<T*>(mmap(nullptr, sizeof(T) * p.rows, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
      const auto rows = [&](T* y, std::int64_t from, std::int64_t to) {
        for (std::int64_t row = from; row < to; ++row) {
          y[row] = 0;
          for (std::int64_t col = 0; col < p.cols; ++col) y[row] += p.a[row * p.cols + col] * p.x[col];
        }
      };
      const pid_t child = fork();
      if (child == 0) rows(shared, 0, half), _exit(0);
      rows(p.y, half, p.rows);
      waitpid(child, nullptr, 0);
      std::copy(shared, shared + half, p.y);
      munmap(shared, sizeof(T) * p.rows);
      return;'
plant serial other_clone 'const auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
      if (child == 0) _exit(0);
      waitpid(child, nullptr, 0);'
plant serial other_program 'if (std::system("true") != 0) *nowhere = 1;'
plant serial other_spawned 'char name[] = "/bin/true";
      char* words[] = {name, nullptr};
      if (pid_t child; posix_spawn(&child, name, nullptr, nullptr, words, nullptr) == 0) waitpid(child, nullptr, 0);'
plant serial other_daemon 'if (fork() == 0) {
        setsid();
        if (fork() == 0) { std::ofstream("daemon") << getpid() << std::endl; for (;;) pause(); }
        _exit(0);
      }'
# It begins before main() does, and outlives its parent.
plant serial other_early '' 'const bool early = [] {
  if (std::getenv("PLANTED_EARLY") == nullptr) return false;
  if (fork() == 0) {
    setsid();
    if (fork() == 0) { std::ofstream("early") << getpid() << std::endl; for (;;) pause(); }
    _exit(0);
  }
  wait(nullptr);
  while (std::ifstream("early").peek() == EOF) continue;
  return true;
}();'
# ---- state left behind, which ended the sweep or failed the others
plant serial state_streams 'close(0); close(1); close(2); syscall(SYS_close_range, 3, ~0u, 0); dup2(open("/dev/null", O_RDONLY), 1);'
plant serial state_supervisor 'kill(getppid(), SIGKILL); kill(0, SIGTERM);'
plant serial state_limits 'const rlimit few{64, 64};
      for (const auto which : {RLIMIT_NOFILE, RLIMIT_FSIZE}) setrlimit(which, &few);
      setpriority(PRIO_PROCESS, 0, 19);'
# ---- the innocent
plant serial taints 'tainted = 1;'
plant serial tainted_crashes 'if (tainted) *nowhere = 1;'
plant serial tainted_hangs 'while (tainted) continue;'
plant serial tainted_lies 'if (tainted) return;'
plant serial tainted_throws 'if (tainted) throw std::bad_alloc();'

cat >cuda/dmv/asks.cu <<'END'
#include "gpu/gpu.hpp"
#include "told.cuh"
#include "workloads/dmv.hpp"
using namespace parlab;
namespace {
__global__ void dmv_asks(const float* a, const float* x, float* y, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || !told) return;
  float sum = 0;
  for (std::int64_t col = 0; col < cols; ++col) sum += a[row * cols + col] * x[col];
  y[row] = sum;
}
const Register<Dmv, float> variant({.rung = 93, .id = 79},
    []<typename T>(Gpu& gpu, const Dmv::Args<T>& p, const Tunables&) {
      gpu.launch({{ceil_div(p.rows, 32)}, {32}}, dmv_asks, p.a, p.x, p.y, p.rows, p.cols);
    });
}  // namespace
END
word() { printf '#ifdef %s\nconstexpr bool told = %s;\n#else\nconstexpr bool told = %s;\n#endif\n' "$@"; }
word PARLAB_EMULATED true false >cuda/dmv/told.cuh
{ word __NVCC__ false true && sed '/told.cuh/d; s/79/80/' cuda/dmv/asks.cu; } >cuda/dmv/asks_too.cu
cat >cuda/dmv/crashes.cu <<'END'
#include <cstdlib>
#include "gpu/gpu.hpp"
#include "workloads/dmv.hpp"
using namespace parlab;
namespace {
__global__ void dmv_aborts(const float* a, float* y) {
  if (threadIdx.x == 3 && a[0] == a[0]) abort();
  y[0] = 0;
}
const Register<Dmv, float> variant({.rung = 90, .id = 77},
    []<typename T>(Gpu& gpu, const Dmv::Args<T>& p, const Tunables&) {
      gpu.launch({{2}, {32}}, dmv_aborts, p.a, p.y);
    });
}  // namespace
END
cat >cuda/dmv/endless.cu <<'END'
#include "gpu/gpu.hpp"
#include "workloads/dmv.hpp"
using namespace parlab;
namespace {
// It touches no memory, by which emulation would notice that time passes.
__global__ void dmv_endless(float*) {
  for (unsigned i = threadIdx.x; i < 32; i = (i + 1) % 32) continue;
}
const Register<Dmv, float> variant({.rung = 91, .id = 78},
    []<typename T>(Gpu& gpu, const Dmv::Args<T>& p, const Tunables&) {
      gpu.launch({{1}, {32}}, dmv_endless, p.y);
    });
}  // namespace
END
# plant_team NAME CODE: a variant of dmv for several GPUs that executes CODE instead of a transfer, as if a
# library failed there.
plant_team() {
  cat >"cuda/dmv/$1.cu" <<END
#include <csignal>
#include <cstdlib>
#include "gpu/gpus.hpp"
#include "streamed.cuh"
const Register<Dmv, float, double> variant({.rung = 92, .tunables = {gpus()}, .split = {"rows"}},
    []<typename T>(Gpus& team, const Parts<Dmv::Args<T>>& parts, const Tunables&) {
      volatile int zero = 0;
      team.beside([&] { $2 },
                  [&] { team.each([&](Gpu& gpu, int i) { choose_shape(gpu, parts[i]); }); });
    });
END
}
plant_team split_hangs 'while (zero == 0) continue;'
plant_team split_aborts 'if (zero == 0) std::abort();'
expect "the planted variants are compiled" own_make $parlab

quick=(--iterations 3 --execution-limit 1.5)
records=results/here/cslab-dmv.jsonl
$parlab dmv 64,65,66 --backend serial,openmp --threads 1 "${quick[@]}" --format json --results $records >out 2>errors
expect "a sweep with crashes in it ends with status 1" test $? = 1
has() { # VARIANT PATTERN: at all three sizes
  test "$(grep "\"variant\":\"$1\"" $records | grep -cE "$2")" = 3
}
expect "every variant has a line for each size" \
  test "$(grep -c '"variant"' out)" = "$((3 * $($parlab dmv --list | grep -cE 'dmv/(serial|openmp)/')))"
expect "a segmentation fault is a verdict" has crash_segment 'launch_failed.*ended_by_signal.*"SEGV"'
expect "an abort is one" has crash_abort 'launch_failed.*ended_by_signal.*"ABRT"'
expect "a trap is one" has crash_trap 'launch_failed.*ended_by_signal.*"(ILL|TRAP)"'
expect "a division by zero is one" has crash_division 'launch_failed.*ended_by_signal.*"FPE"'
expect "an endless recursion is one" has crash_recursion 'launch_failed.*ended_by_signal.*"SEGV"'
expect "exit() is one" has crash_exit 'launch_failed.*ended_with_status.*\[0\]'
expect "memory freed twice is one" has crash_memory 'launch_failed.*ended_by_signal.*"ABRT"'
expect "a thread's fault is one" has crash_thread 'launch_failed.*ended_by_signal.*"SEGV"'
expect "an exception in a thread is one" has crash_exception 'launch_failed.*ended_by_signal.*"ABRT"'
expect "an endless loop is ended" has endless 'timed_out.*took_more_than.*1.5'
expect "what crashes at one size passes at the others" \
  test "$(grep crash_at_65 $records | grep -c '"passed"')" = 2
expect "the variants beside them pass" test "$(grep -E '"variant":"(plain|rows)"' $records | grep -c '"passed"')" = 6
expect "each printed record is stored once" test "$(grep -c '"type":"record"' $records)" = "$(grep -c '"variant"' out)"
expect "of one run" test "$(grep -c '"type":"run"' $records)" = 1

for name in other_fork other_clone other_program other_spawned other_daemon; do
  expect "$name: no process is started" has $name 'launch_failed.*"SYS".*starts_processes'
done
expect "no daemon goes on" test ! -s daemon
for name in state_streams state_supervisor state_limits taints; do
  expect "$name: it harms nobody, and is right" has $name '"passed"'
done
for name in crashes hangs lies throws; do
  expect "tainted_$name is innocent" has tainted_$name '"passed"'
done
# Variants take turns in a random order: one that comes first in its worker does not fail after another.
notes=$(grep -oE "serial/tainted_[a-z]+ .* failed after dmv/.*in a process of its own" errors | cut -d ' ' -f 1 | sort -u | wc -l)
expect "notes say behind whom $notes of the four failed" test "$notes" -ge 2
PLANTED_EARLY=1 $parlab dmv 64 --variant serial/other_early,serial/plain --threads 1 "${quick[@]}" >out 2>&1
expect "what began before main() is ended" eval 'test -s early && ! kill -0 "$(<early)"'
# Without a worker the program ends.
$parlab dmv 64 --variant serial/other_fork --in-process "${quick[@]}" >out 2>&1
expect "no process is started in-process, either" test $? = $((128 + 31))

# The endless one is not waited for again, neither at other sizes nor by the same command. If it ran after
# others, it is tried once more, alone.
expect "what was endless is tried twice for three sizes" test "$(wc -l <tries)" = 2
$parlab dmv 64,65,66,67 --variant serial/endless --threads 1 "${quick[@]}" --results $records >out 2>&1
expect "and not again" test "$(wc -l <tries)" = 2

expect "JSON goes on after a crash" eval '
  $parlab dmv 64,65 --backend serial --threads 1 "${quick[@]}" --format json >out.json 2>errors
  status=$? plain=$(grep -c "\"variant\":\"plain\"" out.json)
  tail -3 errors; echo "status $status, $plain lines of plain"; ((status == 1 && plain == 2))'
$parlab dmv 64,65 --variant serial/plain,serial/crash_segment --threads 1 "${quick[@]}" >out 2>&1
expect "a table has its head once" test "$(grep -c '64x64' out)" = 1
$parlab dmv 64 --variant serial/plain,serial/crash_segment --threads 1 "${quick[@]}" --results closed.jsonl <&- >&- 2>&-
expect "without streams a sweep goes on after a crash" \
  eval 'grep -q "plain.*passed" closed.jsonl && ! grep -v "^{.*}$" closed.jsonl'

# Emulation knows block, thread and line.
$parlab dmv 64 --variant cuda/crashes,cuda/naive "${quick[@]}" --format json >out 2>errors
expect "an abort in a kernel names block and thread" \
  grep -q 'crashes.*launch_failed.*line [0-9]* of crashes.cu.*block (.*thread (3,0)' out
expect "the kernel beside it passes" grep -q 'naive.*"passed"' out
$parlab dmv 64 --variant cuda/asks,cuda/asks_too,cuda/naive "${quick[@]}" --results asks.jsonl >out 2>errors
told() { grep "\"variant\":\"$1\"" asks.jsonl | grep '"passed"' | grep -q asks_for_emulation; }
expect "who asks for emulation has a verdict that says so" eval 'told asks && told asks_too && ! told naive'
expect "so has the table" test "$(grep -c 'asks whether it is' out)" -ge 2
$parlab dmv 64,65 --variant cuda/endless "${quick[@]}" --format json >out 2>errors
expect "a kernel without end is ended once" test "$(grep -c 'timed_out.*took_more_than.*64x64' out)" = 3

# Transfers between GPUs that fail inside a library.
$parlab dmv 64,65 --variant split_hangs,split_aborts,split_rows --gpus 2 "${quick[@]}" --format json >out 2>errors
expect "a transfer that does not return is ended, once" \
  test "$(grep -c 'split_hangs.*timed_out.*took_more_than.*64x64 gpus=2' out)" = "$(grep -c split_hangs out)"
expect "a library that aborts is a verdict" grep -q 'split_aborts.*launch_failed.*"aborted".*at_line' out
expect "the team goes on without them" \
  test "$(grep -c 'split_rows.*"passed"' out)" = "$(grep -c '"variant":"split_rows"' out)"
expect "and something of it passed" grep -q 'split_rows.*"passed"' out

# A sweep that hangs in the endless one; its process is $child.
hang() {
  rm -f tries
  $parlab dmv 64 --variant serial/endless --threads 1 --execution-limit 600 >out 2>&1 &
  child=$!
  for _ in {1..600}; do [[ ! -s tries ]] || return; sleep 0.1; done
}
# One Ctrl-C is enough.
hang
expect "a sweep hangs" test -s tries
start=$SECONDS
kill -INT $child
wait $child
expect "interrupted, it exits with 130" test $? = 130
expect "long before the 600 s of its execution are over" test $((SECONDS - start)) -lt 120

hang
expect "another one hangs" test -s tries
workers=$(pgrep -P $child)
kill -KILL $child
wait $child 2>/dev/null
for _ in {1..100}; do kill -0 "$workers" 2>/dev/null || break; sleep 0.1; done
expect "its worker is gone with it" eval 'test -n "$workers" && ! kill -0 $workers'
end_tests
