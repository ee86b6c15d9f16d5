// One thread per pixel, in a kernel for the rows and one for the columns. It
// reads everything from global memory each time: 2 radius + 1 pixels and as
// many weights, and before each it tests whether the pixel is inside the image.
// Threads near the border branch differently from their neighbours: those warps
// diverge.
//
// A warp has 32 neighbouring columns in both kernels, so that it reads whole
// cache lines; the caches do the rest. load and store: the policies to use
// (gpu/cache_policy.hpp).
#include "gpu/cache_policy.hpp"
#include "gpu/gpu.hpp"
#include "workloads/convsep.hpp"

using namespace parlab;

namespace {

template <typename T, LoadPolicy l, StorePolicy s>
__global__ void convsep_global_rows(const T* a, const T* w, T* between,
                                    std::int64_t rows, std::int64_t cols,
                                    int radius) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= cols) return;

  for (std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       row < rows; row += std::int64_t{gridDim.y} * blockDim.y) {
    T sum = 0;
    for (int k = -radius; k <= radius; ++k) {
      if (col + k >= 0 && col + k < cols) {
        sum += load<l>(w + k + radius) * load<l>(a + row * cols + col + k);
      }
    }
    store<s>(between + row * cols + col, sum);
  }
}

template <typename T, LoadPolicy l, StorePolicy s>
__global__ void convsep_global_cols(const T* between, const T* w, T* b,
                                    std::int64_t rows, std::int64_t cols,
                                    int radius) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= cols) return;

  for (std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       row < rows; row += std::int64_t{gridDim.y} * blockDim.y) {
    T sum = 0;
    for (int k = -radius; k <= radius; ++k) {
      if (row + k >= 0 && row + k < rows) {
        sum +=
            load<l>(w + k + radius) * load<l>(between + (row + k) * cols + col);
      }
    }
    store<s>(b + row * cols + col, sum);
  }
}

}  // namespace

const Register<Convsep, float, double> variant(
    {
        .rung = 0,
        .idea = "one thread per pixel, everything from global memory, tests at "
                "the border",
        .tunables = {{.name = "block_x", .fallback = 16, .min = 1, .max = 128},
                     {.name = "block_y", .fallback = 16, .min = 1, .max = 32},
                     load_policy(),
                     store_policy()},
    },
    []<typename T>(Gpu& gpu, const Convsep::Args<T>& p,
                   const Tunables& tunables) {
      const auto x = tunables["block_x"], y = tunables["block_y"];
      const LaunchConfig config{
          .grid = {ceil_div(p.cols, x), blocks_in_y(p.rows, y)},
          .block = {x, y}};
      T* between = gpu.scratch<T>(p.rows * p.cols);
      with_policies(tunables, [&]<LoadPolicy l, StorePolicy s>() {
        gpu.launch(config, convsep_global_rows<T, l, s>, p.a, p.w, between,
                   p.rows, p.cols, p.radius);
        gpu.launch(config, convsep_global_cols<T, l, s>, between, p.w, p.b,
                   p.rows, p.cols, p.radius);
      });
    });
