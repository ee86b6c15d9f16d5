// The matrix comes from device memory once. A multiprocessor has one block, which keeps a strip of
// the matrix, a row or a few, on the chip for as long as both products need it:
//
//   asynchronous copies fill a ring of strips in shared memory, all but one of them under way;
//   t = A x of a strip that has arrived is summed over the block, with one barrier;
//   t times the same strip, still in shared memory, is added to y, and the next copies start.
//
// A thread copies and reads the same columns of every strip, so copies need no barrier, and its
// elements of x and its sums of y stay in registers from the first strip to the last. A second
// kernel adds the y of all blocks, in a fixed order.
//
// A row that is too long for one block has a team: its blocks take some of the columns each, and
// tell each other their parts of t through memory. A part is on its way while the block works on
// the next strip; it is one word, written at once, and a word that is not zero has arrived.
#include <cuda_pipeline.h>

#include <type_traits>

#include "contracts/atax.hpp"
#include "device/gpu.hpp"

using namespace parlab;

// 16 bytes of elements.
template <typename T>
struct alignas(16) AtaxWord {
  static constexpr int size = 16 / sizeof(T);
  T element[size];
};

// A number on its way to another block: its bits, inverted. Zero stands for none, for no sum has
// all bits set: a computed NaN is another one.
template <typename T>
using AtaxMessage = std::conditional_t<std::is_same_v<T, float>, unsigned, unsigned long long>;

static __device__ unsigned to_message(float value) { return ~__float_as_uint(value); }
static __device__ unsigned long long to_message(double value) {
  return ~static_cast<unsigned long long>(__double_as_longlong(value));
}
static __device__ float from_message(unsigned message) { return __uint_as_float(~message); }
static __device__ double from_message(unsigned long long message) {
  return __longlong_as_double(static_cast<long long>(~message));
}

template <typename T>
struct AtaxProblem {
  const T* a;
  const T* x;
  T* ys;                     // teams x cols: the sums of each team
  AtaxMessage<T>* messages;  // strips x ROWS x team, all zero
  std::int64_t rows, cols;
  std::int64_t panel;  // columns of a block
  int team;            // blocks that share a row, at most 32
  int stages;          // strips in the ring
  int lag;             // strips between a part of t and its use; 0 for a team of one
};

// WORDS: 16-byte words of a row that a thread has; ROWS: of a strip. ALIGNED: rows start at
// multiples of 16 bytes. Otherwise elements are copied one by one, and a thread has others of them,
// so that neighbouring threads still read neighbouring elements. Dynamic shared memory: the ring.
template <typename T, bool ALIGNED, int THREADS, int WORDS, int ROWS>
__global__ void __launch_bounds__(THREADS, THREADS == 256 && WORDS <= 8 ? 2 : 1)
    atax_fused(const AtaxProblem<T> p) {
  using Word = AtaxWord<T>;
  constexpr int size = Word::size, warps = THREADS / 32, strip_words = ROWS * WORDS * THREADS;
  // Parts of t, by the warps, and t itself when it comes from a team. Two of each, so that one
  // barrier a strip suffices.
  __shared__ T part[2][ROWS][warps];
  __shared__ T whole[2][ROWS];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int member = blockIdx.x % p.team;
  const std::int64_t teams = gridDim.x / p.team, me = blockIdx.x / p.team;
  const std::int64_t col0 = member * p.panel;
  const int count = static_cast<int>(max(min(p.panel, p.cols - col0), std::int64_t{0}));
  const std::int64_t strips = (p.rows + ROWS - 1) / ROWS;
  const std::int64_t steps = (strips - me + teams - 1) / teams;  // strips me, me + teams, ...
  // Where in the block's columns element i of this thread's word is.
  const auto column = [&](int word, int i) {
    return ALIGNED ? (word * THREADS + thread) * size + i : (word * size + i) * THREADS + thread;
  };

  // Starts the copies of a step's strip; without one left it counts as a group all the same.
  Word* const ring = shared_memory<Word>() + thread;
  const auto fetch = [&](std::int64_t step, int stage) {
    const std::int64_t row0 = (me + step * teams) * ROWS;
    if (step < steps) {
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        const T* const row = p.a + (row0 + r) * p.cols + col0;
        const int here = row0 + r < p.rows ? count : 0;
#pragma unroll
        for (int w = 0; w < WORDS; ++w) {
          Word& to = ring[stage * strip_words + (r * WORDS + w) * THREADS];
          constexpr int copies = ALIGNED ? 1 : size;
#pragma unroll
          for (int i = 0; i < copies; ++i) {
            if (column(w, i) < here) {
              __pipeline_memcpy_async(&to.element[i], row + column(w, i), 16 / copies);
            } else if (ALIGNED) {
              to = Word{};  // zeros stand for what is not there
            } else {
              to.element[i] = 0;
            }
          }
        }
      }
    }
    __pipeline_commit();
  };
  for (int stage = 0; stage < p.stages; ++stage) fetch(stage, stage);

  Word x[WORDS], y[WORDS];
