// The centred copy, and syrk of cuBLAS: one triangle, half the work of gemm. A
// pass over it divides and writes the mirror image, which it turns in shared
// memory so that a warp writes neighbours.
#include "gpu/cublas.hpp"

#include "../../cuda/covariance/centred.cuh"

using namespace parlab;

namespace {

// Blocks of 32 x 8 threads, one for each tile of 32 x 32 of the upper triangle.
template <typename T>
__global__ void covariance_divide_and_mirror(T* cov, std::int64_t n,
                                             std::int64_t tiles, T divisor) {
  __shared__ T tile[32][33];  // one more: a warp reads a column of it
  const auto place = Covariance::packed_place(blockIdx.x, tiles);
  const std::int64_t i0 = place.row * 32, j0 = place.col * 32;
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += 8) {
    const std::int64_t i = i0 + y, j = j0 + x;
    if (i > j || j >= n) continue;
    cov[i * n + j] = tile[y][x] = cov[i * n + j] / divisor;
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) {
    const std::int64_t i = i0 + x, j = j0 + y;
    if (i < j && j < n) cov[j * n + i] = tile[x][y];
  }
}

}  // namespace

const Register<Covariance, float, double> variant(
    {
        .rung = 101,
        .idea =
            "syrk of cuBLAS on the centred copy: one triangle, then mirrored",
        .units = {{Dtype::f64, "tensor double"}},
    },
    []<typename T>(Gpu& gpu, const Covariance::Args<T>& p, const Tunables&) {
      const T* const centred = centred_copy(gpu, p, p.m, p.n);

      // The upper triangle in rows is the lower one in columns.
      Cublas::on(gpu).syrk(CUBLAS_FILL_MODE_LOWER, p.n, p.m, centred, p.cov);
      const auto tiles = ceil_div(p.n, 32);
      gpu.launch({.grid = {Covariance::packed_count(tiles)}, .block = {32, 8}},
                 covariance_divide_and_mirror<T>, p.cov, p.n, tiles, p.divisor);
    });
