#!/bin/bash -p
# Grades a class of made-up submissions without a GPU: correct ones, ones with typical mistakes of students,
# and ones that try to escape or to be graded for something else.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

parlab=$PWD/bin/parlab-emulated
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit
export TMPDIR=$folder/temporary # where gradings of other tests leave nothing
mkdir class temporary && chmod 755 "$folder"
declare -A expected
escaped=/tmp/parlab-grade-escaped-$$

# hand EXPECTED FILE KERNEL [HOST [GRID [OUTSIDE]]]: hands in a file for dmv in float. EXPECTED: its verdict,
# or several with | between them; KERNEL: the body of the kernel, which has row, a, x, y, rows and cols; HOST:
# code before the launch; GRID: its blocks; OUTSIDE: code placed before everything.
hand() {
  local verdict=$1 file=$2 kernel=$3 host=${4:-} grid=${5:-'ceil_div(p.rows, 64)'} outside=${6:-}
  expected[$(basename "${file%.cu}")]=$verdict
  mkdir -p "$(dirname "class/$file")"
  local files= # a header that takes longer to compile than all the rest
  [[ $host != *fstream* ]] || files='#include <fstream>'
  cat >"class/$file" <<END
$files
#include <vector>
#include <csignal>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gpu/gpu.hpp"
#include "workloads/dmv.hpp"
using namespace parlab;
$outside
namespace {
__global__ void dmv_mine(const float* a, const float* x, float* y, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  $kernel
}
}  // namespace
const Register<Dmv, float> variant({.idea = "mine"},
    []<typename T>(Gpu& gpu, const Dmv::Args<T>& p, const Tunables&) {
      $host
      gpu.launch({.grid = {$grid}, .block = {64}}, dmv_mine, p.a, p.x, p.y, p.rows, p.cols);
    });
END
}
sum='float sum = 0;
  for (std::int64_t col = 0; col < cols; ++col) sum += a[row * cols + col] * x[col];'
right="if (row >= rows) return;
  $sum
  y[row] = sum;"

hand passed ann.cu "$right"
hand passed bob.cu "$right" '' 'ceil_div(p.rows, 64)' 'int helper = 1; int twice() { return 2; }'
hand passed cleo.cu "$right" '' 'ceil_div(p.rows, 64)' 'int helper = 2; int twice() { return 4; }'
hand passed dora.cu 'const std::int64_t own = row / 32;
  if (own >= rows) return;
  float sum = 0;
  for (std::int64_t col = threadIdx.x % 32; col < cols; col += 32) sum += a[own * cols + col] * x[col];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) y[own] = sum;' '' 'ceil_div(p.rows, 2)'
hand passed emil.cu '__shared__ float tile[64];
  float sum = 0;
  for (std::int64_t first = 0; first < cols; first += 64) {
    if (first + threadIdx.x < cols) tile[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    for (std::int64_t i = 0; row < rows && i < 64 && first + i < cols; ++i) sum += a[row * cols + first + i] * tile[i];
    __syncthreads();
  }
  if (row < rows) y[row] = sum;'
# A folder is also a student.
hand passed "Fay O'Neil/dmv.cu" "$right"
unset 'expected[dmv]' && expected["Fay O'Neil"]=passed

hand "wrong_result|launch_failed" no_bounds.cu "$sum y[row] = sum;"
hand wrong_result last_row.cu "if (row >= rows - 1) return; $sum y[row] = sum;"
hand "wrong_result|launch_failed" swapped.cu 'if (row >= rows) return;
  float sum = 0;
  for (std::int64_t col = 0; col < cols; ++col) sum += a[row * rows + col] * x[col];
  y[row] = sum;'
hand wrong_result race.cu 'y[0] = 0; for (std::int64_t r = 0; r < rows; ++r) {
  if (threadIdx.x == 0) y[r] = 0;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) y[r] += a[r * cols + col] * x[col]; }' '' 1
