// The loops of PolyBench, in its order: the code that everybody writes first,
// and the baseline of every speedup. An element of the result is a sum down two
// columns, so each step reads two elements from two different cache lines. Only
// i <= j is computed; the other triangle is a copy.
#include "host/host.hpp"
#include "workloads/covariance.hpp"

using namespace parlab;

namespace {

// centred: m x n, mean: n.
template <typename T>
void covariance_plain(const Covariance::Args<T>& p, T* centred, T* mean) {
  const std::int64_t m = p.m, n = p.n;
  for (std::int64_t j = 0; j < n; ++j) {
    T sum = 0;
    for (std::int64_t k = 0; k < m; ++k)
      sum += p.data[k * n + j];
    mean[j] = sum / p.mean_divisor;
  }

  for (std::int64_t k = 0; k < m; ++k) {
    for (std::int64_t j = 0; j < n; ++j)
      centred[k * n + j] = p.data[k * n + j] - mean[j];
  }

  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = i; j < n; ++j) {
      T sum = 0;
      for (std::int64_t k = 0; k < m; ++k)
        sum += centred[k * n + i] * centred[k * n + j];
      p.cov[i * n + j] = p.cov[j * n + i] = sum / p.divisor;
    }
  }
}

}  // namespace

const Register<Covariance, float, double> variant(
    {
        .rung = 0,
        .idea = "the loops of PolyBench: sums down two columns",
    },
    []<typename T>(Host& host, const Covariance::Args<T>& p, const Tunables&) {
      covariance_plain(p, host.scratch<T>(p.m * p.n), host.scratch<T>(p.n));
    });
