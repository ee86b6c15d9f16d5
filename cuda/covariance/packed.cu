// The report's attempt: the result is the upper triangle alone, packed row
// after row in half the memory. The tiles are those of `mirror`; element (i,j)
// goes to packed_index(i,j), and there is no second store. The grid has one
// block per tile of the triangle, and no block reads another's results, so
// neither an index beyond the end nor an unfinished element can occur.
#include "centred.cuh"

using namespace parlab;

namespace {

template <typename T, int TILE>
__global__ void covariance_packed(const T* centred, T* cov_packed,
                                  std::int64_t m, std::int64_t n,
                                  std::int64_t tiles, T divisor) {
  __shared__ T left[TILE][TILE], right[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const auto place = Covariance::packed_place(blockIdx.x, tiles);
  const std::int64_t i0 = place.row * TILE, j0 = place.col * TILE;
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

  const std::int64_t i = i0 + y, j = j0 + x;
  if (i <= j && j < n)
    cov_packed[Covariance::packed_index(i, j, n)] = sum / divisor;
}

}  // namespace

const Register<Covariance, float, double> variant(
    {
        .rung = 4,
        .id = 3,
        .idea = "as mirror, but only the upper triangle is stored, packed",
        .tunables = {{.name = "tile",
                      .fallback = 16,
                      .min = 8,
                      .max = 32,
                      .power_of_two = true}},
        .outputs = {"cov_packed"},
    },
    []<typename T>(Gpu& gpu, const Covariance::Args<T>& p,
                   const Tunables& tunables) {
      const auto tile = tunables["tile"], tiles = ceil_div(p.n, tile);
      const T* const centred = centred_copy(gpu, p, p.m, p.n);
      const auto kernel = tile == 8    ? covariance_packed<T, 8>
                          : tile == 16 ? covariance_packed<T, 16>
                                       : covariance_packed<T, 32>;
      gpu.launch(
          {.grid = {Covariance::packed_count(tiles)}, .block = {tile, tile}},
          kernel, centred, p.cov_packed, p.m, p.n, tiles, p.divisor);
    });
