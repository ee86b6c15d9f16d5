// The plain loop: each sum is the previous one plus another element. The
// additions form one chain, which a core takes one after another.
#include "host/host.hpp"
#include "workloads/scan.hpp"

using namespace parlab;

namespace {

template <typename T>
void scan_plain(const T* x, T* y, std::int64_t n) {
  T sum = 0;
  for (std::int64_t i = 0; i < n; ++i)
    y[i] = sum += x[i];
}

}  // namespace

const Register<Scan, int, float, double> variant(
    {
        .idea = "the plain loop",
    },
    []<typename T>(Host&, const Scan::Args<T>& p, const Tunables&) {
      scan_plain(p.x, p.y, p.n);
    });
