// The report's exercise as three kernels, since all blocks must be done between
// means, centring and product: one thread per column for the means, one thread
// per element for the other two. A warp reads neighbouring columns, so all
// reads are coalesced. But each thread of the product fetches 2 m elements for
// its single result, and all n x n are computed although half of them are
// copies of the others.
#include "gpu/gpu.hpp"
#include "workloads/covariance.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void covariance_naive_means(const T* data, T* mean, std::int64_t m,
                                       std::int64_t n, T mean_divisor) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= n) return;

  T sum = 0;
  for (std::int64_t row = 0; row < m; ++row)
    sum += data[row * n + col];
  mean[col] = sum / mean_divisor;
}

template <typename T>
__global__ void covariance_naive_centre(const T* data, const T* mean,
                                        T* centred, std::int64_t m,
                                        std::int64_t n) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= n) return;

  // A block takes several rows if the grid is too small: see blocks_in_y().
  for (std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       row < m; row += std::int64_t{gridDim.y} * blockDim.y) {
    centred[row * n + col] = data[row * n + col] - mean[col];
  }
}

template <typename T>
__global__ void covariance_naive_product(const T* centred, T* cov,
                                         std::int64_t m, std::int64_t n,
                                         T divisor) {
  const std::int64_t j = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t i = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;

  T sum = 0;
  for (std::int64_t k = 0; k < m; ++k)
    sum += centred[k * n + i] * centred[k * n + j];
  cov[i * n + j] = sum / divisor;
}

}  // namespace

const Register<Covariance, float, double> variant(
    {
        .rung = 1,
        .id = 0,
        .idea = "one thread per column, then one per element of the full "
                "matrix; three kernels",
        .tunables = {{.name = "tile",
                      .fallback = 16,
                      .min = 8,
                      .max = 32,
                      .power_of_two = true}},
    },
    []<typename T>(Gpu& gpu, const Covariance::Args<T>& p,
                   const Tunables& tunables) {
      const auto tile = tunables["tile"];
      T* const mean = gpu.scratch<T>(p.n);
      T* const centred = gpu.scratch<T>(p.m * p.n);
      const auto across = ceil_div(p.n, tile);
      const auto down = blocks_in_y(p.m, tile);
      gpu.launch({.grid = {ceil_div(p.n, tile * tile)}, .block = {tile * tile}},
                 covariance_naive_means<T>, p.data, mean, p.m, p.n,
                 p.mean_divisor);
      gpu.launch({.grid = {across, down}, .block = {tile, tile}},
                 covariance_naive_centre<T>, p.data, mean, centred, p.m, p.n);
      gpu.launch({.grid = {across, across}, .block = {tile, tile}},
                 covariance_naive_product<T>, centred, p.cov, p.m, p.n,
                 p.divisor);
    });
