// The kernel of `fused` for short rows, as tall matrices have. A strip of such
// rows would leave most threads of a block without a column, so every warp
// works alone. It reads a row or a few into registers at once, sums their
// products with x by shuffles, and adds the rows times those sums to its own y,
// which stays in registers until the end. No barrier holds anything up, and the
// warps of a multiprocessor have enough loads under way.
//
// A second kernel adds the y of all blocks, in a fixed order.
#pragma once

#include <algorithm>

#include "gpu/gpu.hpp"
#include "gpu/overlap.hpp"
#include "sum.cuh"
#include "workloads/atax.hpp"

using namespace parlab;

namespace {

// word: elements read at once, 16 bytes if rows are aligned to them, else one
// element. BYTES: a lane's share of each row, and of y.
template <typename T, bool ALIGNED, int BYTES>
struct ShortRows {
  static constexpr int word = ALIGNED ? 16 / sizeof(T) : 1,
                       elements = BYTES / sizeof(T), words = elements / word;
  static constexpr int rows = std::max(128 / BYTES, 1);  // rows at a time
  static constexpr int warps = 8;
  static constexpr int blocks = BYTES > 128 ? 1 : 2;   // per multiprocessor
  static constexpr std::int64_t most = 32 * elements;  // columns

  struct alignas(word * sizeof(T)) Word {
    T element[word];
  };
  // the first column of a lane's word
  static __device__ __forceinline__ int col(int lane, int w) {
    return (w * 32 + lane) * word;
  }
};

// Dynamic shared memory: S::most elements. ys: blocks x cols.
template <typename T, typename S>
__global__ void __launch_bounds__(32 * S::warps, S::blocks)
    atax_short_rows(const T* a, const T* x, T* ys, std::int64_t rows,
                    std::int64_t cols) {
  using Word = typename S::Word;
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  T* const shared = shared_memory<T>();
  for (int col = thread; col < S::most; col += 32 * S::warps)
    shared[col] = col < cols ? x[col] : T{0};
  __syncthreads();

  T y[S::words][S::word] = {};
  const std::int64_t step = std::int64_t{gridDim.x} * S::warps * S::rows;
  for (std::int64_t row =
           (std::int64_t{blockIdx.x} * S::warps + warp) * S::rows;
       row < rows; row += step) {
    Word part[S::rows][S::words];
    _Pragma("unroll")
    for (int r = 0; r < S::rows; ++r) {
      const T* const from = a + (row + r) * cols;
      _Pragma("unroll")
      for (int w = 0; w < S::words; ++w) {
        const int col = S::col(lane, w);
        const bool there = col < cols && row + r < rows;
        part[r][w] =
            there ? *reinterpret_cast<const Word*>(from + col) : Word{};
      }
    }

    T t[S::rows] = {};
    _Pragma("unroll")
    for (int w = 0; w < S::words; ++w) {
      const Word of_x = *reinterpret_cast<Word*>(shared + S::col(lane, w));
      _Pragma("unroll")
      for (int r = 0; r < S::rows; ++r) {
        _Pragma("unroll")
        for (int i = 0; i < S::word; ++i)
          t[r] += part[r][w].element[i] * of_x.element[i];
      }
    }
    _Pragma("unroll")
    for (int r = 0; r < S::rows; ++r)
      t[r] = warp_sum(t[r]);

    _Pragma("unroll")
    for (int w = 0; w < S::words; ++w) {
      _Pragma("unroll")
      for (int r = 0; r < S::rows; ++r) {
        _Pragma("unroll")
        for (int i = 0; i < S::word; ++i)
          y[w][i] += part[r][w].element[i] * t[r];
      }
    }
  }

  // The warps add theirs one after another, so that the order is fixed.
  for (int turn = 0; turn < S::warps; ++turn) {
    __syncthreads();
    if (warp != turn) continue;
    _Pragma("unroll")
    for (int w = 0; w < S::words; ++w) {
      _Pragma("unroll")
      for (int i = 0; i < S::word; ++i) {
        T& sum = shared[S::col(lane, w) + i];
        sum = turn == 0 ? y[w][i] : sum + y[w][i];
      }
    }
  }
  __syncthreads();

  let_next_launch_begin();
  for (int col = thread; col < cols; col += 32 * S::warps)
    ys[blockIdx.x * cols + col] = shared[col];
}

// The largest part of a row that a lane can hold.
constexpr int most_bytes_of_lane = 256;

template <typename T>
bool is_aligned(const Atax::Args<T>& p) {
  return p.cols * sizeof(T) % 16 == 0 &&
         reinterpret_cast<std::uintptr_t>(p.a) % 16 == 0;
}

// A lane has at most 32 loads of one element.
template <typename T>
bool has_short_rows(const Atax::Args<T>& p) {
  const std::int64_t bytes = is_aligned(p) || sizeof(T) == 8
                                 ? most_bytes_of_lane
                                 : most_bytes_of_lane / 2;
  return p.cols * std::int64_t{sizeof(T)} <= 32 * bytes;
}

template <typename T, bool ALIGNED, int BYTES>
void run_lanes_with(Gpu& gpu, const Atax::Args<T>& p) {
  using S = ShortRows<T, ALIGNED, BYTES>;
  const auto kernel = atax_short_rows<T, S>;
  constexpr int threads = 32 * S::warps;
  constexpr std::size_t shared = S::most * sizeof(T);
  const std::int64_t resident =
      gpu.multiprocessors() * gpu.resident_blocks(kernel, threads, shared);
  const auto blocks = std::min(resident, ceil_div(p.rows, S::warps * S::rows));
  T* const ys = gpu.scratch<T>(blocks * p.cols);
  gpu.launch({.grid = {blocks}, .block = {threads}, .shared_bytes = shared},
             kernel, p.a, p.x, ys, p.rows, p.cols);
  add_up(gpu, static_cast<const T*>(ys), p.y, p.cols, blocks);
}

// For matrices with has_short_rows().
template <typename T, bool ALIGNED>
void run_short_rows(Gpu& gpu, const Atax::Args<T>& p) {
  const auto bytes_of_lane = ceil_div(p.cols, 32) * std::int64_t{sizeof(T)};
  const auto run = bytes_of_lane <= 64 ? run_lanes_with<T, ALIGNED, 64>
                   : bytes_of_lane <= 128
                       ? run_lanes_with<T, ALIGNED, 128>
                       : run_lanes_with<T, ALIGNED, most_bytes_of_lane>;
  run(gpu, p);
}

}  // namespace
