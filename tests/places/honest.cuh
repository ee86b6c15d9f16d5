// The kernel that planted variants start from: one thread per row of a
// matrix-vector product, correct as it stands.
#pragma once

#include "gpu/gpu.hpp"

namespace {

__global__ void honest(const float* a, const float* x, float* y,
                       std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (std::int64_t col = 0; col < cols; ++col)
    sum += a[row * cols + col] * x[col];
  y[row] = sum;
}

}  // namespace
