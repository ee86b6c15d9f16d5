// The sums of `tensor`: operands in registers, products, stores, fringes.
#pragma once

#include <cstdint>

#include "gpu/store_whole.hpp"
#include "gpu/tensor_cores.hpp"
#include "tensor_shapes.cuh"

using namespace parlab;

namespace {

// A lane's elements for the products of one group of 16 rows, twice: while
// one group is multiplied, A's elements of the next are read, and B's too if
// the next group belongs to the next columns of A. The product is C^T = B^T
// A^T, 16 columns and 8 rows of C at a time: two neighbours in a row, of A as
// of B, then lie in neighbouring registers, as the instruction wants them.
// The order of A's columns makes no difference: a lane has two neighbours of
// each eight.
template <typename S>
struct Operands {
  static constexpr int eights = S::product / 8;
  Pair a[2][2][eights];
  Pair b[2][S::across][2 * eights];
  int slice, row, col;  // the warp's slice, and its place in the tile
  // in a stage: for even and for odd eights, and two rows of B
  int a_at[2], b_at;

  __device__ __forceinline__ Operands() {
    const int warp = threadIdx.x / 32 % S::warps, g = threadIdx.x % 32 / 4,
              t = threadIdx.x % 4;
    slice = threadIdx.x / S::slice_threads;
    row = warp % S::warps_down * S::warp_rows;
    col = warp / S::warps_down * S::warp_cols;
    const int first = slice * S::slice_depth;
    for (int i = 0; i < 2; ++i)
      a_at[i] = S::a_place(row + g, first + i * 8 + 2 * t);
    b_at = S::b_place(first + 2 * t, col + 2 * g);
  }

  // i: which of the slice's products of a stage. r: which group of rows.
  __device__ __forceinline__ void read_a(int set, const double* stage, int i,
                                         int r) {
    _Pragma("unroll")
    for (int e = 0; e < eights; ++e) {
      const int eight = i * eights + e;
      _Pragma("unroll")
      for (int part = 0; part < 2; ++part) {
        a[set][part][e] = *reinterpret_cast<const Pair*>(
            stage + a_at[eight % 2] + eight / 2 * 16 +
            (r * 16 + part * 8) * S::depth);
      }
    }
  }

  __device__ __forceinline__ void read_b(int set, const double* stage, int i) {
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      _Pragma("unroll")
      for (int j = 0; j < 2 * eights; ++j) {
        const int row_of_b = i * S::product + j / 2 * 8 + j % 2;
        b[set][s][j] = *reinterpret_cast<const Pair*>(
            stage + b_at + row_of_b * S::cols + s * 16);
      }
    }
  }

  __device__ __forceinline__ void multiply_add(
      int set_a, int set_b, double (&sum)[S::across][2][4]) const {
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      double left[S::product / 2];
      _Pragma("unroll")
      for (int i = 0; i < S::product / 2; ++i)
        left[i] = b[set_b][s][i / 2].element[i % 2];
      _Pragma("unroll")
      for (int part = 0; part < 2; ++part) {
        double right[S::product / 4];
        _Pragma("unroll")
        for (int i = 0; i < S::product / 4; ++i)
          right[i] = a[set_a][part][i / 2].element[i % 2];
        tensor_multiply_add<S::product>(sum[s][part], left, right);
      }
    }
  }
};

// row0, col0: where the warp's part begins in C. A lane has 2 by 2 neighbours
// of each 8 rows and 16 columns.
template <typename S>
__device__ __forceinline__ void store(
    double* c, std::int64_t m, std::int64_t n, std::int64_t row0,
    std::int64_t col0, const double (&sum)[S::down][S::across][2][4]) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const bool aligned = n % 2 == 0;
  _Pragma("unroll")
  for (int r = 0; r < 4 * S::down; ++r) {
    const std::int64_t row = row0 + r / 2 * 8 + 2 * t + r % 2;
    if (row >= m) continue;
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      const std::int64_t col = col0 + s * 16 + 2 * g;
      const double* const from = sum[r / 4][s][r / 2 % 2] + r % 2;
      const Pair part = {from[0], from[2]};
      double* const at = c + row * n + col;
      if (aligned) {
        if (col < n) store_whole(at, part);
      } else {
        if (col < n) at[0] = part.element[0];
        if (col + 1 < n) at[1] = part.element[1];
      }
    }
  }
}

// 32 columns of the row of C below all tiles: each warp takes every n-th row of
// B, and their sums are added in order.
template <typename S>
__device__ __forceinline__ void fringe_below(const Matmul::Args<double>& p,
                                             std::int64_t a_pitch,
                                             std::int64_t b_pitch,
                                             std::int64_t part) {
  constexpr int warps = S::threads / 32;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t col = part * 32 + lane;
  const double* a = p.a + (p.m - 1) * a_pitch + warp;
  const double* b = p.b + warp * b_pitch + min(col, p.n - 1);
  double sum = 0;
  _Pragma("unroll 16")
  for (std::int64_t i = warp; i < p.k; i += warps) {
    sum += *a * *b;
    a += warps, b += warps * b_pitch;
  }

  double* const sums = shared_memory<double>();
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (warp > 0 || col >= p.n) return;
  _Pragma("unroll")
  for (int other = 1; other < warps; ++other)
    sum += sums[other * 32 + lane];
  p.c[(p.m - 1) * p.n + col] = sum;
}

// A part of the column to the right of all tiles: a warp has some rows, and its
// lanes share k.
constexpr int fringe_rows = 8;
template <typename S>
__device__ __forceinline__ void fringe_right(const Matmul::Args<double>& p,
                                             std::int64_t a_pitch,
                                             std::int64_t b_pitch,
                                             std::int64_t part) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t row0 = (part * (S::threads / 32) + warp) * fringe_rows;
  const std::int64_t rows = without_fringe(p.m, S::rows);
  const double *a[fringe_rows], *b = p.b + lane * b_pitch + p.n - 1;
  double sum[fringe_rows] = {};
  _Pragma("unroll")
  for (int r = 0; r < fringe_rows; ++r)
    a[r] = p.a + min(row0 + r, rows - 1) * a_pitch;
  _Pragma("unroll 4")
  for (std::int64_t i = lane; i < p.k; i += 32) {
    const double right = *b;
    b += 32 * b_pitch;
    _Pragma("unroll")
    for (int r = 0; r < fringe_rows; ++r)
      sum[r] += a[r][i] * right;
  }

  _Pragma("unroll")
  for (int r = 0; r < fringe_rows; ++r) {
    _Pragma("unroll")
    for (int offset = 16; offset > 0; offset /= 2)
      sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], offset);
    if (lane == r && row0 + r < rows) p.c[(row0 + r) * p.n + p.n - 1] = sum[r];
  }
}

}  // namespace
