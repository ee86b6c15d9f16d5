// The kernels of `fused`, which says how they work; the parts of several
// GPUs are computed by them too.
#pragma once

#include <cuda_pipeline.h>

#include <algorithm>
#include <type_traits>

#include "gpu/gpu.hpp"
#include "gpu/shared_launch.hpp"
#include "resident.cuh"
#include "short_rows.cuh"
#include "sum.cuh"
#include "workloads/atax.hpp"

using namespace parlab;

// What was asked for; 0: to be chosen.
struct Choice {
  std::int64_t block, team, stages;
};

namespace {

// 16 bytes of elements.
template <typename T>
struct alignas(16) Word {
  static constexpr int size = 16 / sizeof(T);
  T element[size];
};

// A number on its way to another block: its bits, inverted. Zero stands for
// none, for no sum has all bits set: a computed NaN is another one.
template <typename T>
using Message =
    std::conditional_t<std::is_same_v<T, float>, unsigned, unsigned long long>;

__device__ inline unsigned to_message(float value) {
  return ~__float_as_uint(value);
}
__device__ inline unsigned long long to_message(double value) {
  return ~static_cast<unsigned long long>(__double_as_longlong(value));
}
__device__ inline float from_message(unsigned message) {
  return __uint_as_float(~message);
}
__device__ inline double from_message(unsigned long long message) {
  return __longlong_as_double(static_cast<long long>(~message));
}

// Both products, as the kernel knows them.
template <typename T>
struct FusedProducts {
  const T* a;
  const T* x;
  T* ys;                 // teams x cols: the sums of each team
  Message<T>* messages;  // strips x ROWS x team, all zero
  std::int64_t rows, cols, strips;
  std::int64_t panel;  // 16-byte words of a block
  int team;            // blocks that share a row, at most 32
  int stages;          // strips in the ring
  int lag;  // strips between a part of t and its use; 0 for a team of one
};

// WORDS: 16-byte words of a row that a thread has; ROWS: of a strip. ALIGNED:
// all rows start at multiples of 16 bytes. Otherwise the rows of a team lie one
// word's count of elements apart: all of them start at the same place inside a
// word, so that a thread's words hold the same columns of each. Only the first
// and the last word of a row are then copied element by element.
template <typename T, bool ALIGNED, int THREADS, int WORDS, int ROWS>
struct Shape {
  static constexpr int threads = THREADS, words = WORDS, rows = ROWS,
                       warps = THREADS / 32;
  static constexpr int size = Word<T>::size,
                       strip_words = ROWS * WORDS * THREADS;

  // Groups of copies that a strip arrives in, and is used and replaced in.
  static constexpr int pieces = WORDS == 4 ? 2 : 1,
                       piece_words = WORDS / pieces;
  static constexpr bool aligned = ALIGNED;
  // from one row of a strip to the next
  static constexpr int row_step = ALIGNED ? 1 : size;
};

// The first row of a strip.
template <typename S>
__host__ __device__ constexpr std::int64_t row_of(std::int64_t strip) {
  return strip / S::row_step * (S::row_step * S::rows) + strip % S::row_step;
}

// The columns of a thread, the same in every row of its team: word c of `mine`
// begins at column first + c * stride, which for the first word of a row may
// lie before column 0, and the last may reach beyond the last column.
template <typename T, typename S>
struct Columns {
  static constexpr int stride = S::threads * S::size;
  std::int64_t first, cols;
  int mine;

  __device__ __forceinline__ Columns(const FusedProducts<T>& p,
                                     std::int64_t first_row)
      : cols(p.cols) {
    const std::int64_t start =
        reinterpret_cast<std::uintptr_t>(p.a + first_row * cols) / sizeof(T);
    // of a word's start
    const int past = S::aligned ? 0 : static_cast<int>(start % S::size);
    const std::int64_t words = (cols + past + S::size - 1) / S::size;
    const std::int64_t word0 = blockIdx.x % p.team * p.panel;
    const int count =
        static_cast<int>(max(min(p.panel, words - word0), std::int64_t{0}));
    const int thread = threadIdx.x;
    mine = (count - thread + S::threads - 1) / S::threads;
    first = (word0 + thread) * S::size - past;
  }

  __device__ __forceinline__ std::int64_t of(int c, int i) const {
    return first + c * stride + i;
  }
  __device__ __forceinline__ bool has(int c, int i) const {
    return c < mine && (S::aligned || (of(c, i) >= 0 && of(c, i) < cols));
  }

