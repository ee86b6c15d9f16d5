// The product of two packed panels, as in matmul, but of one triangle. Both
// panels are the columns of the centred matrix, in strips as wide as a tile is
// high or wide. Centring, packing, multiplying, dividing and mirroring are one
// pass: a tile with its last value is divided, and copied to its place in the
// other triangle while it is in the cache.
#include "../panels.hpp"
#include "pack.hpp"
#include "parts.hpp"

using namespace parlab;

namespace {

// Divides and mirrors rows row..row+rows and columns col..col+cols of p.cov,
// except left of the diagonal.
template <typename T>
void divide_and_mirror_tile(const Covariance::Args<T>& p, std::int64_t row,
                            std::int64_t col, std::int64_t rows,
                            std::int64_t cols) {
  for (auto i = row; i < row + rows; ++i) {
    for (auto j = std::max(i, col); j < col + cols; ++j)
      p.cov[i * p.n + j] /= p.divisor;
  }
  for (auto j = std::max(row + 1, col); j < col + cols; ++j) {
    for (auto i = row; i < std::min(row + rows, j); ++i)
      p.cov[j * p.n + i] = p.cov[i * p.n + j];
  }
}

template <typename T>
void covariance_panels(Host& host, const Covariance::Args<T>& p, int threads) {
  const T* const mean = column_means(host, p, threads);
  multiply_panels(
      host, {.m = p.n, .k = p.m, .n = p.n, .triangle = true}, p.cov, threads,
      [&](std::int64_t row, std::int64_t rows, std::int64_t k0,
          std::int64_t depth,
          T* to) { pack_centred(p, mean, row, rows, k0, depth, rows, to); },
      [&](std::int64_t col, std::int64_t cols, std::int64_t k0,
          std::int64_t depth, T* to) {
        pack_centred(p, mean, col, cols, k0, depth, whole_vectors<T>(cols), to);
      },
      [&](auto... tile) { divide_and_mirror_tile(p, tile...); });
}

}  // namespace

const Register<Covariance, float, double> variant(
    {
        .rung = 3,
        .idea = "one triangle of a product of panels that all threads pack, "
                "divided and mirrored tile by tile",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const Covariance::Args<T>& p,
                   const Tunables& tunables) {
      covariance_panels(host, p, static_cast<int>(tunables["threads"]));
    });
