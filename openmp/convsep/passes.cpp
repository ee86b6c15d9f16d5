// Both passes take the rows in equal consecutive parts, one per thread. The
// loop over the weights is outside, the loop along the row inside. The row's
// points do not depend on each other, so the compiler computes a vector
// register of them at once. The column pass does the same and never walks down
// a column. A row of sums stays in the L1 cache, but the whole image between
// the passes goes to memory and comes back.
#include <algorithm>

#include "host/host.hpp"
#include "workloads/convsep.hpp"

using namespace parlab;

namespace {

// to[0..count) += weight * from[0..count)
template <typename T>
void add(T* to, const T* from, std::int64_t count, T weight) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i)
    to[i] += weight * from[i];
}

template <typename T>
void convsep_passes(const Convsep::Args<T>& p, T* between, int threads) {
  const std::int64_t rows = p.rows, cols = p.cols, radius = p.radius;
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      T* sums = between + row * cols;
      std::fill_n(sums, cols, T{0});
      for (auto k = -radius; k <= radius; ++k) {
        const auto from = std::max(std::int64_t{0}, -k),
                   to = std::min(cols, cols - k);
        if (from < to)
          add(sums + from, p.a + row * cols + from + k, to - from,
              p.w[k + radius]);
      }
    }
#pragma omp for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      T* sums = p.b + row * cols;
      std::fill_n(sums, cols, T{0});
      const auto from = std::max(-radius, -row),
                 to = std::min(radius, rows - 1 - row);
      for (auto k = from; k <= to; ++k) {
        add(sums, between + (row + k) * cols, cols, p.w[k + radius]);
      }
    }
  }
}

}  // namespace

const Register<Convsep, float, double> variant(
    {
        .rung = 1,
        .idea = "rows shared among threads, points along a row vectorised in "
                "both passes",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const Convsep::Args<T>& p,
                   const Tunables& tunables) {
      convsep_passes(p, host.scratch<T>(p.rows * p.cols),
                     static_cast<int>(tunables["threads"]));
    });
