// The copies of `warp_tiles`: a stage of A and B, into shared memory.
#pragma once

#include <cuda_pipeline.h>

#include <cstdint>

#include "warp_shapes.cuh"

using namespace parlab;

namespace {

// A thread's copies into shared memory: one element or vector of each tile, and
// more at these steps of rows and columns. A warp copies 8 columns of 4 rows of
// A at a time, to 32 different banks; if rows of B are not aligned, it copies
// 32 elements of one.
template <Edges EDGES, bool FRINGE, typename T, typename S>
struct Copies {
  static constexpr bool ANY = EDGES == Edges::any;
  static constexpr bool ZEROS = S::template zeros<EDGES>;
  static constexpr bool VECTORS = has_aligned_b(EDGES);
  static constexpr int b_width = VECTORS ? S::vector : 1;
  static constexpr int b_cols = VECTORS ? S::block_cols : 32;
  static constexpr int a_rows = S::threads / 8;
  static constexpr int b_rows = S::threads * b_width / b_cols;
  static_assert(S::block_rows % a_rows == 0 && S::depth % b_rows == 0 &&
                S::block_cols % b_cols == 0 && S::depth % 8 == 0 &&
                b_cols % S::group == 0);

  std::int64_t k, n;             // elements from one row to the next
  int a_i, a_row, b_i, b_place;  // in the tiles
  int rows_left, cols_left;      // of C, from the thread's own on
  bool fringe_row, fringe_col;   // whether there are any
  const T *a_from, *b_from;      // the sources of the next copies

  __device__ __forceinline__ Copies(const T* a, const T* b, std::int64_t k_,
                                    std::int64_t n_,
                                    const TilePlace<EDGES, S>& place)
      : k(k_), n(n_) {
    const int thread = threadIdx.x;
    a_i = thread % 8, a_row = thread / 8;
    b_i = thread * b_width / b_cols;
    const int b_col = thread * b_width % b_cols;
    b_place = VECTORS ? b_col : S::place_of_col(b_col);
    rows_left = place.rows - a_row, cols_left = place.cols - b_col;
    fringe_row = place.fringe_row, fringe_col = place.fringe_col;
    a_from = a + (place.row0 + a_row) * k + a_i;
    b_from = b + b_i * n + place.col0 + b_col;
  }

  // Starts the copies of one stage. count: columns of A and rows of B in it.
  // TESTED: they may be fewer than a stage has. With ZEROS the others become
  // zero; without, they are never read. Places beyond the edge of C become
  // zero.
  template <bool TESTED>
  __device__ __forceinline__ void start(T* stage, int count) {
    T* const a_to = stage + a_i * S::a_stride + a_row;
    const auto copy_of_a = [&](int r, const T* row, bool there) {
      _Pragma("unroll")
      for (int i = 0; i < S::depth; i += 8) {
        const bool inside = !TESTED || a_i + i < count;
        if (!ZEROS && !inside) continue;
        copy<1>(a_to + i * S::a_stride + r, row + i, there && inside);
      }
    };
    const T* row = a_from;
    _Pragma("unroll")
    for (int r = 0; r < S::block_rows; r += a_rows, row += a_rows * k)
      copy_of_a(r, row, !ANY || r < rows_left);
    if (FRINGE && a_row == 0) copy_of_a(S::block_rows, row, fringe_row);

    T* const b_to = stage + S::b_begin + b_i * S::b_stride + b_place;
    row = b_from;
    _Pragma("unroll")
    for (int i = 0; i < S::depth; i += b_rows, row += b_rows * n) {
      const bool inside = !TESTED || b_i + i < count;
      if (!ZEROS && !inside) continue;
      T* const to = b_to + i * S::b_stride;
      _Pragma("unroll")
      for (int s = 0; s < S::block_cols; s += b_cols)
        copy<b_width>(to + s, row + s, inside && (!ANY || s < cols_left));
      if (FRINGE && b_place == 0)
        copy<1>(to + S::block_cols, row + S::block_cols, inside && fringe_col);
    }
    a_from += count;
    b_from += count * n;
  }

  // A zero has no source: nothing is read for it.
  template <int width>
  __device__ __forceinline__ static void copy(T* to, const T* from,
                                              bool there) {
    __pipeline_memcpy_async(to, from, width * sizeof(T),
                            there ? 0 : width * sizeof(T));
  }
};

}  // namespace
