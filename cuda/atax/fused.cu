// The matrix comes from device memory once. A block keeps a strip of the matrix, a few rows, on the
// chip for as long as both products need it:
//
//   asynchronous copies fill a ring of strips in shared memory, all but one of them under way;
//   t = A x of a strip is summed over the block as it arrives, with one barrier;
//   t times the same strip, still in shared memory, is added to y, and as soon as a piece of it has
//   been used, the copies of what replaces it start.
//
// A thread copies and reads the same columns of every strip, so copies need no barrier, and its
// elements of x and its sums of y stay in registers from the first strip to the last. A second
// kernel adds the y of all blocks, in a fixed order.
//
// A row that is too long for one block has a team: its blocks take some of the columns each, and
// tell each other their parts of t through memory. A part is on its way while the block works on
// the next strip; it is one word, written at once, and a word that is not zero has arrived.
#include <cuda_pipeline.h>

#include <algorithm>
#include <type_traits>

#include "gpu/gpu.hpp"
#include "workloads/atax.hpp"

using namespace parlab;

namespace {

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

__device__ unsigned to_message(float value) { return ~__float_as_uint(value); }
__device__ unsigned long long to_message(double value) {
  return ~static_cast<unsigned long long>(__double_as_longlong(value));
}
__device__ float from_message(unsigned message) { return __uint_as_float(~message); }
__device__ double from_message(unsigned long long message) {
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
__global__ void __launch_bounds__(THREADS, 512 / THREADS) atax_fused(const AtaxProblem<T> p) {
  using Word = AtaxWord<T>;
  constexpr int size = Word::size, warps = THREADS / 32, strip_words = ROWS * WORDS * THREADS;
  // Groups of copies that a strip arrives in, and is used and replaced in.
  constexpr int pieces = WORDS == 4 ? 2 : 1, piece_words = WORDS / pieces;
  constexpr int unit = ALIGNED ? size : 1, copies = size / unit;  // elements a copy, copies a word
  // Parts of t, by the warps, and t itself when it comes from a team. Two of each, so that one
  // barrier a strip suffices.
  alignas(16) __shared__ T part[2][ROWS][warps];
  __shared__ T whole[2][ROWS];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int member = blockIdx.x % p.team;
  const std::int64_t teams = gridDim.x / p.team, me = blockIdx.x / p.team;
  const std::int64_t col0 = member * p.panel;
  const int count = static_cast<int>(max(min(p.panel, p.cols - col0), std::int64_t{0}));
  const std::int64_t strips = (p.rows + ROWS - 1) / ROWS;
  const std::int64_t steps = (strips - me + teams - 1) / teams;  // strips me, me + teams, ...
  // This thread's copies of a row are the first `mine` of WORDS * copies, the others would lie
  // beyond the last column. Copy c starts at element c * THREADS * unit of those from `first` on.
  const int mine = (count / unit - thread + THREADS - 1) / THREADS, first = thread * unit;

  // What is never copied to stays zero.
  Word* const ring = shared_memory<Word>() + thread;
  for (int place = 0; place < p.stages * ROWS; ++place) {
    _Pragma("unroll")
    for (int c = 0; c < WORDS * copies; ++c) {
      Word& to = ring[(place * WORDS + c / copies) * THREADS];
      _Pragma("unroll")
      for (int i = 0; i < unit; ++i) {
        if (c >= mine) to.element[c % copies * unit + i] = 0;
      }
    }
  }

  // Starts the copies of a piece of the next strip; without a strip it is a group all the same.
  // Once its last piece is on the way, the next strip is the one after it.
  const T* next = p.a + me * ROWS * p.cols + col0 + first;
  std::int64_t next_row = me * ROWS;
  const auto fetch = [&](int stage, int piece) {
    Word* const to = ring + stage * strip_words;
    _Pragma("unroll")
    for (int r = 0; r < ROWS; ++r) {
      const T* const row = next + r * p.cols;
      if (next_row + r < p.rows) {
        _Pragma("unroll")
        for (int j = 0; j < piece_words * copies; ++j) {
          const int c = piece * piece_words * copies + j;
          T* const element = to[(r * WORDS + c / copies) * THREADS].element + c % copies * unit;
          if (c < mine) __pipeline_memcpy_async(element, row + c * (THREADS * unit), 16 / copies);
        }
      } else if (r > 0) {  // zeros stand for the rows that the last strip lacks
        _Pragma("unroll")
        for (int j = 0; j < piece_words; ++j) {
          to[(r * WORDS + piece * piece_words + j) * THREADS] = Word{};
        }
      }
    }
    __pipeline_commit();
    if (piece == pieces - 1) {
      next += teams * ROWS * p.cols;
      next_row += teams * ROWS;
    }
  };
  for (int stage = 0; stage < p.stages; ++stage) {
    _Pragma("unroll")
    for (int piece = 0; piece < pieces; ++piece) fetch(stage, piece);
  }

  Word x[WORDS], y[WORDS];
  _Pragma("unroll")
  for (int w = 0; w < WORDS; ++w) {
    _Pragma("unroll")
    for (int i = 0; i < size; ++i) {
      const int c = w * copies + i / unit;
      x[w].element[i] = c < mine ? p.x[col0 + first + c * (THREADS * unit) + i % unit] : T{0};
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
      T sum[ROWS][size] = {};
      _Pragma("unroll")
      for (int piece = 0; piece < pieces; ++piece) {
        // Of the strips on their way, this one and those after it, these groups may be missing.
        __pipeline_wait_prior((p.stages - p.lag) * pieces - 1 - piece);
        if (reads_mail && message == 0) message = atomicAdd(inbox, 0);
        _Pragma("unroll")
        for (int j = 0; j < piece_words; ++j) {
          const int w = piece * piece_words + j;
          _Pragma("unroll")
          for (int r = 0; r < ROWS; ++r) {
            const Word from = ring[arrived * strip_words + (r * WORDS + w) * THREADS];
            _Pragma("unroll")
            for (int i = 0; i < size; ++i) sum[r][i] += from.element[i] * x[w].element[i];
          }
        }
      }
      _Pragma("unroll")
      for (int r = 0; r < ROWS; ++r) {
        _Pragma("unroll")
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
      _Pragma("unroll")
      for (int w = 0; w < warps; ++w) sum[w % 4] += part[side][r][w];
      return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    };
    if (p.team > 1 && step < steps && warp < ROWS && lane == 0) {
      const std::int64_t row = (me + step * teams) * ROWS + warp;
      atomicExch(p.messages + row * p.team + member, to_message(sum_of_warps(warp)));
    }
    if (due < 0) continue;

    T t[ROWS];
    _Pragma("unroll")
    for (int r = 0; r < ROWS; ++r) t[r] = p.team > 1 ? whole[side][r] : sum_of_warps(r);
    _Pragma("unroll")
    for (int piece = 0; piece < pieces; ++piece) {
      _Pragma("unroll")
      for (int j = 0; j < piece_words; ++j) {
        const int w = piece * piece_words + j;
        _Pragma("unroll")
        for (int r = 0; r < ROWS; ++r) {
          const Word from = ring[used * strip_words + (r * WORDS + w) * THREADS];
          _Pragma("unroll")
          for (int i = 0; i < size; ++i) y[w].element[i] += from.element[i] * t[r];
        }
      }
      fetch(used, piece);
    }
    used = used + 1 < p.stages ? used + 1 : 0;
  }

  T* const to = p.ys + me * p.cols + col0 + first;
  _Pragma("unroll")
  for (int c = 0; c < WORDS * copies; ++c) {
    if (c >= mine) continue;
    if (ALIGNED) {
      *reinterpret_cast<Word*>(to + c * (THREADS * unit)) = y[c];
    } else {
      to[c * THREADS] = y[c / copies].element[c % copies];
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
    _Pragma("unroll 4")
    for (std::int64_t team = threadIdx.y; team < teams; team += 16) sum += ys[team * cols + col];
  }
  part[threadIdx.y][threadIdx.x] = sum;
  const std::int64_t first = std::int64_t{blockIdx.x} * 512 + threadIdx.y * 32 + threadIdx.x;
  for (std::int64_t i = first; i < message_count; i += std::int64_t{gridDim.x} * 512) {
    messages[i] = 0;
  }
  __syncthreads();
  if (threadIdx.y > 0 || col >= cols) return;
  _Pragma("unroll")
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
  _Pragma("unroll 8")
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
  _Pragma("unroll 8")
  for (std::int64_t row = 0; row < rows; ++row) sum += a[row * cols + col] * t[row];
  y[col] = sum;
}

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
  std::int64_t block, team, stages;
};

template <typename T, bool ALIGNED, int THREADS, int WORDS, int ROWS>
void run_fused(Gpu& gpu, const Atax::Args<T>& p, const Choice& choice) {
  constexpr int size = AtaxWord<T>::size;
  const auto kernel = atax_fused<T, ALIGNED, THREADS, WORDS, ROWS>;
  constexpr std::size_t strip_bytes = sizeof(AtaxWord<T>) * ROWS * WORDS * THREADS;
  constexpr std::size_t other_shared = 2048;  // part and whole, and more than they need
  const auto fit = static_cast<std::int64_t>((gpu.max_shared_bytes() - other_shared) / strip_bytes);
  constexpr int together = 512 / THREADS;  // blocks on a multiprocessor
  const auto stages =
      choice.stages > 0 ? choice.stages : std::clamp<std::int64_t>(fit / together, 1, 4);
  const auto team = choice.team, lag = std::int64_t{team > 1};
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

// Block and team by the 16-byte words of a row, as measured on an H200: a thread has at most four
// of them, in float two while that makes teams of four.
template <typename T>
Choice best_choice(std::int64_t words, Choice choice) {
  const bool wide = sizeof(T) == 8;
  choice.block = wide && words > 2048 && words <= 6144 ? 256 : 512;
  if (choice.team == 0 && words <= (wide ? 6144 : 4096)) {
    choice.team = wide && words <= 2048 ? 1 : ceil_div(words, 1024);
  }
  return choice;
}

// The shapes: threads, words of a row a thread has, rows of a strip. Small ones, of which two or
// more fit a multiprocessor with their rings, are the fastest.
template <typename T, bool ALIGNED>
void choose_shape(Gpu& gpu, const Atax::Args<T>& p, Choice choice) {
  const auto words = ceil_div(p.cols, AtaxWord<T>::size);
  if (choice.block == 0) choice = best_choice<T>(words, choice);
  const auto block = choice.block, most = 4 * block;
  if (choice.team == 0) choice.team = ceil_div(words, most);
  if (choice.team > largest_team) return run_apart(gpu, p);
  const auto mine = ceil_div(words, choice.team);
  if (mine > most) {
    throw PointError(Verdict::not_supported,
                     "a row of " + std::to_string(p.cols) + " elements needs a team of " +
                         std::to_string(ceil_div(words, most)) + " blocks or more");
  }
  const auto run = block == 256   ? run_fused<T, ALIGNED, 256, 4, 2>
                   : mine <= 1024 ? run_fused<T, ALIGNED, 512, 2, 4>
                                  : run_fused<T, ALIGNED, 512, 4, 2>;
  run(gpu, p, choice);
}

}  // namespace

const Register<Atax, float, double> variant(
    {
        .rung = 4,
        .idea = "A read once: strips in shared memory serve both products, copies always under way",
        .tunables = {{.name = "block", .fallback = 0, .min = 0, .max = 512, .multiple_of = 256},
                     {.name = "team", .fallback = 0, .min = 0, .max = 8},
                     {.name = "stages", .fallback = 0, .min = 0, .max = 7}},
    },
    []<typename T>(Gpu& gpu, const Atax::Args<T>& p, const Tunables& tunables) {
      const Choice choice{tunables["block"], tunables["team"], tunables["stages"]};
      const bool aligned =
          p.cols % AtaxWord<T>::size == 0 && reinterpret_cast<std::uintptr_t>(p.a) % 16 == 0;
      const auto run = aligned ? choose_shape<T, true> : choose_shape<T, false>;
      run(gpu, p, choice);
    });
