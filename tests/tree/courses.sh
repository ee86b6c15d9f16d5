#!/bin/bash -p
# Real students' code is judged at the requested sizes, at sizes that reveal mistakes, for races between
# threads, in the form of their course, and beside other gradings.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

root=$PWD parlab=$PWD/bin/parlab-emulated
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit
row() { grep -E "^\"?$1\"?," "$2/grades.csv"; }
graded() { # VERDICT STUDENT FOLDER [WORDS]
  expect "$2: $1 ($(row "$2" "$3" | cut -c 1-150))" \
    eval "row $2 $3 | grep -qE '^[^,]*,[^,]*,$1,' && row $2 $3 | grep -qE -- '${4:-}'"
}

# ---- sizes: as requested, or as declared
kernel() { # NAME DECLARED
  cat >"$1.cu" <<END
#include "gpu/gpu.hpp"
#include "workloads/matmul.hpp"
using namespace parlab;
namespace {
constexpr int edge = 32;
__global__ void panels(const float* a, const float* b, float* c, int m, int k, int n) {
  __shared__ float part[edge][edge];
  const int col = blockIdx.x * edge + threadIdx.x, first = blockIdx.y * edge;
  float sums[edge] = {};
  for (int at = 0; at < k; at += edge) {
    for (int r = 0; r < edge; ++r) part[r][threadIdx.x] = a[(first + r) * k + at + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < edge; ++i)
      for (int r = 0; r < edge; ++r) sums[r] += part[r][i] * b[(at + i) * n + col];
    __syncthreads();
  }
  for (int r = 0; r < edge; ++r) c[(first + r) * n + col] = sums[r];
}
}
const Register<Matmul, float> variant({.idea = "panels"$2},
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      gpu.launch({.grid = {p.n / edge, p.m / edge}, .block = {edge}}, panels, p.a, p.b, p.c, p.m, p.k, p.n);
    });
END
}
mkdir tiles && cd tiles && kernel plain '' && kernel declared ', .multiple_of = 32' && cd ..
"$parlab" grade matmul tiles --sizes 64,256 --hidden 96,32x160x64 --output at_tiles >out 2>errors
graded passed plain at_tiles
"$parlab" grade matmul tiles --seed 3 --sizes 64 --output drawn >out 2>errors
graded '(launch_failed|wrong_result)' plain drawn
graded passed declared drawn 'multiples of 32'
expect "a course of squares is told that it needs hidden squares" grep -q -- '--hidden 97,130' errors
expect "where there is no GPU points wait for a time" eval "tr '\n' ' ' <out | grep -q 'rank wait for a'"
"$parlab" grade matmul tiles --sizes 100 --output odd >out 2>errors
graded not_supported declared odd 'multiple of 32'