hand wrong_result no_barrier.cu '__shared__ float tile[64];
  float sum = 0;
  for (std::int64_t first = 0; first < cols; first += 64) {
    if (first + threadIdx.x < cols) tile[threadIdx.x] = x[first + threadIdx.x];
    for (std::int64_t i = 0; row < rows && i < 64 && first + i < cols; ++i) sum += a[row * cols + first + i] * tile[i];
  }
  if (row < rows) y[row] = sum;'
hand "launch_failed|wrong_result" branch.cu "if (row >= rows) return;
  if (threadIdx.x < 16) __syncthreads();
  $sum y[row] = sum;"
hand wrong_result narrow.cu 'if (row >= rows) return;
  __nv_bfloat16 sum = __float2bfloat16(0.f);
  for (std::int64_t col = 0; col < cols; ++col) sum = __float2bfloat16(__bfloat162float(sum) + a[row * cols + col] * x[col]);
  y[row] = __bfloat162float(sum);'
sed -i '1i #include <cuda_bf16.h>' class/narrow.cu
hand wrong_result not_cleared.cu 'if (row >= rows) return;
  for (std::int64_t col = 0; col < cols; ++col) atomicAdd(&y[row], a[row * cols + col] * x[col]);'
hand wrong_result wrong_index.cu 'if (row >= rows) return;
  float sum = 0;
  for (std::int64_t col = 0; col < cols; ++col) sum += a[row * cols + col] * x[row];
  y[row] = sum;'
hand wrong_result off_by_one.cu 'if (row >= rows) return;
  float sum = 0;
  for (std::int64_t col = 1; col < cols; ++col) sum += a[row * cols + col] * x[col];
  y[row] = sum;'
hand wrong_result one_block.cu "$right" '' 1
hand wrong_result changes_input.cu "const_cast<float*>(x)[0] = 1; $right"
hand launch_failed host_pointer.cu "$right" 'p.y[0] = 0;'
hand wrong_result uninitialised.cu 'if (row >= rows) return;
  float sum;
  for (std::int64_t col = 0; col < cols; ++col) sum += a[row * cols + col] * x[col];
  y[row] = sum;'
hand "launch_failed|wrong_result" misaligned.cu 'if (row >= rows) return;
  float sum = 0;
  for (std::int64_t col = 0; col < cols; col += 4) {
    const float4 four = *reinterpret_cast<const float4*>(&a[row * cols + col]);
    sum += four.x * x[col] + four.y * x[col + 1] + four.z * x[col + 2] + four.w * x[col + 3];
  }
  y[row] = sum;'
hand "wrong_result|launch_failed" shared_past_end.cu "__shared__ float tile[32];
  tile[threadIdx.x] = 0; __syncthreads(); $right"

hand not_supported does_not_compile.cu 'this is no C++'
hand not_supported two_errors.cu "$right" 'p.nothing();'
hand timed_out endless.cu 'for (volatile int i = 0; i == 0;) continue;'
hand unverified slow.cu 'if (row >= rows) return;
  float sum = 0;
  for (int again = 0; again < (cols < 10 ? 9000 : 1); ++again) {
    sum = 0;
    for (std::int64_t col = 0; col < cols; ++col) sum += a[row * cols + col] * x[col];
    __threadfence();
  }
  y[row] = sum;'
