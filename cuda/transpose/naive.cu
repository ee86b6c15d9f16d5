// One thread per element. The threads of a warp read neighbouring elements of a
// row of a, 128 bytes in one piece. They write neighbouring elements of a
// column of b, each into a line of its own: 32 pieces, and only a few bytes of
// each are used.
#include "gpu/gpu.hpp"
#include "workloads/transpose.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void transpose_naive(const T* a, T* b, std::int64_t rows,
                                std::int64_t cols) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= cols) return;

  // A thread takes several rows if the grid is too small: see blocks_in_y().
  for (std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       row < rows; row += std::int64_t{gridDim.y} * blockDim.y) {
    b[col * rows + row] = a[row * cols + col];
  }
}

}  // namespace

const Register<Transpose, float, double> variant(
    {
        .rung = 0,
        .idea = "one thread per element, coalesced reads, strided writes",
        .tunables = {{.name = "block_x", .fallback = 32, .min = 1, .max = 128},
                     {.name = "block_y", .fallback = 8, .min = 1, .max = 8}},
    },
    []<typename T>(Gpu& gpu, const Transpose::Args<T>& p,
                   const Tunables& tunables) {
      const auto x = tunables["block_x"], y = tunables["block_y"];
      gpu.launch({.grid = {ceil_div(p.cols, x), blocks_in_y(p.rows, y)},
                  .block = {x, y}},
                 transpose_naive<T>, p.a, p.b, p.rows, p.cols);
    });
