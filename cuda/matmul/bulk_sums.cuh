// The operands of `tensor_bulk` in registers, and the stores of its sums.
#pragma once

#include <cstdint>

#include "bulk_shares.cuh"
#include "gpu/store_whole.hpp"

using namespace parlab;

namespace {

// As in tensor.cuh, except for the order of rows within an eight: with this
// one, neighbouring lanes read A from different banks.
template <typename S>
struct BulkOperands {
  Pair a[2][S::eights];
  Pair b[2][S::across][2];
  int a_at[2], b_at[2];  // byte offsets: both eights, two rows of B

  __device__ __forceinline__ BulkOperands() {
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4,
              t = threadIdx.x % 4;
    const int row = g / 2 + g % 2 * 4,
              row0 = warp % S::warps_down * S::warp_rows,
              panel = warp / S::warps_down * S::across;
    for (int i = 0; i < 2; ++i) {
      const int of_b = 2 * t + i;
      a_at[i] = (row0 + row) * S::row_bytes + ((i * 4 + t) ^ row) * 16;
      b_at[i] = S::a_bytes + panel * S::panel_bytes + of_b * S::row_bytes +
                (g ^ of_b) * 16;
    }
  }

  // i: which eight columns of A. r: which group of rows.
  __device__ __forceinline__ void read_a(int set, const unsigned char* stage,
                                         int i, int r) {
    _Pragma("unroll")
    for (int e = 0; e < S::eights; ++e) {
      a[set][e] = *reinterpret_cast<const Pair*>(
          stage + a_at[i] + (r * S::eights + e) * 8 * S::row_bytes);
    }
  }

  // across: the number of groups of 16 columns.
  __device__ __forceinline__ void read_b(int set, const unsigned char* stage,
                                         int i, int across = S::across) {
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      if (s >= across) continue;
      _Pragma("unroll")
      for (int j = 0; j < 2; ++j) {
        b[set][s][j] = *reinterpret_cast<const Pair*>(
            stage + b_at[j] + s * S::panel_bytes + i * 8 * S::row_bytes);
      }
    }
  }

  __device__ __forceinline__ void multiply_add(
      int set_a, int set_b, double (&sum)[S::across][S::eights][4],
      int across = S::across) const {
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      if (s >= across) continue;
      const Pair *const rows = b[set_b][s], *const cols = a[set_a];
      const double left[4] = {rows[0].element[0], rows[0].element[1],
                              rows[1].element[0], rows[1].element[1]};
      _Pragma("unroll")
      for (int e = 0; e < S::eights; ++e) {
        const double right[2] = {cols[e].element[0], cols[e].element[1]};
        tensor_multiply_add<8>(sum[s][e], left, right);
      }
    }
  }
};

// Two neighbours in a row of C.
__device__ __forceinline__ void store(const Matmul::Args<double>& p, int row,
                                      int col, double one, double two) {
  if (row >= p.m || col >= p.n) return;
  double* const at = p.c + row * p.n + col;
  if (p.n % 2 == 0) {
    store_whole(at, Pair{one, two});
  } else {
    at[0] = one;
    if (col + 1 < p.n) at[1] = two;
  }
}

// Two sums of each of the 256 threads, side by side. Only the first and the
// last of a block's shared tiles can be parts.
template <typename S>
__device__ __forceinline__ Pair* bulk_part(double* parts, int block,
                                           bool second, int pair) {
  return reinterpret_cast<Pair*>(parts) +
         (std::int64_t{block} * 2 + second) * (S::rows * S::cols / 2) +
         pair * bulk_copier + threadIdx.x;
}

// Stores to C, or stores a part to scratch memory.
template <typename S>
__device__ __forceinline__ void store_piece(
    const Matmul::Args<double>& p, double* parts, const Shares& shares,
    const Pieces& pieces, int i,
    const double (&sum)[S::down][S::across][S::eights][4]) {
  const Piece piece = pieces.at(shares, i);
  if (piece.steps < shares.steps_of_tile) {
    const double* const all = &sum[0][0][0][0];
    _Pragma("unroll")
    for (int e = 0; e < S::sums / 2; ++e) {
      *bulk_part<S>(parts, blockIdx.x, i > 0, e) = {all[2 * e], all[2 * e + 1]};
    }
    return;
  }
  int row, col;
  place_of_piece<S>(shares, piece.tile, row, col);
  row += first_row<S>(), col += first_col<S>();
  _Pragma("unroll")
  for (int r = 0; r < S::down; ++r) {
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      _Pragma("unroll")
      for (int e = 0; e < S::eights; ++e) {
        const double(&part)[4] = sum[r][s][e];
        const int at = row + (r * S::eights + e) * 8;
        store(p, at, col + s * 16, part[0], part[2]);
        store(p, at + 4, col + s * 16, part[1], part[3]);
      }
    }
  }
}

}  // namespace