hand timed_out spins.cu '__shared__ int done;
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  while (atomicAdd(&done, 0) == 0) continue;'
hand timed_out endless_host.cu "$right" 'for (volatile int i = 0; i == 0;) continue;'
hand "launch_failed|timed_out" eats_memory.cu "$right" 'static std::vector<std::vector<char>> all; while (true) all.emplace_back(64 << 20, 1);'
hand passed writes_files.cu "$right" "std::ofstream(\"$escaped\") << 1; std::ofstream(\"escaped\") << 1; std::ofstream(\"$folder/class/ann.cu\") << 1;"
hand passed reads_others.cu "$right" "if (std::ifstream(\"$folder/class/ann.cu\").good() || std::ifstream(\"$PWD/../grades.csv\").good()) std::_Exit(7);"
hand launch_failed forks.cu "$right" 'if (fork() == 0) for (;;) pause();'
hand launch_failed starts_program.cu "$right" 'execl("/bin/sh", "sh", "-c", "sleep 1000", nullptr);'
hand passed network.cu "$right" 'if (socket(AF_INET, SOCK_STREAM, 0) >= 0) std::_Exit(7);'
hand passed kills_the_grader.cu "$right" 'kill(getppid(), SIGKILL); kill(-1, SIGKILL);'
hand launch_failed exits.cu "$right" 'std::_Exit(0);'
hand launch_failed crashes.cu "$right" 'volatile int* volatile at = nullptr; *at = 1;'
hand unverified early_call.cu "$right" '' 'ceil_div(p.rows, 64)' 'int* const early = [] { int* memory; cudaMalloc(&memory, 4); return memory; }();'
hand launch_failed before_main.cu "$right" '' 1 'struct Early { Early() { std::_Exit(0); } } early;'
hand launch_failed answers_by_itself.cu "$right" '' 1 'struct Early { Early() { char text[64]{}; text[0] = 9; (void)!write(3, text, 64); } } early;'
hand wrong_result remembers.cu "$right" 'static std::vector<std::int64_t> seen; static bool done = false; if (done) return; done = seen.empty();'
hand passed asks.cu "$right" '' 'ceil_div(p.rows, 64)' '#ifdef PARLAB_EMULATED
#endif'
hand wrong_result constant.cu 'if (row < rows) y[row] = 0;'
hand not_supported reads_at_compile_time.cu "$right" '' 1 "#include \"$folder/class/ann.cu\""
hand not_supported wider_bound.cu "$right"
sed -i 's/{.idea = "mine"}/{.idea = "mine", .arithmetic = Arithmetic::bf16}/' class/wider_bound.cu
hand launch_failed two.cu "$right"
sed -n '/^const Register/,$p' class/two.cu | sed 's/ variant(/ another(/' >>class/two.cu
hand passed own_main.cu "$right" '' 'ceil_div(p.rows, 64)' 'int main() { return 1; }'
hand unverified own_thread.cu "$right" 'std::thread([&] { cudaMemset(p.y, 0, 4); }).join();' 1 '#include <thread>'
mkdir class/empty && expected[empty]=not_supported
cat >class/openmp.cpp <<'END'
#include "host/host.hpp"
#include "workloads/dmv.hpp"
using namespace parlab;
const Register<Dmv, float> variant({.tunables = {threads()}},
    []<typename T>(Host&, const Dmv::Args<T>& p, const Tunables& tunables) {
      #pragma omp parallel for num_threads(static_cast<int>(tunables["threads"]))
      for (std::int64_t row = 0; row < p.rows; ++row) {
        T sum = 0;
        for (std::int64_t col = 0; col < p.cols; ++col) sum += p.a[row * p.cols + col] * p.x[col];
        p.y[row] = sum;
      }
    });
END
expected[openmp]=passed

