// The report's "thread granularity", made right. A block computes `granularity`
// tiles of C next to each other, a thread one element in each: the tile of A
// is fetched once for all of them, and an element of it, once in a register,
// serves as many products. While one set of tiles is multiplied, the next
// is on its way: each thread fetches its elements of it into registers,
// and stores them in shared memory when the multiplication is over. With
// granularity 1 this is `tiled` with prefetch.
//
// The report kept one tile of B and filled it again for each tile
// of C; here all of them are in shared memory at once, so that two
// barriers per step suffice.
#include "gpu/gpu.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

template <typename T, int TILE, int TILES>
__global__ void matmul_granularity(const T* a, const T* b, T* c, std::int64_t m,
                                   std::int64_t k, std::int64_t n) {
  __shared__ T a_tile[TILE][TILE];
  __shared__ T b_tile[TILES][TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const std::int64_t col0 = std::int64_t{blockIdx.x} * TILE * TILES + x;

  // A block takes several tiles if the grid is too small: see blocks_in_y().
  for (std::int64_t row0 = std::int64_t{blockIdx.y} * TILE; row0 < m;
       row0 += std::int64_t{gridDim.y} * TILE) {
    const std::int64_t row = row0 + y;
    T a_next, b_next[TILES], sum[TILES] = {};

    // This thread's elements of the tiles that begin at k0; zero outside the
    // matrices.
    const auto fetch = [&](std::int64_t k0) {
      a_next = row < m && k0 + x < k ? a[row * k + k0 + x] : T{0};
      _Pragma("unroll")
      for (int t = 0; t < TILES; ++t) {
        const std::int64_t col = col0 + t * TILE;
        b_next[t] = k0 + y < k && col < n ? b[(k0 + y) * n + col] : T{0};
      }
    };
    fetch(0);
    for (std::int64_t k0 = 0; k0 < k; k0 += TILE) {
      a_tile[y][x] = a_next;
      _Pragma("unroll")
      for (int t = 0; t < TILES; ++t)
        b_tile[t][y][x] = b_next[t];
      __syncthreads();
      fetch(k0 + TILE);  // the following tiles; this set is in shared memory
      _Pragma("unroll")
      for (int i = 0; i < TILE; ++i) {
        const T factor = a_tile[y][i];
        _Pragma("unroll")
        for (int t = 0; t < TILES; ++t)
          sum[t] += factor * b_tile[t][i][x];
      }
      __syncthreads();  // before the next tiles overwrite these
    }
    _Pragma("unroll")
    for (int t = 0; t < TILES; ++t) {
      const std::int64_t col = col0 + t * TILE;
      if (row < m && col < n) c[row * n + col] = sum[t];
    }
  }
}

template <typename T, int TILE>
auto granularity_kernel(std::int64_t tiles) {
  return tiles == 1   ? matmul_granularity<T, TILE, 1>
         : tiles == 2 ? matmul_granularity<T, TILE, 2>
                      : matmul_granularity<T, TILE, 4>;
}

}  // namespace

const Register<Matmul, float, double, int> variant(
    {
        .rung = 3,
        .idea = "a block computes several tiles side by side and fetches the "
                "next ones meanwhile",
        .tunables = {{.name = "tile",
                      .fallback = 16,
                      .min = 8,
                      .max = 32,
                      .power_of_two = true},
                     {.name = "granularity",
                      .fallback = 2,
                      .min = 1,
                      .max = 4,
                      .power_of_two = true}},
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p,
                   const Tunables& tunables) {
      const auto tile = tunables["tile"], tiles = tunables["granularity"];
      const auto kernel = tile == 8    ? granularity_kernel<T, 8>(tiles)
                          : tile == 16 ? granularity_kernel<T, 16>(tiles)
                                       : granularity_kernel<T, 32>(tiles);
      const auto rows = blocks_in_y(p.m, tile);
      gpu.launch(
          {.grid = {ceil_div(p.n, tile * tiles), rows}, .block = {tile, tile}},
          kernel, p.a, p.b, p.c, p.m, p.k, p.n);
    });
