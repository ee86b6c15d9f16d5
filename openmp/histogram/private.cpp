// Each thread counts a stretch of x in its own bins, so that no two threads
// write to the same cache line. It has four sets of bins and takes them in
// turn: equal neighbours are counted in different places, and their additions
// do not wait for each other. At the end the threads share the bins and add up
// all counts.
#include <omp.h>

#include <algorithm>

#include "host/host.hpp"
#include "workloads/histogram.hpp"

using namespace parlab;

namespace {

constexpr int bins = Histogram::bins;
constexpr int sets = 4;

template <typename T>
void count(const T* x, std::int64_t n, int* counts) {
  std::fill_n(counts, sets * bins, 0);
  std::int64_t i = 0;
  for (; i + sets <= n; i += sets) {
    for (int set = 0; set < sets; ++set)
      ++counts[set * bins + Histogram::bin_of(x[i + set])];
  }
  for (; i < n; ++i)
    ++counts[Histogram::bin_of(x[i])];
}

// counts: sets * bins for each thread.
template <typename T>
void histogram_private(const T* x, int* h, std::int64_t n, int threads,
                       int* counts) {
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t team = omp_get_num_threads(), me = omp_get_thread_num();
    const std::int64_t first = n * me / team, last = n * (me + 1) / team;
    count(x + first, last - first, counts + me * sets * bins);
#pragma omp barrier
#pragma omp for schedule(static)
    for (int bin = 0; bin < bins; ++bin) {
      int sum = 0;
      for (std::int64_t set = 0; set < team * sets; ++set)
        sum += counts[set * bins + bin];
      h[bin] = sum;
    }
  }
}

}  // namespace

const Register<Histogram, std::uint8_t, int> variant(
    {
        .rung = 1,
        .idea = "each thread counts in its own bins, four sets in turn",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const Histogram::Args<T>& p,
                   const Tunables& tunables) {
      const auto threads = tunables["threads"];
      histogram_private(p.x, p.h, p.n, static_cast<int>(threads),
                        host.scratch<int>(threads * sets * bins));
    });
