// The same work in an order that goes along rows. The column sums are one row,
// to which all rows are added. A row of the result is the sum of all centred
// rows, each times one of its own elements: the innermost loop reads neighbours
// and adds to neighbours, several at once, and no sum is reordered.
#include <algorithm>

#include "host/host.hpp"
#include "workloads/covariance.hpp"

using namespace parlab;

namespace {

// centred: m x n, mean: n.
template <typename T>
void covariance_serial_rows(const Covariance::Args<T>& p,
                            T* __restrict__ centred, T* __restrict__ mean) {
  const std::int64_t m = p.m, n = p.n;
  std::fill(mean, mean + n, T{0});
  for (std::int64_t k = 0; k < m; ++k) {
    for (std::int64_t j = 0; j < n; ++j)
      mean[j] += p.data[k * n + j];
  }

  for (std::int64_t j = 0; j < n; ++j)
    mean[j] /= p.mean_divisor;
  for (std::int64_t k = 0; k < m; ++k) {
    for (std::int64_t j = 0; j < n; ++j)
      centred[k * n + j] = p.data[k * n + j] - mean[j];
  }

  for (std::int64_t i = 0; i < n; ++i) {
    T* const row = p.cov + i * n;
    std::fill(row + i, row + n, T{0});
    for (std::int64_t k = 0; k < m; ++k) {
      const T factor = centred[k * n + i];
#pragma omp simd
      for (std::int64_t j = i; j < n; ++j)
        row[j] += factor * centred[k * n + j];
    }
    for (std::int64_t j = i; j < n; ++j)
      p.cov[j * n + i] = row[j] /= p.divisor;
  }
}

}  // namespace

const Register<Covariance, float, double> variant(
    {
        .rung = 1,
        .idea = "loops exchanged: a row of the result is a sum of rows",
    },
    []<typename T>(Host& host, const Covariance::Args<T>& p, const Tunables&) {
      covariance_serial_rows(p, host.scratch<T>(p.m * p.n),
                             host.scratch<T>(p.n));
    });
