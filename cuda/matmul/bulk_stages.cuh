// The copies of `tensor_bulk` into stages of shared memory.
#pragma once

#include <cstdint>

#include "bulk_shares.cuh"
#include "gpu/warpgroup.hpp"

using namespace parlab;

namespace {

// A thread's share of the copies of A or B, ROWS x COLS of a stage, for rows of
// odd length. The matrix begins at a multiple of 16 bytes, and so do its even
// rows, which are copied 16 bytes at a time; odd rows are copied 8 at a time.
// They are laid out as by bulk copies.
template <typename S, int ROWS, int COLS, bool NARROW>
struct OddRows {
  // Threads side by side cover `span` columns. A thread's other copies follow
  // at multiples of these steps, which the permutation moves alike.
  static constexpr int span = COLS < 32 ? COLS : 32,
                       even_step = 4 * bulk_copiers / span,
                       odd_step = 2 * bulk_copiers / span;
  static_assert(COLS % span == 0 && ROWS % even_step == 0 && odd_step % 8 == 0);

  const double *even, *odd;
  int even_row, even_col, odd_row, odd_col, even_to, odd_to;

  __device__ __forceinline__ OddRows() {
    const int thread = threadIdx.x % bulk_copiers;
    even_row = thread / (span / 2) * 2, even_col = thread % (span / 2) * 2;
    odd_row = thread / span * 2 + 1, odd_col = thread % span;
    even_to = place(even_row, even_col), odd_to = place(odd_row, odd_col);
  }

  // Byte offset in this part of a stage.
  __device__ __forceinline__ static int place(int row, int col) {
    return col / 16 * S::panel_bytes + row * S::row_bytes +
           (col % 16 / 2 ^ row % 8) * 16 + col % 2 * 8;
  }

  // from: the first element of the next stage; pitch: in elements.
  __device__ __forceinline__ void begin(const double* from,
                                        std::int64_t pitch) {
    even = from + even_row * pitch + even_col;
    odd = from + odd_row * pitch + odd_col;
  }
  __device__ __forceinline__ void advance(std::int64_t elements) {
    even += elements, odd += elements;
  }

  // rows, cols: how many exist, from the first element on. NARROW: places well
  // beyond the columns are not filled.
  template <bool TESTED>
  __device__ __forceinline__ void start(unsigned char* to, std::int64_t pitch,
                                        int rows, int cols) const {
    constexpr int element = sizeof(double);
    _Pragma("unroll")
    for (int row = 0; row < ROWS; row += even_step) {
      _Pragma("unroll")
      for (int col = 0; col < COLS; col += span) {
        if (NARROW && TESTED && col >= cols) continue;
        const int there = even_row + row < rows ? cols - even_col - col : 0;
        load_async<2 * element>(
            to + even_to + place(row, col), even + row * pitch + col,
            TESTED ? max(0, min(there, 2)) * element : 2 * element);
      }
    }
    _Pragma("unroll")
    for (int row = 0; row < ROWS; row += odd_step) {
      _Pragma("unroll")
      for (int col = 0; col < COLS; col += span) {
        if (NARROW && TESTED && col >= cols) continue;
        const bool there = odd_row + row < rows && odd_col + col < cols;
        load_async<element>(to + odd_to + place(row, col),
                            odd + row * pitch + col,
                            TESTED && !there ? 0 : element);
      }
    }
  }

  // The same; most stages need no test.
  __device__ __forceinline__ void start(unsigned char* to, std::int64_t pitch,
                                        std::int64_t rows,
                                        std::int64_t cols) const {
    if (rows >= ROWS && cols >= COLS) {
      start<false>(to, pitch, ROWS, COLS);
    } else {
      start<true>(to, pitch, static_cast<int>(min(rows, std::int64_t{ROWS})),
                  static_cast<int>(min(cols, std::int64_t{COLS})));
    }
  }
};

// The third warpgroup's work: it fills stages. BULK: by boxes alone, requested
// by one thread; otherwise all threads copy the operands that have odd rows.
// NARROW: columns of tiles that are not multiplied are left out.
template <typename S, bool BULK, bool NARROW>
__device__ __forceinline__ void copy_stages(const TensorMap& a,
                                            const TensorMap& b,
                                            const Matmul::Args<double>& p,
                                            const Shares& shares,
                                            unsigned char* stages,
                                            Barrier* full, Barrier* empty) {
  const bool asks = threadIdx.x == bulk_copier;
  if (BULK && !asks) return;
  const bool boxes_of_a = BULK || p.k % 2 == 0,
             boxes_of_b = BULK || p.n % 2 == 0;
  OddRows<S, S::rows, S::depth, NARROW> odd_a;
  OddRows<S, S::depth, S::cols, NARROW> odd_b;

  Ring<S::stages> ring;
  const Pieces pieces(shares);
  for (int i = 0; i < pieces.count; ++i) {
    const Piece piece = pieces.at(shares, i);
    int row0, col0;
    place_of_piece<S>(shares, piece.tile, row0, col0);
    int k0 = piece.begin * S::depth;
    const int there = static_cast<int>((p.n - col0 + 15) / 16),
              panels = NARROW ? min(S::panels, there) : S::panels;
    const int announced = (boxes_of_a ? S::a_bytes : 0) +
                          (boxes_of_b ? panels * S::panel_bytes : 0);
    if (!BULK) {
      odd_a.begin(p.a + row0 * p.k + k0, p.k);
      odd_b.begin(p.b + k0 * p.n + col0, p.n);
    }
    for (int step = 0; step < piece.steps; ++step, ring.advance()) {
      Barrier& arrived = full[ring.stage];
      unsigned char* const stage = stages + ring.stage * S::stage_bytes;
      wait(empty[ring.stage], ring.parity ^ 1);  // no wait at first
      if (asks) {
        arrive_expecting(arrived, announced);
        if (boxes_of_a) load_box(stage, a, arrived, k0, row0);
        _Pragma("unroll 1")
        for (int panel = 0; panel < panels && boxes_of_b; ++panel) {
          load_box(stage + S::a_bytes + panel * S::panel_bytes, b, arrived,
                   col0 + panel * 16, k0);
        }
      }
      if constexpr (!BULK) {
        if (!boxes_of_a) odd_a.start(stage, p.k, p.m - row0, p.k - k0);
        if (!boxes_of_b) {
          odd_b.start(stage + S::a_bytes, p.n, p.k - k0, p.n - col0);
        }
        arrive_after_copies(arrived);
        odd_a.advance(S::depth);
        odd_b.advance(S::depth * p.n);
      }
      k0 += S::depth;
    }
  }
}

}  // namespace