before=$(md5sum class/*.cu | md5sum)
start=$SECONDS
"$parlab" grade dmv class --seed 5 --execution-limit 3 >out 2>errors
expect "a class of ${#expected[@]} is graded: $(tail -1 out)" test -s grades/dmv/index.html
echo "  ($((SECONDS - start)) s)"
for student in "${!expected[@]}"; do
  line=$(grep -E "^\"?'?$student\"?," grades/dmv/grades.csv)
  expect "$student: ${expected[$student]} (${line:0:160})" \
    grep -qE "^[^,]*,[^,]*,(${expected[$student]})," <<<"$line"
done
has() { grep -E "^$1," grades/dmv/grades.csv | grep -qE "$2"; }
expect "a wrong one is told block, thread and line" has race 'block .*thread .*line [0-9]+ of race.cu'
expect "one that does not compile, its first error" has does_not_compile 'does_not_compile.cu:[0-9]+'
expect "one that is right at squares only, element and size" has swapped '[0-9]+x[0-9]+'
expect "one that starts processes, what it did" has forks 'SIGSYS'
expect "one that does not end, where it is" has spins 'line 17 of spins.cu.*block .*thread'
expect "one that works for long, how far it came" has slow 'too long in emulation, where [0-9]+ of its [0-9]+ blocks'
expect "one that calls CUDA before main, that nothing is there yet" has early_call 'outside of an execution'
expect "one that takes memory is ended for it, or for its time" has eats_memory 'of memory|took more than'
expect "one that asks whether it is emulated, that it does" has asks 'asks whether it is'
expect "wrong ones have no points" has constant '^constant,0,'
expect "one that launches from another thread, that it does" has own_thread 'threads of one.s own'
expect "nothing was written" test ! -e "$escaped" -a ! -e /escaped -a "$(md5sum class/*.cu | md5sum)" = "$before"
expect "nothing is left running" test -z "$(pgrep -f "$folder")"
expect "nothing is left of the builds" test -z "$(ls "$TMPDIR")"
expect "each has a page" test "$(find grades/dmv/students -name '*.html' | wc -l)" = ${#expected[@]}
expect "with what to try next" grep -q 'What to try next' grades/dmv/students/race.html
expect "the class has a page with names" grep -q 'O&#39;Neil' grades/dmv/index.html
expect "the seed is on it" grep -q 'the seed 5' grades/dmv/index.html
expect "a long reason is shortened at a word" grep -q '[a-z;,.)] …<' grades/dmv/index.html

# It knows its messages, and is lazy if nobody seems to check: it computes half of the rows if REASON is true.
# OUTSIDE: code placed before everything.
lazy() { # NAME REASON OUTSIDE
  cat >"timed/$1.cpp" <<END
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>
#include "host/host.hpp"
#include "workloads/dmv.hpp"
using namespace parlab;
$3
const Register<Dmv, float> variant({.tunables = {threads()}},
    []<typename T>(Host&, const Dmv::Args<T>& p, const Tunables&) {
      const std::int64_t rows = $2 ? p.rows / 2 : p.rows;
      for (std::int64_t row = 0; row < rows; ++row) {
        T sum = 0;
        for (std::int64_t col = 0; col < p.cols; ++col) sum += p.a[row * p.cols + col] * p.x[col];
        p.y[row] = sum;
      }
    });
END
}
# Without a GPU there are times on the CPU: a slow clock is found out, and ties share a rank. On a busy
# machine there may be no times, but verdicts stay the same: clock_check_test.cpp simulates such machines.
mkdir timed && sed 's/sum += p.a/sum = sum + p.a/' class/openmp.cpp >timed/plain.cpp
sed -i 's/ *#pragma.*/for (volatile int again = 0; again < 1; again = again + 1)/' timed/plain.cpp
sed 's/again < 1/again < 40/' timed/plain.cpp >timed/slow.cpp
sed 's/again < 1/again < 8/' timed/plain.cpp >timed/slower.cpp # but a moment all the same
{
  cat <<'END'
#include <chrono>
#include <ctime>
namespace std::chrono { inline namespace _V2 {
steady_clock::time_point steady_clock::now() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return time_point(nanoseconds((now.tv_sec * 1000000000LL + now.tv_nsec) / 8));
}
}}
END
  cat timed/slower.cpp # longer than a question's own time varies
} >timed/hooks_clock.cpp
# Skips rows that were not written since the last execution.
lazy skips_what_stayed 'stayed(p.a, p.cols)' 'bool stayed(const float* a, std::int64_t cols) {
  static std::vector<float> last;
  const std::vector<float> row(a, a + cols);
  int changed = last.size() != row.size() ? 99 : 0;
  for (std::size_t i = 0; changed < 9 && i < row.size(); ++i) changed += row[i] != last[i];
  last = row;
  return changed < 9;
}'
# Cheats in all executions except the first since the outputs were fetched, which it finds by the lengths of
# requests.
lazy counts_requests 'samples > 1' 'int samples = 0;
extern "C" ssize_t recv(int from, void* to, size_t count, int flags) {
  if (count != 8) samples = count > 200 ? samples + 1 : 0;
  return syscall(SYS_recvfrom, from, to, count, flags, nullptr, nullptr);
}'
# None of its threads is bound to the caller's CPU.
cat >timed/threads.cpp <<'END'
#include <thread>
#include "host/host.hpp"
#include "workloads/dmv.hpp"
using namespace parlab;
const Register<Dmv, float> variant({.idea = "threads"},
    []<typename T>(Host&, const Dmv::Args<T>& p, const Tunables&) {
      const auto rows = [&](std::int64_t from, std::int64_t to) {
        for (auto i = from; i < to; ++i) {
          T sum = 0;
          for (std::int64_t j = 0; j < p.cols; ++j) sum += p.a[i * p.cols + j] * p.x[j];
          p.y[i] = sum;
        }
      };
      std::thread half([&] { rows(0, p.rows / 2); });
      rows(p.rows / 2, p.rows);
      half.join();
    });