  __device__ __forceinline__ bool has_whole(int c) const {
    return has(c, 0) && has(c, S::size - 1);
  }
};

// This thread's words of the strips in shared memory, and the copies that
// fill them. A team works on every `teams`-th strip.
template <typename T, typename S>
struct Ring {
  Word<T>* words;
  const Columns<T, S>& columns;
  std::int64_t rows, cols, strips, teams;
  // what is copied next, the row it begins with, and that row's first word
  std::int64_t strip;
  std::int64_t next_row;
  const T* next;

  __device__ __forceinline__ Ring(const FusedProducts<T>& p,
                                  const Columns<T, S>& columns_,
                                  std::int64_t first_strip,
                                  std::int64_t teams_)
      : words(shared_memory<Word<T>>() + threadIdx.x),
        columns(columns_),
        rows(p.rows),
        cols(p.cols),
        strips(p.strips),
        teams(teams_),
        strip(first_strip),
        next_row(row_of<S>(first_strip)),
        next(p.a + next_row * p.cols + columns_.first) {
    // What is never copied to stays zero.
    for (int place = 0; place < p.stages * S::rows; ++place) {
      _Pragma("unroll")
      for (int c = 0; c < S::words; ++c) {
        if (!columns.has_whole(c))
          words[(place * S::words + c) * S::threads] = Word<T>{};
      }
    }
  }

  __device__ __forceinline__ const Word<T>& word(int stage,
                                                 int row,
                                                 int w) const {
    return words[stage * S::strip_words + (row * S::words + w) * S::threads];
  }

  // Starts the copies of a piece of the next strip; without a strip it
  // is a group all the same. Once its last piece is on the way, the next
  // strip is the one after it.
  __device__ __forceinline__ void fetch(int stage, int piece) {
    Word<T>* const to = words + stage * S::strip_words;
    _Pragma("unroll")
    for (int r = 0; r < S::rows; ++r) {
      const T* const row = next + r * S::row_step * cols;
      const bool there = next_row + r * S::row_step < rows;
      _Pragma("unroll")
      for (int j = 0; j < S::piece_words; ++j) {
        const int c = piece * S::piece_words + j;
        Word<T>& word = to[(r * S::words + c) * S::threads];
        if (there) {
          copy(word, row + c * columns.stride, c);
        } else if (strip < strips) {
          // zeros stand for the rows that the last strips lack
          word = Word<T>{};
        }
      }
    }
    __pipeline_commit();
    if (piece == S::pieces - 1) {
      strip += teams;
      next_row += teams * S::rows;
      next += teams * S::rows * cols;
    }
  }

  // Word c of a row, or those of its elements that belong to the row.
  __device__ __forceinline__ void copy(Word<T>& to, const T* from, int c) {
    if (columns.has_whole(c)) {
      __pipeline_memcpy_async(&to, from, 16);
    } else if (!S::aligned && c < columns.mine) {
      for (int i = 0; i < S::size; ++i) {
        if (columns.has(c, i))
          __pipeline_memcpy_async(to.element + i, from + i, sizeof(T));
      }
    }
  }
};

// sum += a piece of a strip times x.
template <typename T, typename S>
__device__ __forceinline__ void multiply_by_x(const Ring<T, S>& ring,
                                              int stage,
                                              int piece,
                                              const Word<T> (&x)[S::words],
                                              T (&sum)[S::rows][S::size]) {
  _Pragma("unroll")
  for (int j = 0; j < S::piece_words; ++j) {
    const int w = piece * S::piece_words + j;
    _Pragma("unroll")
    for (int r = 0; r < S::rows; ++r) {
      const Word<T> from = ring.word(stage, r, w);
      _Pragma("unroll")
      for (int i = 0; i < S::size; ++i)
        sum[r][i] += from.element[i] * x[w].element[i];
    }
  }
}

// y += the transposed piece times t.
template <typename T, typename S>
__device__ __forceinline__ void multiply_by_t(const Ring<T, S>& ring,
                                              int stage,
                                              int piece,
                                              const T (&t)[S::rows],
                                              Word<T> (&y)[S::words]) {
  _Pragma("unroll")
  for (int j = 0; j < S::piece_words; ++j) {
    const int w = piece * S::piece_words + j;
    _Pragma("unroll")
    for (int r = 0; r < S::rows; ++r) {
      const Word<T> from = ring.word(stage, r, w);
      _Pragma("unroll")
      for (int i = 0; i < S::size; ++i)
        y[w].element[i] += from.element[i] * t[r];
    }
  }
}

// What the blocks of a team tell each other of a strip: each its
// part of t, a word per row.
template <typename T, typename S>
struct Mail {
  Message<T>* inbox;  // of lane l of warp r: what block l says of row r
  bool reads;
  Message<T> message = 0;

