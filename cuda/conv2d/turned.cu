// The streamed kernel for images of any width. If the number of columns is no
// multiple of a 16-byte word, most rows start inside a word. `streamed` reads
// and writes these in smaller pieces: more instructions, and more requests than
// the memory system can take. Here every access except at the border is a whole
// word, and shuffles turn the points into place:
//   A lane owns the same columns of every row. The word that it reads
//     begins up to n - 1 columns before them, where a word of that row
//     begins. The next lane's word has the missing points.
//   A word of b begins as many columns before the lane's sums. Its first
//     points come from the lane before.
// Rows n apart start at the same place inside a word, so the compiler
// knows by how much each row is turned, and the unrolled loop makes no
// decisions.
//
// Warps overlap: the first and the last lane only read for their
// neighbours. 1 of 16 words is read twice, the second time out of the L1
// cache, and no lane has to fetch points beside the warp.
#include <algorithm>
#include <bit>

#include "gpu/gpu.hpp"
#include "sums.cuh"

using namespace parlab;

namespace {

constexpr int threads_at_most = 256;  // per block
constexpr int batch = 8;  // rows on their way, a multiple of a word's points

// Columns by which the words of row i (counted from a strip's top) begin before
// the lanes' own columns. turn: the columns of the image modulo n.
template <int n>
constexpr int shift_of(int turn, int i) {
  return i * turn % n;
}

template <typename T>
struct Image {
  const T* a;
  T* b;
  std::int64_t rows, cols;
};

// A lane's columns are col to col + n - 1. The first and last lane's columns
// belong to other warps.
template <int n>
struct Lane {
  static constexpr int owners = 30;  // lanes of a warp that write
  std::int64_t col;
  int number;
  int beyond;  // columns of col beyond the last one