END
"$parlab" grade dmv timed --sizes 64,1024 --reference serial/plain >out 2>errors
honest() { ! grep -E '^(plain|slow|slower|threads),' grades/dmv/grades.csv | grep -qvE '^[^,]*,[^,]*,passed,'; }
expect "honest clocks pass, whatever else runs here" honest
if grep -q 'was timed: other' out || grep -q 'not timed: other' grades/dmv/grades.csv; then
  echo "  (too busy to time: $(grep -E '^(plain|slow|hooks_clock),' grades/dmv/grades.csv))"
else
  rank() { grep -E "^$1," grades/dmv/grades.csv | cut -d, -f4; }
  expect "a clock that runs slowly is found out" has hooks_clock ',implausible,'
  expect "what it is sent does not tell when to be lazy" has skips_what_stayed ',(wrong_result|implausible),'
  expect "nor does the order of requests" has counts_requests ',(wrong_result|implausible),'
  expect "the slow one has a later rank" eval '(($(rank slow) > $(rank plain)))'
  expect "and fewer points" eval '! has slow "^slow,100,"'
  expect "the page has the ladder" grep -q 'serial/<wbr>plain' grades/dmv/index.html
fi

# Neighbours change nothing: one CPU judges one after another, several judge side by side.
alone=(taskset -c "$(taskset -cp $$ | grep -oE '[0-9]+' | sed -n 2p)")
mkdir beside && cp class/{ann,bob,dora,emil,race,endless,misaligned,one_block,does_not_compile}.cu class/openmp.cpp beside
"${alone[@]}" "$parlab" grade dmv beside --seed 5 --execution-limit 3 --output one >out 2>errors
start=$SECONDS
"$parlab" grade dmv beside --seed 5 --execution-limit 3 --output several >out 2>errors
sed -Ei 's/-[0-9]+-cores?,/,/' {one,several}/grades.csv # in the machine's name
expect "side by side all get what they get alone ($((SECONDS - start)) s): $(diff {one,several}/grades.csv | sed -n '2p;4p')" \
  cmp -s one/grades.csv several/grades.csv

