// The report's first kernel. The matrix is cut into squares of block x block
// elements. A block of threads takes one square; a thread takes the part of one
// row inside it and adds its sum to y with an atomic. Neighbouring threads read
// addresses a whole row apart: every load of a warp touches 32 sectors of
// memory and uses one element of each.
#include "gpu/gpu.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void dmv_naive(const T* a, const T* x, T* y, std::int64_t rows,
                          std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;

  // A block takes several strips if the grid is too small: see blocks_in_y().
  for (std::int64_t strip = blockIdx.y; strip * blockDim.x < cols;
       strip += gridDim.y) {
    const std::int64_t first = strip * blockDim.x;
    const std::int64_t last = min(first + blockDim.x, cols);
    T sum = 0;
    for (std::int64_t col = first; col < last; ++col)
      sum += a[row * cols + col] * x[col];
    atomicAdd(&y[row], sum);
  }
}

}  // namespace

const Register<Dmv, float, double> variant(
    {
        .rung = 1,
        .id = 0,
        .idea = "a thread sums a piece of one row; neighbours read a row "
                "apart; atomics",
        .tunables = {block_size()},
    },
    []<typename T>(Gpu& gpu, const Dmv::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      const auto strips = blocks_in_y(p.cols, block);
      gpu.clear(p.y, p.rows * sizeof(T));
      gpu.launch({.grid = {ceil_div(p.rows, block), strips}, .block = {block}},
                 dmv_naive<T>, p.a, p.x, p.y, p.rows, p.cols);
    });
