// An addition takes about four cycles, and the next one into the same register
// has to wait for it. Here a thread keeps 256 bytes of partial sums, several
// vector registers, and goes through x in steps of that size. The additions of
// one step do not wait for each other, so a core asks for data as fast as
// memory, or the cache, can deliver.
#include <omp.h>

#include <algorithm>

#include "host/host.hpp"
#include "workloads/vector_sum.hpp"

using namespace parlab;

namespace {

template <typename T>
T sum_in_lanes(const T* x, std::int64_t n) {
  constexpr int lanes = 256 / sizeof(T);
  T part[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
#pragma omp simd
    for (int lane = 0; lane < lanes; ++lane)
      part[lane] += x[i + lane];
  }

  for (int lane = 0; i < n; ++i, ++lane)
    part[lane] += x[i];

  // Adds halves onto halves, so that the order is the same however the compiler
  // vectorises.
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane)
      part[lane] += part[lane + half];
  }

  return part[0];
}

// partial: room for one sum per thread; they are added in the order of the
// threads.
template <typename T>
void vector_sum_lanes(const T* x, T* sum, std::int64_t n, int threads,
                      T* partial) {
  int started = 1;
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t count = omp_get_num_threads(), me = omp_get_thread_num();
    const std::int64_t first = n * me / count, last = n * (me + 1) / count;
    partial[me] = sum_in_lanes(x + first, last - first);
    if (me == 0) started = static_cast<int>(count);
  }

  T total = 0;
  for (int thread = 0; thread < started; ++thread)
    total += partial[thread];
  *sum = total;
}

}  // namespace

const Register<VectorSum, int, float, double> variant(
    {
        .rung = 2,
        .idea = "several independent vector registers of partial sums; the "
                "same result every time",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const VectorSum::Args<T>& p,
                   const Tunables& tunables) {
      const auto threads = tunables["threads"];
      vector_sum_lanes(p.x, p.sum, p.n, static_cast<int>(threads),
                       host.scratch<T>(threads));
    });
