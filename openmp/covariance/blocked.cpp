// Tiles of the result in vector registers, as in a fast matrix product (Goto
// and van de Geijn, Anatomy of high-performance matrix multiplication, 2008),
// but of one triangle only. A tile is two vectors wide and as many rows high as
// there are registers. Its inputs are first copied into the order in which they
// are read, and centred on the way, so no centred copy of the whole is made.
// The threads share strips of all columns, `deep` rows at a time. Each tile of
// rows multiplies them from the diagonal on. Tiles of rows are handed out as
// threads become free, the long ones first.
#include <omp.h>
#include <algorithm>

#include "../register_tile.hpp"
#include "pack.hpp"
#include "parts.hpp"

using namespace parlab;

namespace {

template <typename T>
struct Blocking : RegisterTile<T> {
  static constexpr int tiles = 8;  // tiles of rows that a thread takes at once
  // rows of a strip, which stays in the L1 cache
  static constexpr std::int64_t deep = 2048 / sizeof(T);
};

// Left of the diagonal, only tiles that touch it are written, and are later
// overwritten.
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
#pragma omp for schedule(static)
    for (std::int64_t strip = 0; strip < strips; ++strip) {
      const auto col = strip * B::cols;
      const auto cols = std::min<std::int64_t>(B::cols, n - col);
      pack_centred(p, mean, col, cols, k0, depth, whole_vectors<T>(cols),
                   columns + col * depth);
    }
    T* const mine = rows + omp_get_thread_num() * std::int64_t{B::tiles} *
                               B::rows * B::deep;
#pragma omp for schedule(dynamic)
    for (std::int64_t first = 0; first < tiles; first += B::tiles) {
      const std::int64_t end = std::min(first + B::tiles, tiles);
      for (std::int64_t tile = first; tile < end; ++tile) {
        const auto row = tile * B::rows;
        const auto count = std::min<std::int64_t>(B::rows, n - row);
        pack_centred(p, mean, row, count, k0, depth, count,
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
                        std::min<std::int64_t>(B::rows, n - row),
                        std::min<std::int64_t>(B::cols, n - col), k0 > 0);
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
