// Tiles of the result in vector registers, as in a fast matrix product (Goto
// and van de Geijn, Anatomy of high-performance matrix multiplication, 2008),
// but of one triangle only. A tile is two vectors wide and as many rows high
// as there are registers. What it reads was copied before into the order in
// which it is read, and centred on the way: no centred copy of the whole.
// Strips of all columns, `deep` rows at a time, are shared by the threads;
// each tile of rows multiplies them from the diagonal on. Tiles of rows are
// handed out as threads become free, the long ones first.
#include <omp.h>
#include <algorithm>

#include "../register_tile.hpp"
#include "parts.hpp"

using namespace parlab;

namespace {

template <typename T>
struct Blocking : RegisterTile<T> {
  static constexpr int tiles = 8;  // of rows that a thread takes at once
  // of a strip: it stays in the L1 cache
  static constexpr std::int64_t deep = 2048 / sizeof(T);
};

// A strip: `width` columns from `first` on of `depth` rows, centred, stored row
// after row; columns that are not there are zero. data, mean: at column 0.
template <int width, typename T>
void pack(const T* data, const T* mean, std::int64_t n, std::int64_t first,
          std::int64_t depth, T* packed) {
  const std::int64_t present = std::min<std::int64_t>(width, n - first);
  for (std::int64_t k = 0; k < depth; ++k) {
    const T* const row = data + k * n + first;
    for (std::int64_t j = 0; j < present; ++j)
      packed[k * width + j] = row[j] - mean[first + j];
    std::fill(packed + k * width + present, packed + (k + 1) * width, T{0});
  }
}

// Left of the diagonal only what shares a tile with it is written,
// and later overwritten.
template <typename T>
void covariance_blocked(Host& host, const Covariance::Args<T>& p, int threads) {
  using B = Blocking<T>;
  const std::int64_t n = p.n, strips = (n + B::cols - 1) / B::cols;
  const std::int64_t tiles = (n + B::rows - 1) / B::rows;
  const T* const mean = column_means(host, p, threads);
  T* const columns = host.scratch<T>(strips * B::cols * B::deep);
  T* const rows =
      host.scratch<T>(threads * std::int64_t{B::tiles} * B::rows * B::deep);

#pragma omp parallel num_threads(threads)
  for (std::int64_t k0 = 0; k0 < p.m; k0 += B::deep) {
    const std::int64_t depth = std::min(B::deep, p.m - k0);
    const T* const data = p.data + k0 * n;
#pragma omp for schedule(static)
    for (std::int64_t strip = 0; strip < strips; ++strip) {
      pack<B::cols>(data, mean, n, strip * B::cols, depth,
                    columns + strip * B::cols * depth);
    }
    T* const mine = rows + omp_get_thread_num() * std::int64_t{B::tiles} *
                               B::rows * B::deep;
#pragma omp for schedule(dynamic)
    for (std::int64_t first = 0; first < tiles; first += B::tiles) {
      const std::int64_t end = std::min(first + B::tiles, tiles);
      for (std::int64_t tile = first; tile < end; ++tile) {
        pack<B::rows>(data, mean, n, tile * B::rows, depth,
                      mine + (tile - first) * B::rows * depth);
      }
      for (std::int64_t strip = first * B::rows / B::cols; strip < strips;
           ++strip) {
        const std::int64_t col = strip * B::cols;
        for (std::int64_t tile = first; tile < end; ++tile) {
          const std::int64_t row = tile * B::rows;
          if (col + B::cols <= row) continue;  // left of the diagonal
          multiply_tile(mine + (tile - first) * B::rows * depth,
                        columns + col * depth, depth, p.cov + row * n + col, n,
                        n - row, n - col, k0 > 0);
        }
      }
    }
  }

  divide_and_mirror(p, threads);
}

}  // namespace

const Register<Covariance, float, double> variant(
    {
        .rung = 2,
        .idea = "tiles of one triangle in vector registers, strips centred and "
                "packed for the caches",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const Covariance::Args<T>& p,
                   const Tunables& tunables) {
      covariance_blocked(host, p, static_cast<int>(tunables["threads"]));
    });
