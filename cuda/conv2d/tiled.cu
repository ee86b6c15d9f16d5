// A tile of a in shared memory. A block copies the points of its tile and the
// halo, one row or column of neighbours on each side, and computes from the
// copy. Each point of a tile is read once from global memory; only points of
// the halo are read by two blocks or more. The wider and taller the tile, the
// smaller the share of the halo.
#include "gpu/gpu.hpp"
#include "workloads/conv2d.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void conv2d_tiled(const T* a, T* b, std::int64_t rows,
                             std::int64_t cols) {
  T* tile = shared_memory<T>();  // (blockDim.y + 2) rows of `width`
  const int width = blockDim.x + 2, height = blockDim.y + 2;
  // of the halo's corner
  const std::int64_t col0 = std::int64_t{blockIdx.x} * blockDim.x;
  for (std::int64_t row0 = std::int64_t{blockIdx.y} * blockDim.y; row0 < rows;
       row0 += std::int64_t{gridDim.y} * blockDim.y) {
    for (int y = threadIdx.y; y < height; y += blockDim.y) {
      for (int x = threadIdx.x; x < width; x += blockDim.x) {
        if (row0 + y < rows && col0 + x < cols) {
          tile[y * width + x] = a[(row0 + y) * cols + col0 + x];
        }
      }
    }
    __syncthreads();
    const std::int64_t row = row0 + 1 + threadIdx.y,
                       col = col0 + 1 + threadIdx.x;
    if (row < rows - 1 && col < cols - 1) {
      const T* corner = tile + threadIdx.y * width + threadIdx.x;
      T sum = 0;
      _Pragma("unroll")
      for (int i = 0; i < 3; ++i) {
        _Pragma("unroll")
        for (int j = 0; j < 3; ++j)
          sum += Conv2d::weight<T>(i - 1, j - 1) * corner[i * width + j];
      }
      b[row * cols + col] = sum;
    }
    __syncthreads();  // before the next tile overwrites this one
  }
}

}  // namespace

const Register<Conv2d, float, double> variant(
    {
        .rung = 2,
        .idea = "a tile and its halo in shared memory, each point fetched "
                "about once",
        .tunables = {{.name = "block_x", .fallback = 32, .min = 1, .max = 128},
                     {.name = "block_y", .fallback = 16, .min = 1, .max = 32}},
    },
    []<typename T>(Gpu& gpu, const Conv2d::Args<T>& p,
                   const Tunables& tunables) {
      const auto x = tunables["block_x"], y = tunables["block_y"];
      const auto rows = blocks_in_y(p.rows, y);
      const auto bytes =
          static_cast<std::size_t>((x + 2) * (y + 2)) * sizeof(T);
      gpu.launch({.grid = {ceil_div(p.cols, x), rows},
                  .block = {x, y},
                  .shared_bytes = bytes},
                 conv2d_tiled<T>, p.a, p.b, p.rows, p.cols);
    });