#pragma unroll
  for (int w = 0; w < WORDS; ++w) {
#pragma unroll
    for (int i = 0; i < size; ++i) {
      x[w].element[i] = column(w, i) < count ? p.x[col0 + column(w, i)] : T{0};
      y[w].element[i] = 0;
    }
  }

  int arrived = 0, used = 0;  // stages
  for (std::int64_t step = 0; step < steps + p.lag; ++step) {
    const int side = step % 2;
    // The strip whose t is due now; its messages are asked for before they are needed.
    const std::int64_t due = step - p.lag;
    AtaxMessage<T>* const inbox = p.messages + ((me + due * teams) * ROWS + warp) * p.team + lane;
    const bool reads_mail = p.team > 1 && due >= 0 && warp < ROWS && lane < p.team;
    AtaxMessage<T> message = 0;

    if (step < steps) {
      __pipeline_wait_prior(p.stages - 1 - p.lag);
      if (reads_mail) message = atomicAdd(inbox, 0);
      T sum[ROWS][size] = {};
#pragma unroll
      for (int w = 0; w < WORDS; ++w) {
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
          const Word from = ring[arrived * strip_words + (r * WORDS + w) * THREADS];
#pragma unroll
          for (int i = 0; i < size; ++i) sum[r][i] += from.element[i] * x[w].element[i];
        }
      }
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
#pragma unroll
        for (int i = 1; i < size; ++i) sum[r][0] += sum[r][i];
        for (int offset = 16; offset > 0; offset /= 2) {
          sum[r][0] += __shfl_xor_sync(0xffffffffu, sum[r][0], offset);
        }
        if (lane == 0) part[side][r][warp] = sum[r][0];
      }
      arrived = arrived + 1 < p.stages ? arrived + 1 : 0;
    }
    if (p.team > 1 && due >= 0 && warp < ROWS) {
      while (reads_mail && message == 0) message = atomicAdd(inbox, 0);
      T t = reads_mail ? from_message(message) : T{0};
      for (int offset = 16; offset > 0; offset /= 2) t += __shfl_xor_sync(0xffffffffu, t, offset);
      if (lane == 0) whole[side][warp] = t;
    }
    __syncthreads();
    const auto sum_of_warps = [&](int r) {
      T sum[4] = {};
#pragma unroll
      for (int w = 0; w < warps; ++w) sum[w % 4] += part[side][r][w];
      return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    };
    if (p.team > 1 && step < steps && warp < ROWS && lane == 0) {
      const std::int64_t row = (me + step * teams) * ROWS + warp;
      atomicExch(p.messages + row * p.team + member, to_message(sum_of_warps(warp)));
    }
    if (due < 0) continue;

    T t[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) t[r] = p.team > 1 ? whole[side][r] : sum_of_warps(r);
#pragma unroll
    for (int w = 0; w < WORDS; ++w) {
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        const Word from = ring[used * strip_words + (r * WORDS + w) * THREADS];
#pragma unroll
        for (int i = 0; i < size; ++i) y[w].element[i] += from.element[i] * t[r];
      }
    }
    fetch(due + p.stages, used);
    used = used + 1 < p.stages ? used + 1 : 0;
  }

  T* const to = p.ys + me * p.cols + col0;
