// The kernels of `fused`; fused.cu says how they work. The variant for several
// GPUs uses them too.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "gpu/gpu.hpp"
#include "gpu/shared_launch.hpp"
#include "resident.cuh"
#include "short_rows.cuh"
#include "strips.cuh"
#include "sum.cuh"
#include "workloads/atax.hpp"

using namespace parlab;

// The requested values; 0: to be chosen here.
struct Choice {
  std::int64_t block, team, stages;
};

namespace {

// A number sent to another block: its bits, inverted. Zero means that nothing
// was sent: no sum has all bits set, since a computed NaN has other bits.
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

// The arguments of both products, as the kernel needs them.
template <typename T>
struct FusedProducts {
  Strips<T> strips;
  const T* x;
  T* ys;                 // teams x cols: the sums of each team
  Message<T>* messages;  // strips x ROWS x team, all zero
};

// sum += a piece of a strip times x.
template <typename T, typename S, typename Copies>
__device__ __forceinline__ void multiply_by_x(const Copies& ring, int stage,
                                              int piece,
                                              const Word<T> (&x)[S::words],
                                              T (&sum)[S::rows][S::size]) {
  _Pragma("unroll")
  for (int j = 0; j < Copies::piece_words; ++j) {
    const int w = piece * Copies::piece_words + j;
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
template <typename T, typename S, typename Copies>
__device__ __forceinline__ void multiply_by_t(const Copies& ring, int stage,
                                              int piece, const T (&t)[S::rows],
                                              Word<T> (&y)[S::words]) {
  _Pragma("unroll")
  for (int j = 0; j < Copies::piece_words; ++j) {
    const int w = piece * Copies::piece_words + j;
    _Pragma("unroll")
    for (int r = 0; r < S::rows; ++r) {
      const Word<T> from = ring.word(stage, r, w);
      _Pragma("unroll")
      for (int i = 0; i < S::size; ++i)
        y[w].element[i] += from.element[i] * t[r];
    }
  }
}

// The parts of t that the blocks of a team tell each other for one strip: a
// word per row from each block.
template <typename T, typename S>
struct Mail {
  Message<T>* inbox;  // word of warp r in lane l: block l's part of row r
  bool reads;
  Message<T> message = 0;

  __device__ __forceinline__ Mail(const FusedProducts<T>& p, std::int64_t strip,
                                  bool due) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int team = p.strips.team;
    inbox = p.messages + (strip * S::rows + warp) * team + lane;
    reads = team > 1 && due && warp < S::rows && lane < team;
  }

  __device__ __forceinline__ void look() {
    if (reads && message == 0) message = atomicAdd(inbox, 0);
  }

  // In all lanes of the warp: t of the warp's row.
  __device__ __forceinline__ T wait_for_sum() {
    while (reads && message == 0)
      message = atomicAdd(inbox, 0);
    return warp_sum(reads ? from_message(message) : T{0});
  }

  __device__ __forceinline__ static void send(const FusedProducts<T>& p,
                                              std::int64_t strip, int row,
                                              T sum) {
    const int team = p.strips.team, member = blockIdx.x % team;
    atomicExch(p.messages + (strip * S::rows + row) * team + member,
               to_message(sum));
  }
};

// part[r][w] = warp w's share of row r of the strip times x.
template <typename T, typename S, typename Copies>
__device__ __forceinline__ void strip_times_x(Copies& ring, int stage,
                                              const Word<T> (&x)[S::words],
                                              Mail<T, S>& mail,
                                              T (&part)[S::rows][S::warps]) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  T sum[S::rows][S::size] = {};
  _Pragma("unroll")
  for (int piece = 0; piece < Copies::pieces; ++piece) {
    ring.wait_for(stage, piece);
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

// Stores this thread's columns of its team's y.
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

// Dynamic shared memory: the ring. Copies<T, S>: how strips are copied to it.
template <typename T, typename S, template <typename, typename> class Copies>
__global__ void __launch_bounds__(S::threads, S::together)
    atax_fused(const FusedProducts<T> p) {
  // part: the warps' parts of t; whole: t itself, if a team computes it. There
  // are two of each, so that one barrier per strip suffices.
  alignas(16) __shared__ T part[2][S::rows][S::warps];
  __shared__ T whole[2][S::rows];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int team = p.strips.team, stages = p.strips.stages, lag = p.strips.lag;
  const std::int64_t teams = gridDim.x / team, me = blockIdx.x / team;
  // this team's strips: me, me + teams, ...
  const std::int64_t steps = (p.strips.count - me + teams - 1) / teams;
  const Columns<T, S> columns(p.strips, row_of<S>(me));

  Copies<T, S> ring(p.strips, columns, me, teams);
  constexpr int pieces = Copies<T, S>::pieces;
  for (int stage = 0; stage < stages; ++stage) {
    _Pragma("unroll")
    for (int piece = 0; piece < pieces; ++piece)
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
  for (std::int64_t step = 0; step < steps + lag; ++step) {
    const int side = step % 2;

    // The strip whose t is due now. Its messages are requested before they are
    // needed.
    const std::int64_t due = step - lag;
    Mail<T, S> mail(p, me + due * teams, due >= 0);
    if (step < steps) {
      strip_times_x<T, S>(ring, arrived, x, mail, part[side]);
      arrived = arrived + 1 < stages ? arrived + 1 : 0;
    }
    if (team > 1 && due >= 0 && warp < S::rows) {
      const T sum = mail.wait_for_sum();
      if (lane == 0) whole[side][warp] = sum;
    }
    __syncthreads();
    if (team > 1 && step < steps && warp < S::rows && lane == 0) {
      Mail<T, S>::send(p, me + step * teams, warp,
                       sum_of_warps(part[side][warp]));
    }
    if (due < 0) continue;

    T t[S::rows];
    _Pragma("unroll")
    for (int r = 0; r < S::rows; ++r) {
      t[r] = team > 1 ? whole[side][r] : sum_of_warps(part[side][r]);
    }
    _Pragma("unroll")
    for (int piece = 0; piece < pieces; ++piece) {
      multiply_by_t<T, S>(ring, used, piece, t, y);
      ring.fetch(used, piece);
    }
    used = used + 1 < stages ? used + 1 : 0;
  }

  let_next_launch_begin();
  store_columns<T, S>(p.ys + me * p.strips.cols, columns, y);
}

// For rows that no team of blocks can hold: the two products one after the
// other, with one warp per row and one thread per column.
template <typename T>
__global__ void atax_fused_long_rows(const T* a, const T* x, T* t,
                                     std::int64_t rows, std::int64_t cols) {
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
__global__ void atax_fused_many_columns(const T* a, const T* t, T* y,
                                        std::int64_t rows, std::int64_t cols) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= cols) return;

  T sum = 0;
  _Pragma("unroll 8")
  for (std::int64_t row = 0; row < rows; ++row)
    sum += a[row * cols + col] * t[row];
  y[col] = sum;
}

constexpr int largest_team = 32;  // one lane for each block's message
constexpr int most_stages = 8;

template <typename T>
void run_apart(Gpu& gpu, const Atax::Args<T>& p) {
  T* const t = gpu.scratch<T>(p.rows);
  gpu.launch({.grid = {ceil_div(p.rows, 8)}, .block = {256}},
             atax_fused_long_rows<T>, p.a, p.x, t, p.rows, p.cols);
  gpu.launch({.grid = {ceil_div(p.cols, 256)}, .block = {256}},
             atax_fused_many_columns<T>, p.a, t, p.y, p.rows, p.cols);
}

// The largest number of 16-byte words that a row touches.
template <typename S>
std::int64_t words_of(std::int64_t cols) {
  return ceil_div(cols + (S::aligned ? 0 : S::size - 1), S::size);
}

// The words of a row that a block takes: whole lines of 128 bytes, so that no
// two blocks ask for the same line if rows begin at lines. For other rows this
// would not help.
template <typename S>
std::int64_t panel_of(std::int64_t cols, std::int64_t team) {
  const auto words = ceil_div(words_of<S>(cols), team);
  return S::aligned ? ceil_div(words, 8) * 8 : words;
}

template <typename S>
std::int64_t strips_of(std::int64_t rows) {
  return ceil_div(rows, S::rows * S::row_step) * S::row_step;
}

// As many teams as keep each one's rows at one place inside a word.
template <typename S>
std::int64_t teams_of(std::int64_t blocks, std::int64_t team,
                      std::int64_t strips) {
  return std::min(blocks / team, strips) / S::row_step * S::row_step;
}

// The blocks of a team learn each other's parts of t one strip later.
inline std::int64_t lag_of(std::int64_t team) {
  return team > 1 ? 1 : 0;
}

template <typename T, typename S>
constexpr std::size_t strip_bytes = sizeof(Word<T>) * S::strip_words;

// Strips that fit the shared memory of a multiprocessor, for one block alone.
template <typename T, typename S>
std::int64_t strips_that_fit(const Gpu& gpu) {
  // room for part, whole and the barriers
  constexpr std::size_t other_shared = 2560;
  return static_cast<std::int64_t>((gpu.max_shared_bytes() - other_shared) /
                                   strip_bytes<T, S>);
}

template <typename T, typename S, template <typename, typename> class Copies>
void run_fused(Gpu& gpu, const Atax::Args<T>& p, const Choice& choice) {
  const auto kernel = atax_fused<T, S, Copies>;
  const auto fit = strips_that_fit<T, S>(gpu);
  const auto team = choice.team, lag = lag_of(team);
  const auto stages = choice.stages > 0 ? choice.stages
                                        : std::clamp<std::int64_t>(
                                              fit / S::together, lag + 1, 4);
  if (stages > std::min<std::int64_t>(fit, most_stages) || stages <= lag) {
    cannot_run(
        "a ring of %ld stages: it takes more than the lag of %ld, and %ld fit "
        "a block",
        long{stages}, long{lag}, long{fit});
  }

  const std::size_t shared = stages * strip_bytes<T, S>;
  const std::int64_t blocks =
      gpu.multiprocessors() * gpu.resident_blocks(kernel, S::threads, shared);
  const auto strips = strips_of<S>(p.rows);
  const auto teams = teams_of<S>(blocks, team, strips);
  if (teams == 0) return run_apart(gpu, p);
  const auto message_count = team > 1 ? strips * S::rows * team : 0;
  const FusedProducts<T> products{
      .strips = {.a = p.a,
                 .rows = p.rows,
                 .cols = p.cols,
                 .count = strips,
                 .panel = panel_of<S>(p.cols, team),
                 .team = static_cast<int>(team),
                 .stages = static_cast<int>(stages),
                 .lag = static_cast<int>(lag)},
      .x = p.x,
      .ys = gpu.scratch<T>(teams * p.cols),
      .messages =
          team > 1 ? gpu.zeroed_scratch<Message<T>>(message_count) : nullptr};
  gpu.launch({.grid = {teams * team},
              .block = {S::threads},
              .shared_bytes = shared,
              .cooperative = team > 1},
             kernel, products);
  add_up(gpu, static_cast<const T*>(products.ys), p.y, p.cols, teams,
         products.messages, message_count);
}

// An estimate of a multiprocessor's clock cycles for a shape, with as many
// blocks in a team as its threads need. Each step has a latency, which grows
// with more than two blocks per multiprocessor. The blocks' bytes pass through
// shared memory three times, at 128 bytes per cycle. Few steps of many bytes
// are best, as long as the ring has a stage under way. The memory's speed does
// not matter: all shapes read as many bytes.
template <typename T, typename S, typename Copies>
double cycles_of(const Gpu& gpu, const Atax::Args<T>& p, std::int64_t team) {
  constexpr double latency = 2200 + Copies::more_latency * (S::together - 2),
                   passes = 3, bytes_per_cycle = 128;
  const auto strips = strips_of<S>(p.rows),
             teams =
                 teams_of<S>(gpu.multiprocessors() * S::together, team, strips);
  const auto stages = strips_that_fit<T, S>(gpu) / S::together;
  if (teams == 0 || stages < lag_of(team) + 2)
    return std::numeric_limits<double>::infinity();
  const auto bytes = static_cast<double>(16 * S::together * S::rows *
                                         ceil_div(words_of<S>(p.cols), team));
  return static_cast<double>(ceil_div(strips, teams)) *
         (latency + bytes * passes / bytes_per_cycle);
}

// The shapes: threads, words of a row per thread, rows of a strip, blocks per
// multiprocessor. With several blocks, one works while another waits at its
// barrier. The fastest of the requested shapes by cycles_of() is taken, or the
// first of equals. Unaligned rows are slow in the first shape, which has the
// most of them in a strip.
template <typename T, bool ALIGNED, template <typename, typename> class Copies>
void choose_shape(Gpu& gpu, const Atax::Args<T>& p, const Choice& choice) {
  void (*run)(Gpu&, const Atax::Args<T>&, const Choice&) = nullptr;
  Choice best = choice;
  double least = std::numeric_limits<double>::infinity();
  std::int64_t smallest_team = 0;
  const auto enter = [&]<typename S>(S) {
    if (choice.block > 0 && choice.block != S::threads) return;
    const auto needed = ceil_div(words_of<S>(p.cols), S::row_words);
    smallest_team =
        smallest_team == 0 ? needed : std::min(smallest_team, needed);
    const auto team = choice.team > 0 ? choice.team : needed;
    if (team < needed || team > largest_team) return;
    const double cycles = cycles_of<T, S, Copies<T, S>>(gpu, p, team);
    if (run != nullptr && cycles >= least) return;
    least = cycles;
    best.team = team;
    run = run_fused<T, S, Copies>;
  };
  if constexpr (sizeof(T) == 4 && ALIGNED)
    enter(Shape<T, ALIGNED, 256, 2, 4, 2>());
  enter(Shape<T, ALIGNED, 256, 3, 2, 3>());
  enter(Shape<T, ALIGNED, 256, 4, 2, 2>());
  enter(Shape<T, ALIGNED, 128, 4, 2, 4>());
  enter(Shape<T, ALIGNED, 256, 5, 2, 2>());
  if (run != nullptr) return run(gpu, p, best);
  if (smallest_team > largest_team) return run_apart(gpu, p);
  cannot_run("a row of %ld elements needs a team of %ld blocks or more",
             long{p.cols}, long{smallest_team});
}

template <template <typename, typename> class Copies, typename T>
void run_in_strips(Gpu& gpu, const Atax::Args<T>& p, const Choice& choice) {
  const auto run = is_aligned(p) ? choose_shape<T, true, Copies>
                                 : choose_shape<T, false, Copies>;
  run(gpu, p, choice);
}

// False if nothing was requested and there is a better way.
template <typename T>
bool is_for_strips(Gpu& gpu, const Atax::Args<T>& p, const Choice& choice) {
  return choice.block != 0 || choice.team != 0 || choice.stages != 0 ||
         !(is_resident(gpu, p, resident_block(gpu, p)) || has_short_rows(p));
}

}  // namespace

template <std::uint64_t FILE, typename T>
struct AtaxFused {
  static void launch(Gpu& gpu, const Atax::Args<T>& p, const Choice& choice);
};

template <std::uint64_t FILE, typename T>
void AtaxFused<FILE, T>::launch(Gpu& gpu, const Atax::Args<T>& p,
                                const Choice& choice) {
  if (is_for_strips(gpu, p, choice))
    return run_in_strips<ThreadCopies>(gpu, p, choice);
  const auto block = resident_block(gpu, p);
  if (is_resident(gpu, p, block)) return run_resident(gpu, p, block);
  const auto run =
      is_aligned(p) ? run_short_rows<T, true> : run_short_rows<T, false>;
  run(gpu, p);
}

// See gpu/shared_launch.hpp. Remove these two lines in a copy of this file.
extern template struct AtaxFused<file_hash(__FILE__), float>;
extern template struct AtaxFused<file_hash(__FILE__), double>;

namespace {

template <typename T>
void launch_fused(Gpu& gpu, const Atax::Args<T>& p, const Choice& choice) {
  AtaxFused<file_hash(__FILE__), T>::launch(gpu, p, choice);
}

// The requests and the tunables of a variant that works on strips.
inline Choice choice_from(const Tunables& tunables) {
  return {tunables["block"], tunables["team"], tunables["stages"]};
}

inline ShortList<TunableSpec> tunables_of_strips() {
  return {{.name = "block",
           .fallback = 0,
           .min = 0,
           .max = 256,
           .multiple_of = 128},
          {.name = "team", .fallback = 0, .min = 0, .max = largest_team},
          {.name = "stages", .fallback = 0, .min = 0, .max = most_stages}};
}

}  // namespace
