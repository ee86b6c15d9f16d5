// A warp marches down a strip and takes several time steps on its way: the
// kernel of `registers`, `pipelined` and `persistent`.
//
// A lane has a word of neighbouring columns, and the last two rows of each time
// level. When a row of the first level arrives, the row before it has both
// neighbours and goes on to the second level, where it arrives in turn. Each
// step down thus reads one row at the top of the chain and emits, at its end,
// the row `depth` higher and `depth` time steps later. Shuffles bring the
// neighbours to the left and right from the adjacent lanes.
//
// The lanes at both ends of a warp lack a neighbour, and their error moves one
// column inwards with each step. A warp writes only the columns that it has not
// reached; its strip overlaps its neighbours' by as much.
#pragma once

#include <type_traits>

#include "steps.cuh"

namespace {

constexpr unsigned all_lanes = 0xffffffffu;

template <typename T>
constexpr int word_size = 16 / sizeof(T);

template <typename T>
struct alignas(16) Word {
  T at[word_size<T>];
};

// The columns of a warp: `halo` on both sides of those that it writes.
template <typename T, int depth>
struct Strip {
  static constexpr int n = word_size<T>;
  static constexpr int halo = (depth + n - 1) / n * n;
  static constexpr int written = 32 * n - 2 * halo;
};

struct Extents {
  std::int64_t rows, cols;
};

// aligned: rows begin at multiples of 16 bytes. Points outside the grid are 0.
template <bool aligned, typename T>
__device__ __forceinline__ Word<T> read_word(const T* grid, Extents extents,
                                             std::int64_t row,
                                             std::int64_t col) {
  Word<T> word{};
  if (row < 0 || row >= extents.rows) return word;
  const T* from = grid + row * extents.cols + col;
  if constexpr (aligned) {
    if (col >= 0 && col < extents.cols)
      word = *reinterpret_cast<const Word<T>*>(from);
  } else {
    _Pragma("unroll")
    for (int k = 0; k < word_size<T>; ++k) {
      if (col + k >= 0 && col + k < extents.cols) word.at[k] = from[k];
    }
  }
  return word;
}

template <bool aligned, typename T>
__device__ __forceinline__ void write_word(T* grid, Extents extents,
                                           std::int64_t row, std::int64_t col,
                                           const Word<T>& word) {
  T* to = grid + row * extents.cols + col;
  if constexpr (aligned) {
    if (col < extents.cols) *reinterpret_cast<Word<T>*>(to) = word;
  } else {
    _Pragma("unroll")
    for (int k = 0; k < word_size<T>; ++k) {
      if (col + k < extents.cols) to[k] = word.at[k];
    }
  }
}

// The row between north and south, one step later. keeps: its points that
// belong to the border, one bit each.
template <typename T>
__device__ __forceinline__ Word<T> step_row(const Word<T>& north,
                                            const Word<T>& here,
                                            const Word<T>& south,
                                            unsigned keeps) {
  constexpr int n = word_size<T>;
  const T left = __shfl_up_sync(all_lanes, here.at[n - 1], 1);
  const T right = __shfl_down_sync(all_lanes, here.at[0], 1);
  Word<T> next;
  _Pragma("unroll")
  for (int k = 0; k < n; ++k) {
    const T west = k > 0 ? here.at[k - 1] : left;
    const T east = k < n - 1 ? here.at[k + 1] : right;
    const T point = stepped(here.at[k], north.at[k], south.at[k], west, east);
    next.at[k] = keeps >> k & 1 ? here.at[k] : point;
  }
  return next;
}

// Computes rows first to last - 1 of `to` after `depth` steps, in the columns
// that this warp writes, from `left` on. touches: the strip has border points.
template <int depth, bool aligned, bool touches, typename T>
__device__ __forceinline__ void march_strip(const T* from, T* to,
                                            Extents extents, std::int64_t first,
                                            std::int64_t last,
                                            std::int64_t left) {
  using Shape = Strip<T, depth>;
  constexpr int n = Shape::n;
  const int lane = threadIdx.x % 32;
  const std::int64_t col = left - Shape::halo + lane * n;
  const bool writes = lane >= Shape::halo / n && lane < 32 - Shape::halo / n;
  unsigned sides = 0;  // columns of the border
  if constexpr (touches) {
    _Pragma("unroll")
    for (int k = 0; k < n; ++k) {
      if (col + k <= 0 || col + k >= extents.cols - 1) sides |= 1u << k;
    }
  }

  Word<T> north[depth] = {}, here[depth] = {};  // one per level
  _Pragma("unroll 2")
  for (std::int64_t row = first - depth; row < last + depth; ++row) {
    Word<T> arrived = read_word<aligned>(from, extents, row, col);
    _Pragma("unroll")
    for (int level = 0; level < depth; ++level) {
      unsigned keeps = 0;
      if constexpr (touches) {
        const std::int64_t stepping = row - 1 - level;
        keeps = stepping <= 0 || stepping >= extents.rows - 1 ? ~0u : sides;
      }
      const auto next = step_row(north[level], here[level], arrived, keeps);
      north[level] = here[level];
      here[level] = arrived;
      arrived = next;
    }
    if (writes && row >= first + depth)
      write_word<aligned>(to, extents, row - depth, col, arrived);
  }
}

// A warp's share of the grid's strips: it takes every n-th of n warps. Blocks
// consist of whole warps.
template <int depth, bool aligned, typename T>
__device__ __forceinline__ void march(const T* from, T* to, Extents extents,
                                      std::int64_t height) {
  using Shape = Strip<T, depth>;
  const auto warps_of_block = blockDim.x / 32;
  const std::int64_t across =
      (extents.cols + Shape::written - 1) / Shape::written;
  const std::int64_t down = (extents.rows + height - 1) / height;
  for (std::int64_t strip =
           std::int64_t{blockIdx.x} * warps_of_block + threadIdx.x / 32;
       strip < across * down;
       strip += std::int64_t{gridDim.x} * warps_of_block) {
    const std::int64_t first = strip / across * height;
    const std::int64_t left = strip % across * Shape::written;
    const auto last = min(first + height, extents.rows);
    const bool inside = first > depth && last + depth < extents.rows &&
                        left > Shape::halo &&
                        left - Shape::halo + 32 * Shape::n < extents.cols;
    if (inside) {
      march_strip<depth, aligned, false>(from, to, extents, first, last, left);
    } else {
      march_strip<depth, aligned, true>(from, to, extents, first, last, left);
    }
  }
}

// Rows of a strip: `asked`, or for 0 enough that each of `warps` warps has one
// strip. Short strips read more rows twice.
template <typename T, int depth>
std::int64_t strip_height(const Heat::Args<T>& p, std::int64_t asked,
                          std::int64_t warps) {
  if (asked != 0) return asked;
  const auto across = ceil_div(p.cols, Strip<T, depth>::written);
  const auto down = std::max<std::int64_t>(warps / across, 1);
  return std::max<std::int64_t>(ceil_div(p.rows, down), 4 * depth);
}

template <int depth, bool aligned, typename T>
__global__ void __launch_bounds__(256)
    heat_march(const T* from, T* to, Extents extents, std::int64_t height) {
  march<depth, aligned>(from, to, extents, height);
}

constexpr std::int64_t march_block = 128;

// `depth` steps in one launch. strip: rows of a strip, 0 for one wave of warps.
template <int depth, bool aligned, typename T>
void launch_march(Gpu& gpu, const Heat::Args<T>& p, const T* from, T* to,
                  std::int64_t strip) {
  const auto kernel = heat_march<depth, aligned, T>;
  const std::int64_t wave =
      gpu.multiprocessors() *
      gpu.resident_blocks(kernel, static_cast<int>(march_block));
  const auto height = strip_height<T, depth>(p, strip, wave * march_block / 32);
  const auto strips =
      ceil_div(p.cols, Strip<T, depth>::written) * ceil_div(p.rows, height);
  gpu.launch(
      {.grid = {ceil_div(strips, march_block / 32)}, .block = {march_block}},
      kernel, from, to, Extents{p.rows, p.cols}, height);
}

// The tunable `strip`.
inline TunableSpec rows_of_strip() {
  return {.name = "strip", .fallback = 0, .min = 1, .max = 4096};
}

template <typename T>
bool has_aligned_rows(const Heat::Args<T>& p) {
  return p.cols % word_size<T> == 0;
}

}  // namespace