#pragma unroll
  for (int w = 0; w < WORDS; ++w) {
    if (ALIGNED) {
      if (column(w, 0) < count) *reinterpret_cast<Word*>(to + column(w, 0)) = y[w];
    } else {
#pragma unroll
      for (int i = 0; i < size; ++i) {
        if (column(w, i) < count) to[column(w, i)] = y[w].element[i];
      }
    }
  }
}

// y = the sum of the teams' ys, for 32 columns a block of 32 x 16 threads; and all messages zero.
template <typename T>
__global__ void __launch_bounds__(512)
    atax_fused_sum(const T* ys, T* y, std::int64_t cols, std::int64_t teams,
                   AtaxMessage<T>* messages, std::int64_t message_count) {
  __shared__ T part[16][32];
  const std::int64_t col = std::int64_t{blockIdx.x} * 32 + threadIdx.x;
  T sum = 0;
  if (col < cols) {
#pragma unroll 4
    for (std::int64_t team = threadIdx.y; team < teams; team += 16) sum += ys[team * cols + col];
  }
  part[threadIdx.y][threadIdx.x] = sum;
  const std::int64_t first = std::int64_t{blockIdx.x} * 512 + threadIdx.y * 32 + threadIdx.x;
  for (std::int64_t i = first; i < message_count; i += std::int64_t{gridDim.x} * 512) {
    messages[i] = 0;
  }
  __syncthreads();
  if (threadIdx.y > 0 || col >= cols) return;
#pragma unroll
  for (int i = 1; i < 16; ++i) sum += part[i][threadIdx.x];
  y[col] = sum;
}

// Rows that no team of blocks can hold: the two products one after the other, a warp a row and a
// thread a column, of which there are plenty.
template <typename T>
__global__ void atax_fused_long_rows(const T* a, const T* x, T* t, std::int64_t rows,
                                     std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  T sum = 0;
#pragma unroll 8
  for (std::int64_t col = threadIdx.x % 32; col < cols; col += 32) {
    sum += a[row * cols + col] * x[col];
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) t[row] = sum;
}

template <typename T>
__global__ void atax_fused_many_columns(const T* a, const T* t, T* y, std::int64_t rows,
                                        std::int64_t cols) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= cols) return;
  T sum = 0;
#pragma unroll 8
  for (std::int64_t row = 0; row < rows; ++row) sum += a[row * cols + col] * t[row];
  y[col] = sum;
}

