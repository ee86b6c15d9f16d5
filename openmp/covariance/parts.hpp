// Shared by the variants on the CPU, around the product: the means, the centred
// copy, and the second triangle. Each is one pass over a matrix, shared among
// the threads.
#pragma once

#include <algorithm>

#include "host/host.hpp"
#include "workloads/covariance.hpp"

namespace parlab {
namespace {

// The n means. A thread takes some columns of all rows, a few cache lines wide.
template <typename T>
T* column_means(Host& host, const Covariance::Args<T>& p, int threads) {
  constexpr std::int64_t width = 256 / sizeof(T);
  T* const mean = host.scratch<T>(p.n);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t first = 0; first < p.n; first += width) {
    const std::int64_t count = std::min(width, p.n - first);
    T sum[width] = {};
    for (std::int64_t k = 0; k < p.m; ++k) {
      const T* const row = p.data + k * p.n + first;
      for (std::int64_t j = 0; j < count; ++j)
        sum[j] += row[j];
    }
    for (std::int64_t j = 0; j < count; ++j)
      mean[first + j] = sum[j] / p.mean_divisor;
  }

  return mean;
}

// The data less its means, m x n.
template <typename T>
T* centred_copy(Host& host, const Covariance::Args<T>& p, int threads) {
  const T* const mean = column_means(host, p, threads);
  T* const centred = host.scratch<T>(p.m * p.n);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t k = 0; k < p.m; ++k) {
#pragma omp simd
    for (std::int64_t j = 0; j < p.n; ++j)
      centred[k * p.n + j] = p.data[k * p.n + j] - mean[j];
  }

  return centred;
}

// Divides the upper triangle of p.cov by the divisor and copies it into the
// lower one, in squares, so that lines that are written column by column stay
// in the cache.
template <typename T>
void divide_and_mirror(const Covariance::Args<T>& p, int threads) {
  constexpr std::int64_t edge = 32;
  const std::int64_t n = p.n;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t i0 = 0; i0 < n; i0 += edge) {
    for (std::int64_t j0 = i0; j0 < n; j0 += edge) {
      for (std::int64_t i = i0; i < std::min(i0 + edge, n); ++i) {
        for (std::int64_t j = std::max(j0, i); j < std::min(j0 + edge, n);
             ++j) {
          p.cov[j * n + i] = p.cov[i * n + j] /= p.divisor;
        }
      }
    }
  }
}

}  // namespace
}  // namespace parlab
