// The report's product as it was meant: a block computes a square tile of the
// result, a thread one element. Step by step down the columns, the block
// copies two pieces of `tile` rows to shared memory: the columns that are the
// tile's rows, and those that are its columns. All its threads use both. Both
// come from the same matrix, along its rows: D^T D needs no transposed reads.
// Parts outside the matrix are zeros, which add nothing. The full matrix is
// computed.
#include "centred.cuh"

using namespace parlab;

namespace {

template <typename T, int TILE>
__global__ void covariance_tiled(const T* centred, T* cov, std::int64_t m,
                                 std::int64_t n, T divisor) {
  __shared__ T left[TILE][TILE], right[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const std::int64_t i0 = std::int64_t{blockIdx.y} * TILE,
                     j0 = std::int64_t{blockIdx.x} * TILE;
  T sum = 0;
  for (std::int64_t k0 = 0; k0 < m; k0 += TILE) {
    const T* const row = centred + (k0 + y) * n;
    left[y][x] = k0 + y < m && i0 + x < n ? row[i0 + x] : T{0};
    right[y][x] = k0 + y < m && j0 + x < n ? row[j0 + x] : T{0};
    __syncthreads();
    _Pragma("unroll")
    for (int k = 0; k < TILE; ++k)
      sum += left[k][y] * right[k][x];
    __syncthreads();  // before the next pieces overwrite these
  }

  if (i0 + y < n && j0 + x < n) cov[(i0 + y) * n + j0 + x] = sum / divisor;
}

}  // namespace

const Register<Covariance, float, double> variant(
    {
        .rung = 2,
        .id = 1,
        .idea = "tiles in shared memory, each element fetched once for `tile` "
                "uses; full matrix",
        .tunables = {{.name = "tile",
                      .fallback = 16,
                      .min = 8,
                      .max = 32,
                      .power_of_two = true}},
    },
    []<typename T>(Gpu& gpu, const Covariance::Args<T>& p,
                   const Tunables& tunables) {
      const auto tile = tunables["tile"], tiles = ceil_div(p.n, tile);
      const T* const centred = centred_copy(gpu, p, p.m, p.n);
      const auto kernel = tile == 8    ? covariance_tiled<T, 8>
                          : tile == 16 ? covariance_tiled<T, 16>
                                       : covariance_tiled<T, 32>;
      gpu.launch({.grid = {tiles, tiles}, .block = {tile, tile}}, kernel,
                 centred, p.cov, p.m, p.n, p.divisor);
    });
