// The kernel of `streamed`; streamed.cu says how it works. The variant for
// several GPUs uses it too.
#pragma once

#include <algorithm>
#include <bit>

#include "gpu/gpu.hpp"
#include "gpu/shared_launch.hpp"
#include "workloads/conv2d.hpp"

#include "sums.cuh"

using namespace parlab;

namespace {

// A lane's place: its word begins at column `col`. The points left and right of
// the warp's words are read for a batch of rows at once: lane u reads the left
// one of row u, lane 16 + u the right one.
template <int n>
struct Lane {
  std::int64_t col, edge_col;
  int number;
  bool inside, edge_inside;  // in the image

  __device__ Lane(std::int64_t block, std::int64_t cols)
      : number(threadIdx.x % 32) {
    col = (block * blockDim.x + threadIdx.x) * n;
    edge_col = col - number * n + (number < 16 ? -1 : 32 * n);
    inside = col < cols;
    edge_inside = edge_col >= 0 && edge_col < cols;
  }
};

template <bool keep, typename T, int n>
__device__ __forceinline__ void read_word(const T* from, bool wanted,
                                          Points<T, n>& word) {
  const auto* p = reinterpret_cast<const typename WordOf<T, n>::type*>(from);
  if (wanted) word = std::bit_cast<Points<T, n>>(keep ? __ldg(p) : __ldcs(p));
}

// points[1..n]: this lane's word; points[0] and [n + 1]: its neighbours, in row
// u of a batch. All lanes of the warp must call it.
template <typename T, int n>
__device__ __forceinline__ void spread(const Lane<n>& lane,
                                       const Points<T, n>& word, T edge, int u,
                                       T (&points)[n + 2]) {
  _Pragma("unroll")
  for (int k = 0; k < n; ++k)
    points[k + 1] = word.at[k];
  points[0] = __shfl_up_sync(all_lanes, points[n], 1);
  points[n + 1] = __shfl_down_sync(all_lanes, points[1], 1);
  const T beyond = __shfl_sync(all_lanes, edge, lane.number == 31 ? 16 + u : u);
  if (lane.number == 0) points[0] = beyond;
  if (lane.number == 31) points[n + 1] = beyond;
}

// The first and the last word of a row contain a point of the border, which is
// not written.
template <typename T, int n>
__device__ __forceinline__ void write_row(const Lane<n>& lane,
                                          std::int64_t cols, T* out,
                                          const Points<T, n>& sum) {
  using Word = typename WordOf<T, n>::type;
  if (lane.col > 0 && lane.col + n < cols) {
    __stcs(reinterpret_cast<Word*>(out), std::bit_cast<Word>(sum));
  } else {
    _Pragma("unroll")
    for (int k = 0; k < n; ++k) {
      if (lane.col + k > 0 && lane.col + k < cols - 1) out[k] = sum.at[k];
    }
  }
}

// Computes the strip below row `top` of a: writes rows top + 1 to top + height
// of b and reads one more row of a on each side. keep: these rows of a stay in
// the L2 cache.
template <int batch, bool keep, int n, typename T>
__device__ __forceinline__ void march_down(const Lane<n>& lane, const T* a,
                                           T* b, std::int64_t cols,
                                           std::int64_t top, int height) {
  // where the lane's next word begins
  std::int64_t ahead = top * cols + lane.col;
  const T* edge_ahead = a + (top + lane.number % 16) * cols + lane.edge_col;

  // The words on their way: the first two rows, the `batch` rows after them,
  // and the points beside them.
  Points<T, n> first{}, second{}, word[batch] = {};
  read_word<keep>(a + ahead, lane.inside, first);
  read_word<keep>(a + next_row(ahead, cols), lane.inside, second);
  _Pragma("unroll")
  for (int u = 0; u < batch; ++u) {
    read_word<keep>(a + next_row(ahead, cols), lane.inside && u < height,
                    word[u]);
  }

  T edge = 0, next_edge = 0;
  if (lane.edge_inside && lane.number % 16 < 2) edge = __ldg(edge_ahead);
  edge_ahead += 2 * cols;
  const int edge_rows =
      lane.edge_inside && lane.number % 16 < batch ? height : 0;
  if (lane.number % 16 < edge_rows) next_edge = __ldg(edge_ahead);

  // Sums of the row above the arriving one, and of that row itself.
  Points<T, n> above{}, here{};
  T points[n + 2];
  spread(lane, first, edge, 0, points);
  add_row<-1>(above, points);
  spread(lane, second, edge, 1, points);
  add_row<0>(above, points);
  add_row<-1>(here, points);

  // the row written is above the row read
  const std::int64_t behind = (batch + 1) * cols;
  for (int row = 0; row < height; row += batch) {
    edge = next_edge;
    edge_ahead += batch * cols;
    if (row + batch + lane.number % 16 < edge_rows)
      next_edge = __ldg(edge_ahead);
    _Pragma("unroll")
    for (int u = 0; u < batch; ++u) {
      spread(lane, word[u], edge, u, points);
      read_word<keep>(a + next_row(ahead, cols),
                      lane.inside && row + u + batch < height, word[u]);
      add_row<1>(above, points);
      if (row + u < height) write_row(lane, cols, b + (ahead - behind), above);
      above = here;
      add_row<0>(above, points);
      here = {};
      add_row<-1>(here, points);
    }
  }
}

constexpr int conv2d_streamed_threads = 256;  // a block, at most

// A warp: one strip of 32 n columns. `across` blocks lie side by side. Rows of
// a from kept_rows on should not stay in the L2 cache. The second launch bound,
// blocks per multiprocessor, is as many as the registers of the batch allow
// without spilling.
template <typename T, int n, int batch>
__global__ void __launch_bounds__(conv2d_streamed_threads, batch == 8 ? 2 : 3)
    conv2d_streamed(const T* a, T* b, std::int64_t rows, std::int64_t cols,
                    unsigned across, int strip, std::int64_t kept_rows) {
  const Lane<n> lane(blockIdx.x % across, cols);
  const std::int64_t top =
      (std::int64_t{blockIdx.x / across} * blockDim.y + threadIdx.y) * strip;
  // the whole warp
  if (lane.col - lane.number * n >= cols || top >= rows - 2) return;

  const int height = static_cast<int>(min(std::int64_t{strip}, rows - 2 - top));
  if (top < kept_rows) {
    march_down<batch, true>(lane, a, b, cols, top, height);
  } else {
    march_down<batch, false>(lane, a, b, cols, top, height);
  }
}

template <typename T, int n, int batch>
void launch_batch(Gpu& gpu, const Conv2d::Args<T>& p,
                  const Tunables& tunables) {
  const auto x = tunables["block_x"], y = tunables["block_y"];
  const auto kernel = conv2d_streamed<T, n, batch>;
  const auto interior = std::max<std::int64_t>(p.rows - 2, 1);
  const auto across = ceil_div(p.cols, x * n);
  const auto strip = tunables["strip"];
  const auto strips = ceil_div(interior, strip * y);
  const double kept_bytes =
      tunables["kept"] / 100.0 * static_cast<double>(gpu.l2_bytes());
  const auto kept_rows = static_cast<std::int64_t>(
      kept_bytes / (static_cast<double>(p.cols) * sizeof(T)));
  gpu.launch({.grid = {across * strips}, .block = {x, y}}, kernel, p.a, p.b,
             p.rows, p.cols, static_cast<unsigned>(across),
             static_cast<int>(strip), kept_rows);
}

template <typename T, int n>
void choose_batch(Gpu& gpu, const Conv2d::Args<T>& p,
                  const Tunables& tunables) {
  if (tunables["block_x"] * tunables["block_y"] > conv2d_streamed_threads) {
    cannot_run("this kernel of conv2d has at most %d threads per block",
               conv2d_streamed_threads);
  }

  switch (tunables["batch"]) {
    case 2:
      return launch_batch<T, n, 2>(gpu, p, tunables);
    case 4:
      return launch_batch<T, n, 4>(gpu, p, tunables);
    default:
      return launch_batch<T, n, 8>(gpu, p, tunables);
  }
}

}  // namespace