  __device__ __forceinline__ Mail(const FusedProducts<T>& p,
                                  std::int64_t strip,
                                  bool due) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    inbox = p.messages + (strip * S::rows + warp) * p.team + lane;
    reads = p.team > 1 && due && warp < S::rows && lane < p.team;
  }

  __device__ __forceinline__ void look() {
    if (reads && message == 0) message = atomicAdd(inbox, 0);
  }

  // In all lanes of the warp: its row of t.
  __device__ __forceinline__ T wait_for_sum() {
    while (reads && message == 0)
      message = atomicAdd(inbox, 0);
    return warp_sum(reads ? from_message(message) : T{0});
  }

  __device__ __forceinline__ static void send(const FusedProducts<T>& p,
                                              std::int64_t strip,
                                              int row,
                                              T sum) {
    const int member = blockIdx.x % p.team;
    atomicExch(p.messages + (strip * S::rows + row) * p.team + member,
               to_message(sum));
  }
};

// part[r][w] = what warp w has of row r of the strip times x. missing: groups
// of copies that may be under way when the first piece is used.
template <typename T, typename S>
__device__ __forceinline__ void strip_times_x(const Ring<T, S>& ring,
                                              int stage,
                                              int missing,
                                              const Word<T> (&x)[S::words],
                                              Mail<T, S>& mail,
                                              T (&part)[S::rows][S::warps]) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  T sum[S::rows][S::size] = {};
  _Pragma("unroll")
  for (int piece = 0; piece < S::pieces; ++piece) {
    __pipeline_wait_prior(missing - piece);
    mail.look();
    multiply_by_x<T, S>(ring, stage, piece, x, sum);
  }

  _Pragma("unroll")
  for (int r = 0; r < S::rows; ++r) {
    _Pragma("unroll")
    for (int i = 1; i < S::size; ++i)
      sum[r][0] += sum[r][i];
    sum[r][0] = warp_sum(sum[r][0]);
    if (lane == 0) part[r][warp] = sum[r][0];
  }
}

template <typename T, int WARPS>
__device__ __forceinline__ T sum_of_warps(const T (&part)[WARPS]) {
  T sum[4] = {};
  _Pragma("unroll")
  for (int w = 0; w < WARPS; ++w)
    sum[w % 4] += part[w];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// This thread's columns of y, of its team.
template <typename T, typename S>
__device__ __forceinline__ void store_columns(T* to,
                                              const Columns<T, S>& columns,
                                              const Word<T> (&y)[S::words]) {
  _Pragma("unroll")
  for (int c = 0; c < S::words; ++c) {
    if constexpr (S::aligned) {
      if (c < columns.mine)
        *reinterpret_cast<Word<T>*>(to + columns.of(c, 0)) = y[c];
    } else {
      _Pragma("unroll")
      for (int i = 0; i < S::size; ++i) {
        if (columns.has(c, i)) to[columns.of(c, i)] = y[c].element[i];
      }
    }
  }
}

// Dynamic shared memory: the ring.
template <typename T, typename S>
__global__ void __launch_bounds__(S::threads, 512 / S::threads)
    atax_fused(const FusedProducts<T> p) {
  // Parts of t, by the warps, and t itself when it comes from a team. Two
  // of each, so that one barrier per strip suffices.
  alignas(16) __shared__ T part[2][S::rows][S::warps];
  __shared__ T whole[2][S::rows];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::int64_t teams = gridDim.x / p.team, me = blockIdx.x / p.team;
  // strips me, me + teams, ...
  const std::int64_t steps = (p.strips - me + teams - 1) / teams;
  const Columns<T, S> columns(p, row_of<S>(me));

  Ring<T, S> ring(p, columns, me, teams);
  for (int stage = 0; stage < p.stages; ++stage) {
    _Pragma("unroll")
    for (int piece = 0; piece < S::pieces; ++piece)
      ring.fetch(stage, piece);
  }

  Word<T> x[S::words], y[S::words];
  _Pragma("unroll")
  for (int w = 0; w < S::words; ++w) {
    _Pragma("unroll")
    for (int i = 0; i < S::size; ++i) {
      x[w].element[i] = columns.has(w, i) ? p.x[columns.of(w, i)] : T{0};
      y[w].element[i] = 0;
    }
  }

  int arrived = 0, used = 0;  // stages
  for (std::int64_t step = 0; step < steps + p.lag; ++step) {
    const int side = step % 2;

    // The strip whose t is due now; its messages are asked for
    // before they are needed.
    const std::int64_t due = step - p.lag;
    Mail<T, S> mail(p, me + due * teams, due >= 0);
    if (step < steps) {
      // Of the strips on their way, this one and those after it, these
      // groups may be missing.
      const int missing = (p.stages - p.lag) * S::pieces - 1;
      strip_times_x<T, S>(ring, arrived, missing, x, mail, part[side]);
      arrived = arrived + 1 < p.stages ? arrived + 1 : 0;
    }
    if (p.team > 1 && due >= 0 && warp < S::rows) {
      const T sum = mail.wait_for_sum();
      if (lane == 0) whole[side][warp] = sum;
    }
    __syncthreads();
    if (p.team > 1 && step < steps && warp < S::rows && lane == 0) {
      Mail<T, S>::send(p, me + step * teams, warp,
                       sum_of_warps(part[side][warp]));
    }
    if (due < 0) continue;

    T t[S::rows];
    _Pragma("unroll")
    for (int r = 0; r < S::rows; ++r) {
      t[r] = p.team > 1 ? whole[side][r] : sum_of_warps(part[side][r]);
    }
    _Pragma("unroll")
    for (int piece = 0; piece < S::pieces; ++piece) {
      multiply_by_t<T, S>(ring, used, piece, t, y);
      ring.fetch(used, piece);
    }
    used = used + 1 < p.stages ? used + 1 : 0;
  }

  let_next_launch_begin();
  store_columns<T, S>(p.ys + me * p.cols, columns, y);
}

// Rows that no team of blocks can hold: the two products one after the other,
// one warp per row and one thread per column, of which there are plenty.
template <typename T>
__global__ void atax_fused_long_rows(
    const T* a, const T* x, T* t, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row =
      std::int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;

  T sum = 0;
  _Pragma("unroll 8")
  for (std::int64_t col = threadIdx.x % 32; col < cols; col += 32) {
    sum += a[row * cols + col] * x[col];
  }

  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) t[row] = sum;
}

