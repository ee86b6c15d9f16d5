// The plain loop: each element adds 1 to its bin. When neighbours fall into one
// bin, each addition waits until the one before it is stored.
#include <algorithm>

#include "host/host.hpp"
#include "workloads/histogram.hpp"

using namespace parlab;

namespace {

template <typename T>
void histogram_plain(const T* x, int* h, std::int64_t n) {
  std::fill_n(h, Histogram::bins, 0);
  for (std::int64_t i = 0; i < n; ++i)
    ++h[Histogram::bin_of(x[i])];
}

}  // namespace

const Register<Histogram, std::uint8_t, int> variant(
    {
        .idea = "the plain loop",
    },
    []<typename T>(Host&, const Histogram::Args<T>& p, const Tunables&) {
      histogram_plain(p.x, p.h, p.n);
    });