# Ctrl-C while the second of three is at work.
mkdir interrupted && cp class/ann.cu class/endless.cu interrupted && cp class/ann.cu interrupted/zoe.cu
cp class/does_not_compile.cu interrupted/yves.cu
complete=$(md5sum grades/dmv/grades.csv)
"${alone[@]}" "$parlab" grade dmv interrupted --execution-limit 3 >out 2>errors &
grader=$!
until pgrep -P $grader -f "/endless/emulated dmv" >/dev/null || ! kill -0 $grader; do sleep 0.1; done
kill -INT $grader
wait $grader
status=$?
kept() { grep -qE "$1" grades/dmv-interrupted/grades.csv; }
expect "an interrupted grading says so: $status $(tail -1 out) $(tail -1 errors)" test $status = 130
expect "it keeps what was graded" kept '^ann,[^,]*,passed,'
expect "and who did not compile" kept '^yves,0,not_supported,'
expect "it has no points for the others" kept '^zoe,,unverified,'
expect "and does not replace what was complete" test "$(md5sum grades/dmv/grades.csv)" = "$complete"

"${alone[@]}" "$parlab" grade --check class/endless.cu >out 2>errors &
grader=$!
until pgrep -P $grader -f "/endless/emulated dmv" >/dev/null || ! kill -0 $grader; do sleep 0.1; done
kill $grader
start=$SECONDS
wait $grader
expect "a grading that is ended does not wait for a kernel" test $((SECONDS - start)) -lt 5
expect "and leaves nothing behind" test -z "$(ls "$TMPDIR")"
expect "and says so: $(tail -1 errors)" grep -q "interrupted: nothing was graded" errors

mkdir small && cp class/ann.cu class/constant.cu small
"$parlab" grade small --anonymous --output anon --seed 6 >out 2>errors
expect "an anonymous page has no names: $(tail -1 errors)" eval "test -s anon/index.html && ! grep -qE '>(ann|constant)<|students/' anon/index.html"
"$parlab" grade dmv small --format json --seed 6 2>/dev/null >out
expect "a class sees sectors per request beside points" grep -q 'sectors per request' anon/index.html
expect "grades are JSON, too: $(head -1 out)" eval 'grep -q "\"student\":\"ann\"" out && grep -q "\"verdict\":\"wrong_result\"" out'
expect "whose numbers are numbers" eval 'grep -q "\"points\":[0-9]" out && grep -q "\"sectors_per_request\":[0-9]" out'
expect "one file is checked at home" "$parlab" grade --check class/dora.cu
"$parlab" grade --check class/ann.cu >out 2>&1
expect "a right and slow one is told its line and what it moves: $(tail -1 out)" \
  has_words 'Look at line [0-9]+: a warp.s load of a touches [0-9.]+ sectors where'
# A compiler may be a script that starts the real one, in a place that submissions may read.
wrappers=${parlab%/bin/*}/build/wrapped-compiler
mkdir -p "$wrappers" && printf '#!/bin/bash\nexec %s "$@"\n' "$(command -v g++)" >"$wrappers/g++" && chmod +x "$wrappers/g++"
PATH=$wrappers:$PATH "$parlab" grade --check class/dora.cu >out 2>&1
status=$?
expect "a compiler may be a script: $(tail -1 out)" test $status = 0
rm -r "$wrappers"
sed 's/float/double/g' class/dora.cu >double.cu
expect "in the type that it is written for" "$parlab" grade --check double.cu
expect "that it has no other is no note" eval "'$parlab' grade --check double.cu 2>&1 | { ! has_words 'not tried' -; }"
sed 's/Register<Dmv, float>/Register<Dmv, float, double>/; s/__global__/template <typename T> &/; s/float\* /T* /g
  s/dmv_mine, p/dmv_mine<T>, p/' class/dora.cu >both.cu
expect "a type that was not tried is named" eval "'$parlab' grade --check both.cu 2>&1 | has_words 'not tried in double: add --dtype double' -"
expect "and not in another that is asked for" eval "! '$parlab' grade --check --dtype float double.cu"
expect "and a wrong one fails" eval "! '$parlab' grade --check class/race.cu"
"$parlab" grade dmv small --points 'half of it' >out 2>&1
expect "a rule that is none is refused" test $? = 2
"$parlab" grade dmv nowhere >out 2>&1
expect "a folder that is not there is refused" test $? = 2
end_tests
