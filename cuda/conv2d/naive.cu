// The report's kernel: one thread per point, nine reads from global memory, the
// weights as constants in the code. A warp covers neighbouring points of a row
// (of two rows, if blocks are 16 wide), so each of its reads is contiguous.
// Each point of a is read nine times; the caches have to make sure that memory
// delivers it only once.
#include "gpu/gpu.hpp"
#include "workloads/conv2d.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void conv2d_naive(const T* a, T* b, std::int64_t rows,
                             std::int64_t cols) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col == 0 || col >= cols - 1) return;  // the border keeps its value

  // A thread takes several rows if the grid is too small: see blocks_in_y().
  for (std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       row < rows - 1; row += std::int64_t{gridDim.y} * blockDim.y) {
    if (row == 0) continue;
    T sum = 0;
    _Pragma("unroll")
    for (int down = -1; down <= 1; ++down) {
      _Pragma("unroll")
      for (int across = -1; across <= 1; ++across) {
        sum += Conv2d::weight<T>(down, across) *
               a[(row + down) * cols + col + across];
      }
    }
    b[row * cols + col] = sum;
  }
}

}  // namespace

const Register<Conv2d, float, double> variant(
    {
        .rung = 0,
        .id = 0,
        .idea = "one thread per point, nine reads from global memory",
        .tunables = {{.name = "block_x", .fallback = 16, .min = 1, .max = 128},
                     {.name = "block_y", .fallback = 16, .min = 1, .max = 32}},
    },
    []<typename T>(Gpu& gpu, const Conv2d::Args<T>& p,
                   const Tunables& tunables) {
      const auto x = tunables["block_x"], y = tunables["block_y"];
      const auto rows = blocks_in_y(p.rows, y);
      gpu.launch({.grid = {ceil_div(p.cols, x), rows}, .block = {x, y}},
                 conv2d_naive<T>, p.a, p.b, p.rows, p.cols);
    });