# ---- sizes that reveal mistakes, and races between threads
mkdir sums && cat >sums/one_block.cu <<'END'
#include "gpu/gpu.hpp"
#include "workloads/vector_sum.hpp"
using namespace parlab;
namespace {
__global__ void first(const float* x, float* sum, int n) {
  __shared__ float all[1024];
  all[threadIdx.x] = threadIdx.x < n ? x[threadIdx.x] : 0;
  __syncthreads();
  for (int half = 512; half > 0; half /= 2) {
    if (threadIdx.x < half) all[threadIdx.x] += all[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = all[0];
}
}
const Register<VectorSum, float> variant({.idea = "1024"},
    []<typename T>(Gpu& gpu, const VectorSum::Args<T>& p, const Tunables&) {
      gpu.launch({.block = {1024}}, first, p.x, p.sum, p.n);
    });
END
threads() { # NAME BODY [HEADER...]
  cat >"sums/$1.cpp" <<END
$(test $# = 2 || printf '#include <%s>\n' "${@:3}")
#include <omp.h>
#include <atomic>
#include <mutex>
#include <vector>
#include "host/host.hpp"
#include "workloads/vector_sum.hpp"
using namespace parlab;
const Register<VectorSum, float> variant({.idea = "$1", .tunables = {threads()}},
    []<typename T>(Host&, const VectorSum::Args<T>& p, const Tunables& tunables) {
      const int team = static_cast<int>(tunables["threads"]);
      const T* const x = p.x;
      const std::int64_t n = p.n;
      T sum = 0;
      $2
      *p.sum = sum;
    });
END
}
head='#pragma omp parallel for num_threads(team)'
loop='for (std::int64_t i = 0; i < n; ++i)'
threads race_plain "$head
$loop sum += x[i];"
threads race_of_parts "std::vector<T> parts(team + 1);
#pragma omp parallel num_threads(team)
{ const int me = omp_get_thread_num();
#pragma omp for nowait
$loop parts[me] += x[i];
if (me == 0) for (int t = 0; t < team; ++t) parts[team] += parts[t]; }
sum = parts[team];"
threads race_of_critical "#pragma omp parallel num_threads(team)
{ T own = 0;
#pragma omp for
$loop own += x[i];
#pragma omp critical
sum += own;
if (omp_get_thread_num() == 1) sum += 0; }"
threads right_reduction "#pragma omp parallel for num_threads(team) reduction(+ : sum)
$loop sum += x[i];"
threads right_atomic "#pragma omp parallel for num_threads(team) schedule(dynamic)
$loop {
#pragma omp atomic
sum += x[i]; }"
threads right_parts "std::vector<T> parts(team);
#pragma omp parallel num_threads(team)
{ const int me = omp_get_thread_num();
std::vector<T> own(3);
#pragma omp for
$loop own[i % 3] += x[i];
for (const T one : own) parts[me] += one;
#pragma omp barrier
#pragma omp single
for (const T one : parts) sum += one; }"
threads right_mutex "std::mutex lock;
#pragma omp parallel num_threads(team)
{ T own = 0;
#pragma omp for
$loop own += x[i];
const std::scoped_lock alone(lock);
sum += own; }"
threads right_tasks "std::vector<T> parts(4);
#pragma omp parallel num_threads(team)
#pragma omp single
{ for (int t = 0; t < 4; ++t) {
#pragma omp task shared(parts) firstprivate(t)
for (std::int64_t i = t * n / 4; i < (t + 1) * n / 4; ++i) parts[t] += x[i]; }
#pragma omp taskwait
for (const T one : parts) sum += one; }"
threads race_of_tasks "#pragma omp parallel num_threads(team)
#pragma omp single
{ for (int t = 0; t < 4; ++t) {
#pragma omp task shared(sum) firstprivate(t)
for (std::int64_t i = t * n / 4; i < (t + 1) * n / 4; ++i) sum += x[i]; } }"
threads race_beside_atomic "#pragma omp parallel num_threads(team)
{ const int me = omp_get_thread_num();
T own = 0, seen = 0;
std::vector<T> slow(2);
#pragma omp for
$loop own += x[i];
if (me == 0) seen = sum;
else for (int i = 0; i < 20000; ++i) slow[i % 2] = own;
own += 0 * seen + 0 * slow[1];
#pragma omp atomic
sum += own; }"
threads race_of_own_atomic "#pragma omp parallel num_threads(team)
{ T own = 0;
#pragma omp for
$loop own += x[i];
T old = sum, now;
do now = old + own;
while (!__atomic_compare_exchange(&sum, &old, &now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); }"
threads right_own_atomic "#pragma omp parallel num_threads(team)
{ T own = 0, old, now;
#pragma omp for
$loop own += x[i];
__atomic_load(&sum, &old, __ATOMIC_RELAXED);
do now = old + own;
while (!__atomic_compare_exchange(&sum, &old, &now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); }"
threads right_flag "T part = 0;
int ready = 0;
#pragma omp parallel num_threads(2)
if (omp_get_thread_num() == 0) {
$loop part += x[i];
#pragma omp flush
#pragma omp atomic write
ready = 1;
} else {
for (int there = 0; there == 0;) {
#pragma omp atomic read
there = ready; }
#pragma omp flush
sum = part; }"
threads right_nested "T parts[2] = {};
#pragma omp parallel for num_threads(2)
for (int t = 0; t < 2; ++t) {
T own = 0;
#pragma omp parallel for reduction(+ : own)
for (std::int64_t i = t; i < n; i += 2) own += x[i];
parts[t] = own; }
sum = parts[0] + parts[1];"
threads right_recursion "const auto sum_of = [](const auto& again, const T* at, std::int64_t count) -> T {
if (count < 2) return count == 0 ? 0 : *at;
T left = 0, right = 0;
#pragma omp task shared(left)
left = again(again, at, count / 2);
#pragma omp task shared(right)
right = again(again, at + count / 2, count - count / 2);
#pragma omp taskwait
return left + right; };
#pragma omp parallel num_threads(team)
#pragma omp single
sum = sum_of(sum_of, x, n);"
# ... of C++ and of POSIX. start: a team whose threads execute BODY, which has me; join: waits for it.
start() {
  echo "std::vector<std::thread> all;
for (int me = 0; me < 4; ++me) all.emplace_back([&, me] { $1 });"
}
join='for (auto& one : all) one.join();'
own='T own = 0;
for (std::int64_t i = me; i < n; i += 4) own += x[i];'
threads race_of_own_threads "$(start "$own sum += own;") $join" thread
threads race_before_join "$(start "if (me == 0) { $loop sum += x[i]; }")
const T seen = sum;
$join
sum += 0 * seen;" thread
threads race_of_two_locks "std::mutex locks[2];
$(start "$own const std::scoped_lock alone(locks[me % 2]); sum += own;") $join" thread
threads race_of_posix "struct Work { const T* x; std::int64_t n; T* sum; } work{x, n, &sum};
pthread_t other;
pthread_create(&other, nullptr, [](void* of) -> void* {
const auto& w = *static_cast<Work*>(of);
for (std::int64_t i = 0; i < w.n; i += 2) *w.sum += w.x[i];
return nullptr; }, &work);
for (std::int64_t i = 1; i < n; i += 2) sum += x[i];
pthread_join(other, nullptr);" pthread.h
threads right_pool "std::mutex lock; std::condition_variable more; std::vector<std::int64_t> queue; bool ended = false;
$(start "for (;;) { std::unique_lock mine(lock); more.wait(mine, [&] { return ended || !queue.empty(); });
if (queue.empty()) return; const auto first = queue.back(); queue.pop_back(); mine.unlock();
T own = 0; for (auto i = first; i < std::min(first + 8, n); ++i) own += x[i]; mine.lock(); sum += own; }")
for (std::int64_t i = 0; i < n; i += 8) { { const std::lock_guard mine(lock); queue.push_back(i); } more.notify_one(); }
{ const std::lock_guard mine(lock); ended = true; }
more.notify_all();
$join" thread condition_variable algorithm
threads right_meetings "std::vector<T> parts(4); std::barrier meet(4); std::latch done(4); std::binary_semaphore free(1);
std::atomic<T> again = 0;
$(start "$own parts[me] = own; meet.arrive_and_wait();
if (me == 3) for (const T one : parts) sum += one;
meet.arrive_and_wait(); free.acquire(); sum += own; free.release();
T old = again; while (!again.compare_exchange_weak(old, old + own)) continue;
done.count_down();")
done.wait();
sum -= again;
$join" thread barrier latch semaphore
threads right_futures "std::shared_mutex lock; std::once_flag once; std::vector<T> copy; T other = 0;
std::promise<T> told; auto heard = told.get_future();
std::jthread teller([&] { T part = 0; for (std::int64_t i = 0; i < n; i += 4) part += x[i]; told.set_value(part); });
std::vector<std::future<T>> parts;
for (int me = 1; me < 4; ++me) parts.push_back(std::async(std::launch::async, [&, me] {
std::call_once(once, [&] { copy.assign(x, x + n); });
static const std::vector<int> steps(4, 4);
T own = 0; for (std::int64_t i = me; i < n; i += steps[me]) own += copy[i];
{ const std::shared_lock look(lock); own += 0 * other; }
const std::unique_lock alone(lock); other += own; return own; }));
for (auto& one : parts) sum += one.get();
sum += heard.get() + 0 * other;
teller.join();" thread future shared_mutex
threads right_static_team "static std::atomic<int> go[2], done[2];
static const T* at; static std::int64_t count; static T part;
static struct Team {
std::vector<std::thread> all;
Team() { for (int me = 0; me < 2; ++me) all.emplace_back([me] {
for (int seen = 0;;) { go[me].wait(seen); seen = go[me]; if (seen < 0) return;
if (me == 0) { part = 0; for (std::int64_t i = 0; i < count; ++i) part += at[i]; } else part *= 2;
done[me] = seen; done[me].notify_one(); } }); }
~Team() { for (auto& one : go) { one = -1; one.notify_one(); } for (auto& one : all) one.join(); }
} workers;
at = x, count = n;
for (int me = 0; me < 2; ++me) { const int before = go[me]++; go[me].notify_one(); done[me].wait(before); }
sum = part / 2;" thread
threads right_own_recursion "const auto sum_of = [n](const auto& again, const T* at, std::int64_t count) -> T {
T left = 0, right = 0;
if (count <= n / 32) { for (std::int64_t i = 0; i < count; ++i) left += at[i]; return left; }
std::thread other([&] { left = again(again, at, count / 2); });
right = again(again, at + count / 2, count - count / 2);
other.join();
return left + right; };
sum = n < 32 ? 0 : sum_of(sum_of, x, n);
if (n < 32) $loop sum += x[i];" thread
threads right_posix "struct Work { const T* x; std::int64_t n; int me; T* sum; pthread_mutex_t* lock; pthread_barrier_t* meet; };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; pthread_barrier_t meet; pthread_barrier_init(&meet, nullptr, 3);
std::vector<Work> work; std::vector<pthread_t> all(3);
for (int t = 0; t < 3; ++t) work.push_back({x, n, t, &sum, &lock, &meet});
for (int t = 0; t < 3; ++t) pthread_create(&all[t], nullptr, [](void* of) -> void* {
const auto& w = *static_cast<Work*>(of);
if (w.me == 1) *w.sum = 0;
pthread_barrier_wait(w.meet);
T own = 0;
for (std::int64_t i = w.me; i < w.n; i += 3) own += w.x[i];
pthread_mutex_lock(w.lock); *w.sum += own; pthread_mutex_unlock(w.lock);
return nullptr; }, &work[t]);
for (auto one : all) pthread_join(one, nullptr);" pthread.h
"$parlab" grade vector_sum sums --seed 5 --output summed >out 2>errors
graded wrong_result one_block summed
for name in race_plain race_of_parts race_of_critical race_of_tasks race_beside_atomic race_of_own_atomic \
  race_of_own_threads race_before_join race_of_two_locks race_of_posix; do
  graded wrong_result $name summed "line [0-9]+ of $name.cpp.*another thread.*line [0-9]+ of $name.cpp"
done
for name in right_reduction right_atomic right_parts right_mutex right_tasks right_own_atomic right_flag \
  right_nested right_recursion right_pool right_meetings right_futures right_static_team right_own_recursion \
  right_posix; do
  graded passed $name summed
done

# ---- this tree's own variants have none: those whose threads share something
mkdir own
for variant in atax/fused:9x17 dmv/blocked:9x17 heat/rows:9x17x3 histogram/private:1001 scan/two_passes:1001 vector_sum/parallel:1001; do
  path=${variant%:*} size=${variant#*:}
  sed '/[.]id = /d' "$root/openmp/$path.cpp" >"own/${path#*/}.cpp"
  expect "no race in openmp/$path" "$parlab" grade "${path%/*}" --check "own/${path#*/}.cpp" --sizes 33 --hidden "$size"
done

# ---- the functions of a course
mkdir lab && cat >lab/ann.cu <<'END'
#include <stdio.h>
#include "dmv.h"
// __global__ void dmv_gpu_shmem(const value_t *a, const value_t *x, value_t *y, size_t n) {}
__global__ void dmv_gpu_naive(const value_t *a, const value_t *x, value_t *y, size_t n)
{
  size_t row = blockIdx.x * blockDim.x + threadIdx.x;
  value_t sum = 0;
  for (size_t col = 0; col < n; ++col) sum += a[row * n + col] * x[col];
  y[row] = sum;
}
END
sed 's/naive/coalesced/' lab/ann.cu >lab/bob.cu
sed 's/naive/coalesced/; s/row \* n + col/col * n + row/' lab/ann.cu >lab/cleo.cu
sed 's/dmv_gpu_naive/my_kernel/' lab/ann.cu >lab/dora.cu
"$parlab" grade lab --seed 2 --output lab_graded >out 2>errors
expect "the course is found by its functions: $(tail -1 errors)" grep -q 'interface of the course cslab' errors
graded passed ann lab_graded
graded wrong_result bob lab_graded
graded passed cleo lab_graded
graded not_supported dora lab_graded 'no function dmv_gpu_'
mkdir solving && cat >solving/eva.cpp <<'END'
extern "C" void solve(float* a, float* b, float* c, int m, int n, int k) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < k; ++j) {
      float sum = 0;
      for (int l = 0; l < n; ++l) sum += a[i * n + l] * b[l * k + j];
      c[i * k + j] = sum;
    }
}
END
expect "a function for all, on the host" "$parlab" grade --check --course solve solving/eva.cpp
sed 's/^  for (int i/#pragma omp parallel for\n&/' solving/eva.cpp >solving/lea.cpp
expect "with OpenMP" "$parlab" grade --check --course solve solving/lea.cpp
sed 's/^  for (int i/  float sum;\n#pragma omp parallel for\n&/; s/      float sum/      sum/' solving/eva.cpp >solving/max.cpp
expect "whose races are found, whatever the course says of threads" \
  eval '! "$parlab" grade --check --course solve solving/max.cpp >out 2>&1 && has_words "another thread"'
expect "also where all small sizes that are drawn have one row" \
  eval '! "$parlab" grade --check --course solve --seed 6 solving/max.cpp >out 2>&1 && has_words "another thread"'
sed 's/solve/salve/' solving/eva.cpp >solving/ola.cpp
expect "a file without that function is told so" \
  eval '! "$parlab" grade --check --course solve solving/ola.cpp >out 2>&1 && has_words "no function solve"'
cat >solving/nat.cpp <<'END'
#include <omp.h>
extern "C" void solve(float* a, float* b, float* c, int m, int n, int k) {
#pragma omp parallel
  {
    int all = omp_get_max_threads(), each = (m + all - 1) / all, first = omp_get_thread_num() * each;
    for (int i = first; i < first + each && i < m; ++i)
      for (int j = 0; j < k; ++j) {
        float sum = 0;
        for (int l = 0; l < n; ++l) sum += a[i * n + l] * b[l * k + j];
        c[i * k + j] = sum;
      }
  }
}
END
expect "a team is as large as it was asked for" "$parlab" grade --check --course solve solving/nat.cpp
mkdir launching && cat >launching/fay.cu <<'END'
__global__ void product(float* a, float* b, float* c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= k) return;
  float sum = 0;
  for (int l = 0; l < n; ++l) sum += a[row * n + l] * b[l * k + col];
  c[row * k + col] = sum;
}
extern "C" void solve(float* a, float* b, float* c, int m, int n, int k) {
  dim3 block(16, 16), grid((k + 15) / 16, (m + 15) / 16);
  product<<<grid, block>>>(a, b, c, m, n, k);
  cudaDeviceSynchronize();
}
END
sed 's/col >= k/false/' launching/fay.cu >launching/gus.cu
sed 's/= sum;/= sun;/' launching/fay.cu >launching/hal.cu
sed 's/, grid(.*/;/; s/<<<.*>>>/<<<dim3((k + 15) \/ 16, (m + 15) \/ 16), block>>>/' launching/fay.cu >launching/ida.cu
"$parlab" grade matmul launching --course solve --output launched >out 2>errors
graded passed fay launched
graded '(launch_failed|wrong_result)' gus launched 'line 5 of gus.cu'
graded not_supported hal launched 'hal.cu:6:'
graded passed ida launched
cat >stencil.cu <<'END'
#include <math.h>
#include "polybench.h"
__global__ void stencil(DATA_TYPE* A, DATA_TYPE* B, int ni, int nj) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && j > 0 && i < ni - 1 && j < nj - 1)
    B[i * nj + j] = 0.2 * A[(i - 1) * nj + j - 1] + 0.5 * A[(i - 1) * nj + j] - 0.8 * A[(i - 1) * nj + j + 1] -
                    0.3 * A[i * nj + j - 1] + 0.6 * A[i * nj + j] - 0.9 * A[i * nj + j + 1] +
                    0.4 * A[(i + 1) * nj + j - 1] + 0.7 * A[(i + 1) * nj + j] + 0.1 * A[(i + 1) * nj + j + 1];
}
void conv2D(int ni, int nj, DATA_TYPE* A, DATA_TYPE* B) {
  dim3 block(32, 8), grid((size_t)ceil((float)nj / block.x), (size_t)ceil((float)ni / block.y));
  stencil<<<grid, block>>>(A, B, ni, nj);
}
END
cat >products.cu <<'END'
#include "polybench.h"
__global__ void first(int m, int n, DATA_TYPE* A, DATA_TYPE* x, DATA_TYPE* tmp) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  tmp[i] = 0;
  for (int j = 0; j < n; ++j) tmp[i] += A[i * n + j] * x[j];
}
__global__ void second(int m, int n, DATA_TYPE* A, DATA_TYPE* y, DATA_TYPE* tmp) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  y[j] = 0;
  for (int i = 0; i < m; ++i) y[j] += A[i * n + j] * tmp[i];
}
void kernel_atax(int m, int n, DATA_TYPE* A, DATA_TYPE* x, DATA_TYPE* y, DATA_TYPE* tmp) {
  first<<<(m + 255) / 256, 256>>>(m, n, A, x, tmp);
  second<<<(n + 255) / 256, 256>>>(m, n, A, y, tmp);
}
END
for file in stencil products; do
  expect "launches of PolyBench, $file" "$parlab" grade --check --course polybench $file.cu
