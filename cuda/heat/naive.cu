// One thread per point and one launch per step: a launch ends when all its
// blocks have, which is the barrier that the steps need. A thread reads its
// point and its four neighbours from global memory. The caches catch four of
// these five reads, and each point comes from memory once per step.
#include "steps.cuh"

namespace {

template <typename T>
__global__ void heat_naive(const T* a, T* b, std::int64_t rows,
                           std::int64_t cols) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= cols) return;

  // A thread takes several rows if the grid is too small: see blocks_in_y().
  for (std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       row < rows; row += std::int64_t{gridDim.y} * blockDim.y) {
    const T* at = a + row * cols + col;
    const bool inside = row > 0 && row < rows - 1 && col > 0 && col < cols - 1;
    b[row * cols + col] =
        inside ? stepped(at[0], at[-cols], at[cols], at[-1], at[1]) : at[0];
  }
}

}  // namespace

const Register<Heat, float, double> variant(
    {
        .rung = 0,
        .idea = "one thread per point, one launch per step",
        .tunables = {{.name = "block_x", .fallback = 32, .min = 1, .max = 128},
                     {.name = "block_y", .fallback = 8, .min = 1, .max = 8}},
    },
    []<typename T>(Gpu& gpu, const Heat::Args<T>& p, const Tunables& tunables) {
      const auto x = tunables["block_x"], y = tunables["block_y"];
      in_launches(gpu, p, 1, [&](const T* from, T* to, std::int64_t) {
        gpu.launch({.grid = {ceil_div(p.cols, x), blocks_in_y(p.rows, y)},
                    .block = {x, y}},
                   heat_naive<T>, from, to, p.rows, p.cols);
      });
    });
