// The sums of `warp_tiles`: operands in registers, products, fringes, stores.
#pragma once

#include <cstdint>

#include "slices.cuh"
#include "warp_shapes.cuh"

using namespace parlab;

namespace {

// A lane's elements of A and B for one step along k, twice: for this step and
// for the next.
template <typename T, typename S>
struct Operands {
  Vector<T> a[2][S::lane_rows / S::vector], b[2][S::lane_cols / S::vector];
  int a_at, b_at;  // the lane's places in a stage

  __device__ __forceinline__ explicit Operands(const LanePart<S>& lane)
      : a_at(lane.slice * S::slice_depth * S::a_stride + lane.row),
        b_at(S::b_begin + lane.slice * S::slice_depth * S::b_stride +
             lane.col) {}

  __device__ __forceinline__ void read(int set, const T* stage, int i) {
    _Pragma("unroll")
    for (int v = 0; v < S::lane_rows / S::vector; ++v) {
      a[set][v] = *reinterpret_cast<const Vector<T>*>(
          stage + a_at + i * S::a_stride + v * LanePart<S>::row_step);
    }
    _Pragma("unroll")
    for (int v = 0; v < S::lane_cols / S::vector; ++v) {
      b[set][v] = *reinterpret_cast<const Vector<T>*>(
          stage + b_at + i * S::b_stride + v * LanePart<S>::col_step);
    }
  }

  __device__ __forceinline__ void multiply_add(
      int set, T (&sum)[S::lane_rows][S::lane_cols]) const {
    _Pragma("unroll")
    for (int r = 0; r < S::lane_rows; ++r) {
      _Pragma("unroll")
      for (int s = 0; s < S::lane_cols; ++s) {
        // Back and forth, so that neighbours share a register just read.
        const int col = r % 2 == 0 ? s : S::lane_cols - 1 - s;
        sum[r][col] += a[set][r / S::vector].element[r % S::vector] *
                       b[set][col / S::vector].element[col % S::vector];
      }
    }
  }
};

// A thread's part of its block's fringes: every n-th of n threads has an
// element of the row below, then of the column on the right. For the corner
// where they meet, a lane takes a row of each stage.
template <typename T, typename S>
struct Fringe {
  static constexpr int count =
      (S::block_cols + S::block_rows + S::slice_threads - 1) / S::slice_threads;
  // whole vectors, for add_slices
  static constexpr int places = (count + S::vector - 1) / S::vector * S::vector;
  static_assert(S::depth <= 32);
  int slice, thread;  // in its slice
  T sum[places] = {}, corner = 0;

  __device__ __forceinline__ explicit Fringe(const LanePart<S>& lane)
      : slice(lane.slice), thread(threadIdx.x % S::slice_threads) {}

  // An element is in the row (this is its place in B) or in the column.
  __device__ __forceinline__ int element(int e) const {
    return thread + e * S::slice_threads;
  }
  __device__ __forceinline__ static bool in_row(int element) {
    return element < S::block_cols;
  }

  // One step along k: column i of the slice's part of A.
  __device__ __forceinline__ void multiply_add(const T* stage, int i) {
    const int at = slice * S::slice_depth + i;
    const T *const a = stage + at * S::a_stride, *const b = stage + S::b_begin +
                                                            at * S::b_stride;
    _Pragma("unroll")
    for (int e = 0; e < count; ++e) {
      const int of = element(e);
      const int row = in_row(of) ? S::block_rows : of - S::block_cols;
      const int col = in_row(of) ? of : S::block_cols;
      // Surplus threads read any element that exists.
      sum[e] += a[min(row, S::block_rows)] * b[col];
    }
  }

  // All of a stage that has this many columns of A.
  __device__ __forceinline__ void multiply_add_corner(const T* stage,
                                                      int columns) {
    const int at = threadIdx.x;
    if (at >= columns) return;
    corner += stage[at * S::a_stride + S::block_rows] *
              stage[S::b_begin + at * S::b_stride + S::block_cols];
  }

  template <bool ADD>
  __device__ __forceinline__ void store(
      T* c, std::int64_t n, const TilePlace<Edges::unaligned, S>& place) {
    const auto put = [&](int row, int col, T value) {
      if (!place.stores_row(row) || !place.stores_col(col)) return;
      T& to = c[row * n + col];
      to = ADD ? to + value : value;
    };
    _Pragma("unroll")
    for (int e = 0; e < count; ++e) {
      const int of = element(e), down = of - S::block_cols;
      if (in_row(of)) {
        if (place.fringe_row) put(S::block_rows, S::col_of_place(of), sum[e]);
      } else if (place.fringe_col && down < S::block_rows) {
        put(down, S::block_cols, sum[e]);
      }
    }
    if (threadIdx.x >= 32 || !place.fringe_row || !place.fringe_col) return;

    _Pragma("unroll")
    for (int offset = 16; offset > 0; offset /= 2)
      corner += __shfl_down_sync(0xffffffffu, corner, offset);
    if (threadIdx.x == 0) put(S::block_rows, S::block_cols, corner);
  }
};
template <typename T, typename S>
struct NoFringe {
  __device__ __forceinline__ explicit NoFringe(const LanePart<S>&) {}
  __device__ __forceinline__ void multiply_add(const T*, int) {}
  __device__ __forceinline__ void multiply_add_corner(const T*, int) {}
};

// Stores `count` of a lane's rows, from `first` on. c: where the tile begins.
// ADD: adds to what is there.
template <Edges EDGES, bool ADD, int count, typename T, typename S>
__device__ __forceinline__ void store(
    T* c, std::int64_t n, const TilePlace<EDGES, S>& place,
    const LanePart<S>& lane, const T (&sum)[S::lane_rows][S::lane_cols],
    int first) {
  constexpr int vector = S::vector;
  _Pragma("unroll")
  for (int r = first; r < first + count; ++r) {
    const int row = lane.row + r / vector * LanePart<S>::row_step + r % vector;
    if (!place.stores_row(row)) continue;
    _Pragma("unroll")
    for (int s = 0; s < S::lane_cols; s += vector) {
      const int col = lane.col + s / vector * LanePart<S>::col_step;
      if constexpr (EDGES != Edges::none) {
        _Pragma("unroll")
        for (int i = 0; i < vector; ++i) {
          const int of =
              has_aligned_b(EDGES) ? col + i : S::col_of_place(col + i);
          if (!place.stores_col(of)) continue;
          T& to = c[row * n + of];
          to = ADD ? to + sum[r][s + i] : sum[r][s + i];
        }
      } else if (place.stores_col(col)) {
        Vector<T>& to = *reinterpret_cast<Vector<T>*>(c + row * n + col);
        Vector<T> part;
        if constexpr (ADD) part = to;
        _Pragma("unroll")
        for (int i = 0; i < vector; ++i) {
          part.element[i] =
              ADD ? part.element[i] + sum[r][s + i] : apart(sum[r][s + i]);
        }
        to = part;
      }
    }
  }
}

}  // namespace