  __device__ __forceinline__ Lane(std::int64_t warp, std::int64_t cols)
      : col((warp * owners + threadIdx.x % 32 - 1) * n),
        number(threadIdx.x % 32),
        beyond(static_cast<int>(
            min(max(col - cols, std::int64_t{-n}), std::int64_t{n}))) {}
};

// Reads the word of a row that begins `shift` columns before `at`, the lane's
// first column. Points beside the row's words are 0. The last row may end
// inside a word.
template <bool keep, int shift, typename T, int n>
__device__ __forceinline__ Points<T, n> read_word(const Lane<n>& lane,
                                                  const T* a, std::int64_t at,
                                                  std::int64_t end,
                                                  bool wanted) {
  Points<T, n> word{};
  if (!wanted || lane.col < 0 || lane.beyond >= shift) return word;
  const T* const from = a + at - shift;
  if (at - shift + n <= end) {
    const auto* p = reinterpret_cast<const typename WordOf<T, n>::type*>(from);
    return std::bit_cast<Points<T, n>>(keep ? __ldg(p) : __ldcs(p));
  }

  _Pragma("unroll")
  for (int k = 0; k < n; ++k) {
    if (at - shift + k < end) word.at[k] = from[k];
  }

  return word;
}

// points[1..n]: the lane's own columns; points[0] and [n + 1]: those beside
// them. All lanes of the warp must call it. The first lane gets no points[0],
// the last none of the points that a next lane would supply.
template <int shift, typename T, int n>
__device__ __forceinline__ void turn_into_place(const Points<T, n>& word,
                                                T (&points)[n + 2]) {
  _Pragma("unroll")
  for (int k = 0; k < n + 2; ++k) {
    const int own = k - 1 + shift;
    if (own < 0) {
      points[k] = __shfl_up_sync(all_lanes, word.at[n - 1], 1);
    } else if (own < n) {
      points[k] = word.at[own];
    } else {
      points[k] = __shfl_down_sync(all_lanes, word.at[own - n], 1);
    }
  }
}

// Writes the word of b that begins `shift` columns before the lane's own, but
// not the border.
template <int shift, typename T, int n>
__device__ __forceinline__ void write_word(const Lane<n>& lane,
                                           std::int64_t cols, T* out,
                                           const Points<T, n>& sum) {
  using Word = typename WordOf<T, n>::type;
  Points<T, n> word;
  _Pragma("unroll")
  for (int k = 0; k < n; ++k) {
    word.at[k] = k >= shift
                     ? sum.at[k - shift]
                     : __shfl_up_sync(all_lanes, sum.at[n - shift + k], 1);
  }

  if (lane.number == 0 || lane.number == 31) return;

  const std::int64_t first = lane.col - shift;
  if (first > 0 && first + n < cols) {
    __stcs(reinterpret_cast<Word*>(out - shift), std::bit_cast<Word>(word));
    return;
  }

  _Pragma("unroll")
  for (int k = 0; k < n; ++k) {
    if (first + k > 0 && first + k < cols - 1) out[k - shift] = word.at[k];
  }
}

// Calls step(u) for u from 0 to batch - 1, each a compile-time constant.
template <typename F, int... u>
__device__ __forceinline__ void each_of_batch(
    F step, std::integer_sequence<int, u...>) {
  (step(std::integral_constant<int, u>{}), ...);
}

// Computes the strip below row `top` of a, a multiple of n: writes rows top + 1
// to top + height of b and reads one more row of a on each side. keep: these
// rows of a stay in the L2 cache.
template <int turn, bool keep, int n, typename T>
__device__ __forceinline__ void march_down(const Lane<n>& lane,
                                           const Image<T>& image,
                                           std::int64_t top, int height) {
  const T* const a = image.a;
  const std::int64_t cols = image.cols, end = image.rows * cols;
  // the lane's own columns of the row read next
  std::int64_t ahead = top * cols + lane.col;
  const auto in_batch = std::make_integer_sequence<int, batch>();

  const auto first = read_word<keep, 0>(lane, a, ahead, end, true);
  const auto second = read_word<keep, shift_of<n>(turn, 1)>(
      lane, a, next_row(ahead, cols), end, true);
  Points<T, n> word[batch];
  each_of_batch(
      [&](auto u) {
        word[u] = read_word<keep, shift_of<n>(turn, u + 2)>(
            lane, a, next_row(ahead, cols), end, u < height);
      },
      in_batch);

  // Sums of the row above the arriving one, and of that row itself.
  Points<T, n> above{}, here{};
  T points[n + 2];
  turn_into_place<0>(first, points);
  add_row<-1>(above, points);
  turn_into_place<shift_of<n>(turn, 1)>(second, points);
  add_row<0>(above, points);
  add_row<-1>(here, points);

  // the row written is above the row read
  const std::int64_t behind = (batch + 1) * cols;
  for (int row = 0; row < height; row += batch) {
    each_of_batch(
        [&](auto u) {
          constexpr int shift = shift_of<n>(turn, u + 2);
          turn_into_place<shift>(word[u], points);
          word[u] = read_word<keep, shift>(lane, a, next_row(ahead, cols), end,
                                           row + u + batch < height);
          add_row<1>(above, points);
          if (row + u < height) {
            write_word<shift_of<n>(turn, u + 1)>(
                lane, cols, image.b + (ahead - behind), above);
          }
          above = here;
          add_row<0>(above, points);
          here = {};
          add_row<-1>(here, points);
        },
        in_batch);
  }
}

// One strip of 30 n columns per warp. `across` blocks lie side by side. Rows of
// a from kept_rows on should not stay in the L2 cache.
template <typename T, int turn>
__global__ void __launch_bounds__(threads_at_most, 2)
    conv2d_turned(Image<T> image, unsigned across, int strip,
                  std::int64_t kept_rows) {
  constexpr int n = 16 / sizeof(T);
  const Lane<n> lane(
      (std::int64_t{blockIdx.x % across} * blockDim.x + threadIdx.x) / 32,
      image.cols);
  const std::int64_t top = std::int64_t{blockIdx.x / across} * strip;

  // For the whole warp: the first word that it writes begins up to n - 1
  // columns before its first owner's.
  if (lane.col - (lane.number - 1) * n - (n - 1) >= image.cols) return;

  const int height =
      static_cast<int>(min(std::int64_t{strip}, image.rows - 2 - top));
  if (top < kept_rows) {
    march_down<turn, true>(lane, image, top, height);
  } else {
    march_down<turn, false>(lane, image, top, height);
  }
}

template <typename T, int turn>
void run_turned(Gpu& gpu, const Conv2d::Args<T>& p, const Tunables& tunables) {
  constexpr int n = 16 / sizeof(T);
  if (p.rows < 3 || p.cols < 3) return;  // no point has eight neighbours

  const auto block = tunables["block"], strip = tunables["strip"];

  // The last column may be in a word that begins n - 1
  // columns before a lane's own.
  const auto across =
      ceil_div(p.cols + n - 1, block / 32 * Lane<n>::owners * n);
  const double kept_bytes =
      tunables["kept"] / 100.0 * static_cast<double>(gpu.l2_bytes());
  const auto kept_rows = static_cast<std::int64_t>(
      kept_bytes / (static_cast<double>(p.cols) * sizeof(T)));
  gpu.launch({.grid = {across * ceil_div(p.rows - 2, strip)}, .block = {block}},
             conv2d_turned<T, turn>, Image<T>{p.a, p.b, p.rows, p.cols},
             static_cast<unsigned>(across), static_cast<int>(strip), kept_rows);
}

template <typename T>
void choose_turn(Gpu& gpu, const Conv2d::Args<T>& p, const Tunables& tunables) {
  switch (p.cols % (16 / sizeof(T))) {
    case 0:
      return run_turned<T, 0>(gpu, p, tunables);
    case 1:
      return run_turned<T, 1>(gpu, p, tunables);
    case 2:
      if constexpr (sizeof(T) == 4) return run_turned<T, 2>(gpu, p, tunables);
      return;
    default:
      if constexpr (sizeof(T) == 4) return run_turned<T, 3>(gpu, p, tunables);
  }
}

}  // namespace

const Register<Conv2d, float, double> variant(
    {
        .rung = 6,
        .idea =
            "whole words in images of any width, turned into place by shuffles",
        .tunables = {{.name = "block",
                      .fallback = 128,
                      .min = 32,
                      .max = 256,
                      .multiple_of = 32},
                     {.name = "strip",
                      .fallback = 8,
                      .min = 8,
                      .max = 1024,
                      .multiple_of = 8},
                     {.name = "kept",
                      .fallback = 30,
                      .min = 0,
                      .max = 90,
                      .multiple_of = 30}},
    },
    []<typename T>(Gpu& gpu, const Conv2d::Args<T>& p,
                   const Tunables& tunables) {
      choose_turn(gpu, p, tunables);
    });