template <typename T>
__global__ void atax_fused_many_columns(
    const T* a, const T* t, T* y, std::int64_t rows, std::int64_t cols) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= cols) return;

  T sum = 0;
  _Pragma("unroll 8")
  for (std::int64_t row = 0; row < rows; ++row)
    sum += a[row * cols + col] * t[row];
  y[col] = sum;
}

constexpr int largest_team = 32;  // a lane for each block's message

template <typename T>
void run_apart(Gpu& gpu, const Atax::Args<T>& p) {
  T* const t = gpu.scratch<T>(p.rows);
  gpu.launch({.grid = {ceil_div(p.rows, 8)}, .block = {256}},
             atax_fused_long_rows<T>, p.a, p.x, t, p.rows, p.cols);
  gpu.launch({.grid = {ceil_div(p.cols, 256)}, .block = {256}},
             atax_fused_many_columns<T>, p.a, t, p.y, p.rows, p.cols);
}

// 16-byte words that a row touches at the most.
template <typename S>
std::int64_t words_of(std::int64_t cols) {
  return ceil_div(cols + (S::aligned ? 0 : S::size - 1), S::size);
}

template <typename S, typename T>
void run_fused(Gpu& gpu, const Atax::Args<T>& p, const Choice& choice) {
  const auto kernel = atax_fused<T, S>;
  constexpr std::size_t strip_bytes = sizeof(Word<T>) * S::strip_words;
  // part and whole, and more than they need
  constexpr std::size_t other_shared = 2048;
  const auto fit = static_cast<std::int64_t>(
      (gpu.max_shared_bytes() - other_shared) / strip_bytes);
  constexpr int together = 512 / S::threads;  // blocks on a multiprocessor
  const auto stages = choice.stages > 0
                          ? choice.stages
                          : std::clamp<std::int64_t>(fit / together, 1, 4);
  const auto team = choice.team, lag = std::int64_t{team > 1};
  if (stages > fit || stages <= lag) {
    cannot_run(
        "a ring of %ld stages: it takes more than the lag of %ld, and %ld fit "
        "a block",
        long{stages}, long{lag}, long{fit});
  }

  const std::size_t shared = stages * strip_bytes;
  const std::int64_t blocks =
      gpu.multiprocessors() * gpu.resident_blocks(kernel, S::threads, shared);
  const auto strips = ceil_div(p.rows, S::rows * S::row_step) * S::row_step;

  // As many as keep the rows of each at one place inside a word.
  const auto teams =
      std::min(blocks / team, strips) / S::row_step * S::row_step;
  if (teams == 0) return run_apart(gpu, p);
  const auto message_count = team > 1 ? strips * S::rows * team : 0;
  const FusedProducts<T> products{
      .a = p.a,
      .x = p.x,
      .ys = gpu.scratch<T>(teams * p.cols),
      .messages =
          team > 1 ? gpu.zeroed_scratch<Message<T>>(message_count) : nullptr,
      .rows = p.rows,
      .cols = p.cols,
      .strips = strips,
      .panel = ceil_div(words_of<S>(p.cols), team),
      .team = static_cast<int>(team),
      .stages = static_cast<int>(stages),
      .lag = static_cast<int>(lag)};
  gpu.launch({.grid = {teams * team},
              .block = {S::threads},
              .shared_bytes = shared,
              .cooperative = team > 1},
             kernel, products);
  add_up(gpu, static_cast<const T*>(products.ys), p.y, p.cols, teams,
         products.messages, message_count);
}

