// The copies of `tensor`: a stage of A and B, into shared memory.
#pragma once

#include <cuda_pipeline.h>

#include <cstdint>

#include "tensor_shapes.cuh"

using namespace parlab;

namespace {

// A thread's copies into shared memory: WIDTH elements of each tile, and more
// at these steps of rows. Places outside A and B become zero in shared memory.
// a_pitch, b_pitch: elements from one row to the next.
template <int WIDTH, typename S>
struct Copies {
  static constexpr int a_across = S::depth / WIDTH, b_across = S::cols / WIDTH;
  static constexpr int a_step = S::copiers / a_across,
                       b_step = S::copiers / b_across;
  static_assert(S::rows % a_step == 0 && S::depth % b_step == 0);

  std::int64_t a_pitch, b_pitch;
  const double *next_a, *next_b;
  int a_to, b_to;     // in a stage
  int a_col, b_row;   // in the tiles
  int rows_left;      // of A, from the thread's own on
  bool has_cols;      // whether its columns of B exist
  bool inside;        // whether the whole tile exists
  std::int64_t left;  // columns of A and rows of B not copied yet

  __device__ __forceinline__ Copies(const Matmul::Args<double>& p,
                                    std::int64_t a_pitch_,
                                    std::int64_t b_pitch_, std::int64_t row0,
                                    std::int64_t col0)
      : a_pitch(a_pitch_), b_pitch(b_pitch_), left(p.k) {
    const int thread = threadIdx.x;
    const int a_row = thread / a_across, b_col = thread % b_across * WIDTH;
    a_col = thread % a_across * WIDTH, b_row = thread / b_across;
    a_to = S::a_place(a_row, a_col), b_to = S::b_place(b_row, b_col);
    next_a = p.a + (row0 + a_row) * a_pitch + a_col;
    next_b = p.b + b_row * b_pitch + col0 + b_col;
    rows_left =
        static_cast<int>(min(p.m - row0, std::int64_t{S::rows})) - a_row;
    has_cols = col0 + b_col < p.n;
    inside = row0 + S::rows <= p.m && col0 + S::cols <= p.n;
  }

  // A zero has no source: nothing is read for it.
  __device__ __forceinline__ static void put(double* to, const double* from,
                                             bool there) {
    __pipeline_memcpy_async(to, from, WIDTH * sizeof(double),
                            there ? 0 : WIDTH * sizeof(double));
  }

  // Starts the copies of one stage. The bits of the row steps are zero in the
  // thread's own row, so each row permutes the columns independently of the
  // other.
  template <bool TESTED>
  __device__ __forceinline__ void start(double* stage) {
    _Pragma("unroll")
    for (int r = 0; r < S::rows; r += a_step) {
      put(stage + (a_to ^ S::a_place(r, 0) % S::depth) + r * S::depth,
          next_a + r * a_pitch, !TESTED || (a_col < left && r < rows_left));
    }
    _Pragma("unroll")
    for (int i = 0; i < S::depth; i += b_step) {
      put(stage + (b_to ^ S::b_place(i, 0) % S::cols) + i * S::cols,
          next_b + i * b_pitch, !TESTED || (b_row + i < left && has_cols));
    }
    next_a += S::depth;
    next_b += S::depth * b_pitch;
    left -= S::depth;
  }

  // The same; most stages need no test.
  __device__ __forceinline__ void start(double* stage) {
    if (S::copiers < S::threads && threadIdx.x >= S::copiers) return;
    if (inside && left >= S::depth) {
      start<false>(stage);
    } else {
      start<true>(stage);
    }
  }
};

}  // namespace