namespace {

constexpr int largest_team = 32;  // a lane for each block's message

template <typename T>
void run_apart(Gpu& gpu, const Atax::Args<T>& p) {
  T* const t = gpu.scratch<T>(p.rows);
  gpu.launch({.grid = {ceil_div(p.rows, 8)}, .block = {256}}, atax_fused_long_rows<T>, p.a, p.x, t,
             p.rows, p.cols);
  gpu.launch({.grid = {ceil_div(p.cols, 256)}, .block = {256}}, atax_fused_many_columns<T>, p.a, t,
             p.y, p.rows, p.cols);
}

// What was asked for; 0: to be chosen.
struct Choice {
  std::int64_t team, stages, lag;
};

template <typename T, bool ALIGNED, int THREADS, int WORDS, int ROWS>
void run_fused(Gpu& gpu, const Atax::Args<T>& p, const Choice& choice) {
  constexpr int size = AtaxWord<T>::size;
  const auto kernel = atax_fused<T, ALIGNED, THREADS, WORDS, ROWS>;
  constexpr std::size_t strip_bytes = sizeof(AtaxWord<T>) * ROWS * WORDS * THREADS;
  constexpr std::size_t other_shared = 2048;  // part and whole, and more than they need
  const auto fit = static_cast<std::int64_t>((gpu.max_shared_bytes() - other_shared) / strip_bytes);
  const auto stages = choice.stages > 0 ? choice.stages : std::min<std::int64_t>(fit, 4);
  const auto team = choice.team, lag = team > 1 ? choice.lag : 0;
  if (stages > fit || stages <= lag) {
    throw PointError(Verdict::not_supported, "a ring of " + std::to_string(stages) +
                                                 " stages: it takes more than the lag of " +
                                                 std::to_string(lag) + ", and " +
                                                 std::to_string(fit) + " fit a block");
  }
  const std::size_t shared = stages * strip_bytes;
  const std::int64_t blocks = gpu.multiprocessors() * gpu.resident_blocks(kernel, THREADS, shared);
  const auto strips = ceil_div(p.rows, ROWS);
  const auto teams = std::min(blocks / team, strips);
  if (teams == 0) return run_apart(gpu, p);
  const auto message_count = team > 1 ? strips * ROWS * team : 0;
  const AtaxProblem<T> problem{
      .a = p.a,
      .x = p.x,
      .ys = gpu.scratch<T>(teams * p.cols),
      .messages = team > 1 ? gpu.zeroed_scratch<AtaxMessage<T>>(message_count) : nullptr,
      .rows = p.rows,
      .cols = p.cols,
      .panel = ceil_div(ceil_div(p.cols, size), team) * size,
      .team = static_cast<int>(team),
      .stages = static_cast<int>(stages),
      .lag = static_cast<int>(lag)};
  gpu.launch(
      {.grid = {teams * team}, .block = {THREADS}, .shared_bytes = shared, .cooperative = team > 1},
      kernel, problem);
  gpu.launch({.grid = {ceil_div(p.cols, 32)}, .block = {32, 16}}, atax_fused_sum<T>,
             static_cast<const T*>(problem.ys), p.y, p.cols, teams, problem.messages,
             message_count);
}

// The shapes: threads, words of a row a thread has, rows of a strip, so that the registers of x and
// y and two strips or more fit. The smallest that holds the columns of a block is taken.
template <typename T, bool ALIGNED>
void choose_shape(Gpu& gpu, const Atax::Args<T>& p, std::int64_t block, Choice choice) {
  const auto words = ceil_div(p.cols, AtaxWord<T>::size);
  const std::int64_t most = block == 256 ? 24 : 8;
  if (choice.team == 0) choice.team = ceil_div(words, block * most);
  if (choice.team > largest_team) return run_apart(gpu, p);
  const auto needed = ceil_div(ceil_div(words, choice.team), block);
  if (needed > most) {
    throw PointError(Verdict::not_supported,
                     "a row of " + std::to_string(p.cols) + " elements needs a team of " +
                         std::to_string(ceil_div(words, block * most)) + " blocks or more");
  }
  const auto shape = [&]() -> void (*)(Gpu&, const Atax::Args<T>&, const Choice&) {
    if (block == 256) {
      if (needed <= 4) return run_fused<T, ALIGNED, 256, 4, 2>;
      if (needed <= 8) return run_fused<T, ALIGNED, 256, 8, 1>;
      if (needed <= 16) return run_fused<T, ALIGNED, 256, 16, 1>;
      return run_fused<T, ALIGNED, 256, 24, 1>;
    }
    if (needed <= 2) return run_fused<T, ALIGNED, 512, 2, 4>;
    if (needed <= 4) return run_fused<T, ALIGNED, 512, 4, 2>;
    if (needed <= 6) return run_fused<T, ALIGNED, 512, 6, 1>;
    return run_fused<T, ALIGNED, 512, 8, 1>;
  };
  shape()(gpu, p, choice);
}

}  // namespace

const Register<Atax, float, double> variant(
    {.rung = 4,
     .idea = "A read once: strips in shared memory serve both products, copies always under way",
     .tunables = {{.name = "block", .fallback = 512, .min = 256, .max = 512, .power_of_two = true},
                  {.name = "team", .fallback = 0, .min = 0, .max = 4},
                  {.name = "stages", .fallback = 0, .min = 0, .max = 7},
                  {.name = "lag", .fallback = 1, .min = 1, .max = 2}}},
    []<typename T>(Gpu& gpu, const Atax::Args<T>& p, const Tunables& tunables) {
      const Choice choice{tunables["team"], tunables["stages"], tunables["lag"]};
      const bool aligned =
          p.cols % AtaxWord<T>::size == 0 && reinterpret_cast<std::uintptr_t>(p.a) % 16 == 0;
      const auto run = aligned ? choose_shape<T, true> : choose_shape<T, false>;
      run(gpu, p, tunables["block"], choice);
    });