// Block and team by the 16-byte words of a row, as measured on an H200:
// a thread has at most four of them, in float two while that makes teams
// of two to four. Up to 1792 words, three or four for each thread of
// one block are better than a team.
template <typename T>
Choice best_choice(std::int64_t words, Choice choice) {
  const bool wide = sizeof(T) == 8;
  choice.block = wide && words > 2048 && words <= 6144 ? 256 : 512;
  if (choice.team == 0 && words <= (wide ? 6144 : 4096)) {
    choice.team = words <= (wide ? 2048 : 1792) ? 1 : ceil_div(words, 1024);
  }

  return choice;
}

// The shapes: threads, words of a row a thread has, rows of a strip.
// Small ones, of which two or more fit a multiprocessor with their
// rings, are the fastest.
template <typename T, bool ALIGNED>
void choose_shape(Gpu& gpu, const Atax::Args<T>& p, Choice choice) {
  const auto words = words_of<Shape<T, ALIGNED, 512, 4, 2>>(p.cols);
  if (choice.block == 0) choice = best_choice<T>(words, choice);
  const auto block = choice.block, most = 4 * block;
  if (choice.team == 0) choice.team = ceil_div(words, most);
  if (choice.team > largest_team) return run_apart(gpu, p);
  const auto mine = ceil_div(words, choice.team);
  if (mine > most) {
    cannot_run("a row of %ld elements needs a team of %ld blocks or more",
               long{p.cols}, long{ceil_div(words, most)});
  }

  const auto run = block == 256   ? run_fused<Shape<T, ALIGNED, 256, 4, 2>, T>
                   : mine <= 1024 ? run_fused<Shape<T, ALIGNED, 512, 2, 4>, T>
                   : mine <= 1536 ? run_fused<Shape<T, ALIGNED, 512, 3, 2>, T>
                                  : run_fused<Shape<T, ALIGNED, 512, 4, 2>, T>;
  run(gpu, p, choice);
}

}  // namespace

template <std::uint64_t FILE, typename T>
struct AtaxFused {
  static void launch(Gpu& gpu, const Atax::Args<T>& p, const Choice& choice);
};

template <std::uint64_t FILE, typename T>
void AtaxFused<FILE, T>::launch(Gpu& gpu,
                                const Atax::Args<T>& p,
                                const Choice& choice) {
  const bool free = choice.block == 0 && choice.team == 0 && choice.stages == 0;
  const auto block = resident_block(gpu, p);
  if (free && is_resident(gpu, p, block)) return run_resident(gpu, p, block);
  const bool aligned = p.cols % Word<T>::size == 0 &&
                       reinterpret_cast<std::uintptr_t>(p.a) % 16 == 0;
  if (free && has_short_rows(p)) {
    const auto run =
        aligned ? run_short_rows<T, true> : run_short_rows<T, false>;
    return run(gpu, p);
  }
  const auto run = aligned ? choose_shape<T, true> : choose_shape<T, false>;
  run(gpu, p, choice);
}

// See gpu/shared_launch.hpp. In a copy of this file: without these two.
extern template struct AtaxFused<file_hash(__FILE__), float>;
extern template struct AtaxFused<file_hash(__FILE__), double>;

namespace {

template <typename T>
void launch_fused(Gpu& gpu, const Atax::Args<T>& p, const Choice& choice) {
  AtaxFused<file_hash(__FILE__), T>::launch(gpu, p, choice);
}

}  // namespace
