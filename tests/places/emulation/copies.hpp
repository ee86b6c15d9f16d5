// Shared by the planted kernels with bulk copies.
#pragma once

#include "gpu/warpgroup.hpp"

namespace planted {

// A row of n floats, copied in boxes of 32.
__device__ inline parlab::TensorMap row_of_boxes(const float* in, int n) {
  return {.element = parlab::MapElement::float32,
          .data = in,
          .extent = {n, 1, 1},
          .pitch = {16, 16},
          .box = {32, 1, 1},
          .swizzle = 0};
}
constexpr int box_bytes = 128;

__device__ inline void make_barrier(parlab::Barrier& barrier, int arrivals) {
  if (threadIdx.x == 0) {
    parlab::init_barrier(barrier, arrivals);
    parlab::publish_barriers();
  }
  __syncthreads();
}

// Announces a box of the row that begins at x, and asks for it.
__device__ inline void ask_for_box(float* tile, parlab::Barrier& full,
                                   const float* in, int n, int x) {
  parlab::arrive_expecting(full, box_bytes);
  parlab::load_box(tile, row_of_boxes(in, n), full, x, 0);
}

}  // namespace planted
