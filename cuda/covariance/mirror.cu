// The same tiles, but only those of the upper triangle: half the work. The grid
// has one block per tile of that triangle, numbered row by row as in the packed
// form. The other half is a mirror image: a block writes its tile twice, the
// second time transposed. The tile is turned in shared memory, so that a warp
// writes neighbours both times.
#include "centred.cuh"

using namespace parlab;

namespace {

template <typename T, int TILE>
__global__ void covariance_mirror(const T* centred, T* cov, std::int64_t m,
                                  std::int64_t n, std::int64_t tiles,
                                  T divisor) {
  __shared__ T left[TILE][TILE], right[TILE][TILE];
  __shared__ T turned[TILE][TILE + 1];  // one more: a warp reads a column of it
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

  sum /= divisor;
  if (i0 + y < n && j0 + x < n) cov[(i0 + y) * n + j0 + x] = sum;
  // for the whole block: a tile on the diagonal is its own mirror image
  if (i0 == j0) return;

  turned[y][x] = sum;
  __syncthreads();
  if (j0 + y < n && i0 + x < n) cov[(j0 + y) * n + i0 + x] = turned[x][y];
}

}  // namespace

const Register<Covariance, float, double> variant(
    {
        .rung = 3,
        .id = 2,
        .idea = "tiles of the upper triangle only, each stored twice, the "
                "second time mirrored",
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
      const auto kernel = tile == 8    ? covariance_mirror<T, 8>
                          : tile == 16 ? covariance_mirror<T, 16>
                                       : covariance_mirror<T, 32>;
      gpu.launch(
          {.grid = {Covariance::packed_count(tiles)}, .block = {tile, tile}},
          kernel, centred, p.cov, p.m, p.n, tiles, p.divisor);
    });
