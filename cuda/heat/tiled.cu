// A block copies its tile and the halo, the neighbours on each side, to shared
// memory and computes from the copy: each point of the tile is read once from
// global memory. Today's caches do as much for the naive kernel, which needs no
// barrier. `temporal` keeps the tile there for several steps.
#include "steps.cuh"

namespace {

template <typename T>
__global__ void heat_tiled(const T* a, T* b, std::int64_t rows,
                           std::int64_t cols) {
  T* tile = shared_memory<T>();  // (blockDim.y + 2) rows of `width`
  const int width = blockDim.x + 2, height = blockDim.y + 2;
  // of the halo's corner
  const std::int64_t col0 = std::int64_t{blockIdx.x} * blockDim.x - 1;
  for (std::int64_t row0 = std::int64_t{blockIdx.y} * blockDim.y - 1;
       row0 + 1 < rows; row0 += std::int64_t{gridDim.y} * blockDim.y) {
    for (int y = threadIdx.y; y < height; y += blockDim.y) {
      for (int x = threadIdx.x; x < width; x += blockDim.x) {
        const std::int64_t row = row0 + y, col = col0 + x;
        if (row >= 0 && row < rows && col >= 0 && col < cols)
          tile[y * width + x] = a[row * cols + col];
      }
    }
    __syncthreads();
    const std::int64_t row = row0 + 1 + threadIdx.y,
                       col = col0 + 1 + threadIdx.x;
    if (row < rows && col < cols) {
      const T* at = tile + (threadIdx.y + 1) * width + threadIdx.x + 1;
      const bool inside =
          row > 0 && row < rows - 1 && col > 0 && col < cols - 1;
      b[row * cols + col] =
          inside ? stepped(at[0], at[-width], at[width], at[-1], at[1]) : at[0];
    }
    __syncthreads();  // before the next tile overwrites this one
  }
}

}  // namespace

const Register<Heat, float, double> variant(
    {
        .rung = 1,
        .idea = "a tile and its halo in shared memory, each point fetched "
                "about once",
        .tunables = {{.name = "block_x", .fallback = 32, .min = 1, .max = 128},
                     {.name = "block_y", .fallback = 8, .min = 1, .max = 8}},
    },
    []<typename T>(Gpu& gpu, const Heat::Args<T>& p, const Tunables& tunables) {
      const auto x = tunables["block_x"], y = tunables["block_y"];
      const auto bytes =
          static_cast<std::size_t>((x + 2) * (y + 2)) * sizeof(T);
      in_launches(gpu, p, 1, [&](const T* from, T* to, std::int64_t) {
        gpu.launch({.grid = {ceil_div(p.cols, x), blocks_in_y(p.rows, y)},
                    .block = {x, y},
                    .shared_bytes = bytes},
                   heat_tiled<T>, from, to, p.rows, p.cols);
      });
    });