done
cat >atax.cpp <<'END'
#include "polybench.h"
void kernel_atax(int m, int n, DATA_TYPE* A, DATA_TYPE* x, DATA_TYPE* y, DATA_TYPE* tmp) {
  for (int j = 0; j < n; ++j) y[j] = 0;
  for (int i = 0; i < m; ++i) {
    tmp[i] = 0;
    for (int j = 0; j < n; ++j) tmp[i] += A[i * n + j] * x[j];
    for (int j = 0; j < n; ++j) y[j] += A[i * n + j] * tmp[i];
  }
}
END
expect "a function of PolyBench" "$parlab" grade --check --course polybench atax.cpp
echo 'void product(float*) {}' >alone.cpp
"$parlab" grade dmv --check alone.cpp >out 2>errors
expect "who registers nothing is told what to write" has_words 'const Register<...> variant'

# ---- other programs' threads do not count
cat >sleepers.cpp <<'END'
#include <chrono>
#include <thread>
#include <vector>
#include "host/host.hpp"
#include "workloads/dmv.hpp"
using namespace parlab;
const Register<Dmv, float> variant({.idea = "sleepers"},
    []<typename T>(Host&, const Dmv::Args<T>& p, const Tunables&) {
      std::vector<std::jthread> sleepers;
      for (int i = 0; i < 600; ++i) sleepers.emplace_back([] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); });
      for (std::int64_t r = 0; r < p.rows; ++r) {
        T sum = 0;
        for (std::int64_t c = 0; c < p.cols; ++c) sum += p.a[r * p.cols + c] * p.x[c];
        p.y[r] = sum;
      }
    });