template <std::uint64_t FILE, typename T>
struct Conv2dStreamed {
  static void launch(Gpu& gpu, const Conv2d::Args<T>& p,
                     const Tunables& tunables);
};

template <std::uint64_t FILE, typename T>
void Conv2dStreamed<FILE, T>::launch(Gpu& gpu, const Conv2d::Args<T>& p,
                                     const Tunables& tunables) {
  constexpr int widest = 16 / sizeof(T);
  if (p.cols % widest == 0) {
    choose_batch<T, widest>(gpu, p, tunables);
  } else if (p.cols % (widest / 2) == 0) {
    choose_batch<T, widest / 2>(gpu, p, tunables);
  } else {
    choose_batch<T, 1>(gpu, p, tunables);
  }
}

// See gpu/shared_launch.hpp. Remove these two lines in a copy of this file.
extern template struct Conv2dStreamed<file_hash(__FILE__), float>;
extern template struct Conv2dStreamed<file_hash(__FILE__), double>;

namespace {

template <typename T>
void launch_streamed(Gpu& gpu, const Conv2d::Args<T>& p,
                     const Tunables& tunables) {
  Conv2dStreamed<file_hash(__FILE__), T>::launch(gpu, p, tunables);
}

inline ShortList<TunableSpec> tunables_of_streamed() {
  return {
      {.name = "block_x",
       .fallback = 128,
       .min = 32,
       .max = 256,
       .multiple_of = 32},
      {.name = "block_y",
       .fallback = 1,
       .min = 1,
       .max = 8,
       .power_of_two = true},
      {.name = "strip", .fallback = 8, .min = 8, .max = 1024, .multiple_of = 8},
      {.name = "batch",
       .fallback = 8,
       .min = 2,
       .max = 8,
       .power_of_two = true},
      {.name = "kept", .fallback = 30, .min = 0, .max = 90, .multiple_of = 30}};
}

}  // namespace
