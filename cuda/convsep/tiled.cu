// Tiles in shared memory. A block copies the pixels of its tile and the apron,
// `radius` more on either side along the filter, and computes from the copy.
// Instead of 2 radius + 1 reads per pixel from global memory there are (w1 + 2
// radius) / w1 in the row pass and (h2 + 2 radius) / h2 in the column pass. The
// longer the tile along the filter, the smaller the share of the apron.
//
// Block and tile are chosen separately. If the tile is larger, a thread
// computes several pixels of it, one block apart. load and store: the policies
// to use (gpu/cache_policy.hpp).
#include "gpu/cache_policy.hpp"
#include "gpu/gpu.hpp"
#include "workloads/convsep.hpp"

using namespace parlab;

namespace {

__constant__ float convsep_tiled_float[Convsep::max_taps];
__constant__ double convsep_tiled_double[Convsep::max_taps];

__device__ float convsep_tiled_weight(float, int k) {
  return convsep_tiled_float[k];
}
__device__ double convsep_tiled_weight(double, int k) {
  return convsep_tiled_double[k];
}

template <typename T, LoadPolicy l, StorePolicy s>
__global__ void convsep_tiled_rows(const T* a, T* between, std::int64_t rows,
                                   std::int64_t cols, int radius, int w,
                                   int h) {
  T* tile = shared_memory<T>();  // h rows of `width`
  const int width = w + 2 * radius;
  const std::int64_t col0 = std::int64_t{blockIdx.x} * w;
  for (std::int64_t row0 = std::int64_t{blockIdx.y} * h; row0 < rows;
       row0 += std::int64_t{gridDim.y} * h) {
    for (int y = threadIdx.y; y < h; y += blockDim.y) {
      for (int x = threadIdx.x; x < width; x += blockDim.x) {
        const std::int64_t row = row0 + y, col = col0 + x - radius;
        const bool inside = row < rows && col >= 0 && col < cols;
        tile[y * width + x] = inside ? load<l>(a + row * cols + col) : T{0};
      }
    }
    __syncthreads();
    for (int y = threadIdx.y; y < h; y += blockDim.y) {
      for (int x = threadIdx.x; x < w; x += blockDim.x) {
        if (row0 + y >= rows || col0 + x >= cols) continue;
        T sum = 0;
        for (int k = 0; k <= 2 * radius; ++k) {
          sum += convsep_tiled_weight(T{}, k) * tile[y * width + x + k];
        }
        store<s>(between + (row0 + y) * cols + col0 + x, sum);
      }
    }
    __syncthreads();  // before the next tile overwrites this one
  }
}

template <typename T, LoadPolicy l, StorePolicy s>
__global__ void convsep_tiled_cols(const T* between, T* b, std::int64_t rows,
                                   std::int64_t cols, int radius, int w,
                                   int h) {
  T* tile = shared_memory<T>();  // h + 2 radius rows of w
  const int height = h + 2 * radius;
  const std::int64_t col0 = std::int64_t{blockIdx.x} * w;
  for (std::int64_t row0 = std::int64_t{blockIdx.y} * h; row0 < rows;
       row0 += std::int64_t{gridDim.y} * h) {
    for (int y = threadIdx.y; y < height; y += blockDim.y) {
      for (int x = threadIdx.x; x < w; x += blockDim.x) {
        const std::int64_t row = row0 + y - radius, col = col0 + x;
        const bool inside = row >= 0 && row < rows && col < cols;
        tile[y * w + x] = inside ? load<l>(between + row * cols + col) : T{0};
      }
    }
    __syncthreads();
    for (int y = threadIdx.y; y < h; y += blockDim.y) {
      for (int x = threadIdx.x; x < w; x += blockDim.x) {
        if (row0 + y >= rows || col0 + x >= cols) continue;
        T sum = 0;
        for (int k = 0; k <= 2 * radius; ++k) {
          sum += convsep_tiled_weight(T{}, k) * tile[(y + k) * w + x];
        }
        store<s>(b + (row0 + y) * cols + col0 + x, sum);
      }
    }
    __syncthreads();
  }
}

}  // namespace

const Register<Convsep, float, double> variant(
    {
        .rung = 3,
        .idea = "tiles and their aprons in shared memory, each pixel fetched a "
                "few times at most",
        .tunables = {{.name = "block_x", .fallback = 32, .min = 1, .max = 256},
                     {.name = "block_y", .fallback = 8, .min = 1, .max = 32},
                     {.name = "w1", .fallback = 128, .min = 1, .max = 1024},
                     {.name = "h1", .fallback = 8, .min = 1, .max = 1024},
                     {.name = "w2", .fallback = 32, .min = 1, .max = 1024},
                     {.name = "h2", .fallback = 64, .min = 1, .max = 1024},
                     load_policy(),
                     store_policy()},
    },
    []<typename T>(Gpu& gpu, const Convsep::Args<T>& p,
                   const Tunables& tunables) {
      const int w1 = static_cast<int>(tunables["w1"]),
                h1 = static_cast<int>(tunables["h1"]);
      const int w2 = static_cast<int>(tunables["w2"]),
                h2 = static_cast<int>(tunables["h2"]);
      const auto config = [&](int w, int h, std::int64_t elements) {
        return LaunchConfig{
            .grid = {ceil_div(p.cols, w), blocks_in_y(p.rows, h)},
            .block = {tunables["block_x"], tunables["block_y"]},
            .shared_bytes = static_cast<std::size_t>(elements) * sizeof(T)};
      };
      if constexpr (std::is_same_v<T, float>) {
        gpu.copy_to_constant(convsep_tiled_float, p.w, 2 * p.radius + 1);
      } else {
        gpu.copy_to_constant(convsep_tiled_double, p.w, 2 * p.radius + 1);
      }
      T* between = gpu.scratch<T>(p.rows * p.cols);
      with_policies(tunables, [&]<LoadPolicy l, StorePolicy s>() {
        gpu.launch(config(w1, h1, (w1 + 2 * p.radius) * h1),
                   convsep_tiled_rows<T, l, s>, p.a, between, p.rows, p.cols,
                   p.radius, w1, h1);
        gpu.launch(config(w2, h2, w2 * (h2 + 2 * p.radius)),
                   convsep_tiled_cols<T, l, s>, between, p.b, p.rows, p.cols,
                   p.radius, w2, h2);
      });
    });
