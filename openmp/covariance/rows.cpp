// Threads take the rows of the upper triangle one by one: row i has n - i
// elements, so equal numbers of rows would be unequal work. A row is the sum of
// all centred rows, each times one of its own elements; the innermost loop is
// vectorised. But the whole centred copy passes through the caches for every
// row.
#include <algorithm>

#include "parts.hpp"

using namespace parlab;

namespace {

template <typename T>
void covariance_rows(const Covariance::Args<T>& p,
                     const T* __restrict__ centred, int threads) {
  const std::int64_t m = p.m, n = p.n;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t i = 0; i < n; ++i) {
    T* const row = p.cov + i * n;
    std::fill(row + i, row + n, T{0});
    for (std::int64_t k = 0; k < m; ++k) {
      const T factor = centred[k * n + i];
#pragma omp simd
      for (std::int64_t j = i; j < n; ++j)
        row[j] += factor * centred[k * n + j];
    }
  }
}

}  // namespace

const Register<Covariance, float, double> variant(
    {
        .rung = 1,
        .idea = "rows of one triangle in parallel, each a sum of rows",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const Covariance::Args<T>& p,
                   const Tunables& tunables) {
      const int threads = static_cast<int>(tunables["threads"]);
      covariance_rows(p, centred_copy(host, p, threads), threads);
      divide_and_mirror(p, threads);
    });
