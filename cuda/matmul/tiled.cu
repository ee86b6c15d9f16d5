// The report's "tile normal". A block computes a square tile of C, a thread
// one element of it. The block walks along a row of tiles of A and down a
// column of tiles of B; each pair is copied to shared memory, one element
// of each by every thread, and then used by all of them. So global memory
// delivers every element once for `tile` uses. Parts of tiles outside the
// matrices are filled with zeros, which add nothing.
#include "gpu/gpu.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

template <typename T, int TILE>
__global__ void matmul_tiled(const T* a, const T* b, T* c, std::int64_t m,
                             std::int64_t k, std::int64_t n) {
  __shared__ T a_tile[TILE][TILE];
  __shared__ T b_tile[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const std::int64_t col = std::int64_t{blockIdx.x} * TILE + x;

  // A block takes several tiles if the grid is too small: see blocks_in_y().
  for (std::int64_t row0 = std::int64_t{blockIdx.y} * TILE; row0 < m;
       row0 += std::int64_t{gridDim.y} * TILE) {
    const std::int64_t row = row0 + y;
    T sum = 0;
    for (std::int64_t k0 = 0; k0 < k; k0 += TILE) {
      a_tile[y][x] = row < m && k0 + x < k ? a[row * k + k0 + x] : T{0};
      b_tile[y][x] = k0 + y < k && col < n ? b[(k0 + y) * n + col] : T{0};
      __syncthreads();
      _Pragma("unroll")
      for (int i = 0; i < TILE; ++i)
        sum += a_tile[y][i] * b_tile[i][x];
      __syncthreads();  // before the next pair of tiles overwrites this one
    }
    if (row < m && col < n) c[row * n + col] = sum;
  }
}

}  // namespace

const Register<Matmul, float, double, int> variant(
    {
        .rung = 2,
        .idea = "tiles of A and B in shared memory, each element fetched once "
                "for `tile` uses",
        .tunables = {{.name = "tile",
                      .fallback = 16,
                      .min = 8,
                      .max = 32,
                      .power_of_two = true}},
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p,
                   const Tunables& tunables) {
      const auto tile = tunables["tile"];
      const auto kernel = tile == 8    ? matmul_tiled<T, 8>
                          : tile == 16 ? matmul_tiled<T, 16>
                                       : matmul_tiled<T, 32>;
      const auto rows = blocks_in_y(p.m, tile);
      gpu.launch({.grid = {ceil_div(p.n, tile), rows}, .block = {tile, tile}},
                 kernel, p.a, p.b, p.c, p.m, p.k, p.n);
    });
