// Each thread has a stretch of x. In the first pass it adds its stretch up. The
// sums of the stretches before its own are the thread's start for the second
// pass, which writes the prefix sums. x is read twice and the work is done
// twice, but all cores share it.
#include <omp.h>

#include "host/host.hpp"
#include "workloads/scan.hpp"

using namespace parlab;

namespace {

// sums: one element per thread.
template <typename T>
void scan_two_passes(const T* x, T* y, std::int64_t n, int threads, T* sums) {
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t count = omp_get_num_threads(), me = omp_get_thread_num();
    const std::int64_t first = n * me / count, last = n * (me + 1) / count;
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = first; i < last; ++i)
      sum += x[i];
    sums[me] = sum;
#pragma omp barrier
    sum = 0;
    for (std::int64_t thread = 0; thread < me; ++thread)
      sum += sums[thread];
    for (std::int64_t i = first; i < last; ++i)
      y[i] = sum += x[i];
  }
}

}  // namespace

const Register<Scan, int, float, double> variant(
    {
        .rung = 1,
        .idea = "each thread sums its stretch, then scans it from the sum of "
                "the stretches before",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const Scan::Args<T>& p,
                   const Tunables& tunables) {
      const auto threads = tunables["threads"];
      scan_two_passes(p.x, p.y, p.n, static_cast<int>(threads),
                      host.scratch<T>(threads));
    });