END
sed 's/i < 600/i < 6000/; s/milliseconds(200)/seconds(9)/' sleepers.cpp >too_many.cpp
"$parlab" grade --check --sizes 9 --hidden 9x5 sleepers.cpp >sleepers 2>&1 &
first=$!
expect "one grading beside another with 600 threads" "$parlab" grade --check --sizes 9 --hidden 9x5 sleepers.cpp
wait $first
status=$?
expect "and that one: $(tail -1 sleepers)" test "$status" = 0
"$parlab" grade --check --sizes 9 --hidden 9x5 too_many.cpp >out 2>&1
expect "threads are counted: $(head -1 out)" has_words 'more than 2048 threads'

# ---- a size that could not run
"$parlab" dmv 20000000 --variant serial/plain,cuda/naive >out 2>errors
expect "a size that did not run is no success" test $? = 1
expect "what ran in its place stands beside the verdict" has_words 'in place of 20000000x20000000'
expect "one that takes a moment longer runs as it is" "$parlab" dmv 2500 --variant cuda/naive --emulate

# ---- a submission ended from outside is tried again, and then not charged
sed 's/i < 600/i < 1/' sleepers.cpp >ended.cpp
mkdir ending && mv ended.cpp ending/
"$parlab" grade dmv ending --sizes 9 --hidden 9x5 --output ended >out 2>errors &
grader=$!
while kill -0 $grader 2>/dev/null; do
  read -rd '' -a programs < <(cat /proc/$grader/task/*/children 2>/dev/null)
  for program in "${programs[@]}"; do
    # Compilers are spared. The name tells them apart even where this process may not read another user's link.
    read -r name <"/proc/$program/comm" && [[ $name == @(host|races) ]] && kill -KILL "$program"
  done 2>/dev/null
  sleep 0.02
done
wait $grader
expect "nobody's fault is no failure of the grading: $?" test -s ended/grades.csv
graded unverified ended ended 'not graded, run again'
end_tests
