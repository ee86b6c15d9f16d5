// The loops of `rows`, over tiles. All rows of C are computed from one tile of
// B before the next: the tile, 128 KiB, stays in the L2 cache of each core, and
// B comes from memory once per thread, not once per row. The updated part of a
// row of C, 4 KiB, stays in the L1 cache for as many rows of B as the tile has.
// But each multiply-add still loads and stores C there.
#include <algorithm>

#include "host/host.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

constexpr std::int64_t tile_rows = 32, tile_row_bytes = 4096;

template <typename T>
void matmul_tiles(const T* a, const T* b, T* __restrict__ c, std::int64_t m,
                  std::int64_t k, std::int64_t n, int threads) {
  constexpr std::int64_t tile_cols = tile_row_bytes / sizeof(T);
#pragma omp parallel num_threads(threads)
  for (std::int64_t left = 0; left < n; left += tile_cols) {
    const auto right = std::min(left + tile_cols, n);
    for (std::int64_t top = 0; top < k; top += tile_rows) {
      const auto bottom = std::min(top + tile_rows, k);
      // each thread has the same rows every time, so none waits
#pragma omp for schedule(static) nowait
      for (std::int64_t row = 0; row < m; ++row) {
        T* const c_row = c + row * n;
        if (top == 0) std::fill(c_row + left, c_row + right, T{0});
        for (auto i = top; i < bottom; ++i) {
          const T factor = a[row * k + i];
#pragma omp simd
          for (auto col = left; col < right; ++col)
            c_row[col] += factor * b[i * n + col];
        }
      }
    }
  }
}

}  // namespace

const Register<Matmul, float, double, int> variant(
    {
        .rung = 2,
        .idea = "loops over tiles: a tile of B stays in the cache for all rows",
        .tunables = {threads()},
    },
    []<typename T>(Host&, const Matmul::Args<T>& p, const Tunables& tunables) {
      matmul_tiles(p.a, p.b, p.c, p.m, p.k, p.n,
                   static_cast<int>(tunables["threads"]));
    });
