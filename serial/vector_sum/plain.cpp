// The plain loop: the code that everybody writes first, and the baseline of
// every speedup. The compiler may not reorder a sum of reals, so each addition
// waits for the one before it.
#include "host/host.hpp"
#include "workloads/vector_sum.hpp"

using namespace parlab;

namespace {

template <typename T>
void vector_sum_plain(const T* x, T* sum, std::int64_t n) {
  T total = 0;
  for (std::int64_t i = 0; i < n; ++i)
    total += x[i];
  *sum = total;
}

}  // namespace

const Register<VectorSum, int, float, double> variant(
    {
        .idea = "the plain loop",
    },
    []<typename T>(Host&, const VectorSum::Args<T>& p, const Tunables&) {
      vector_sum_plain(p.x, p.sum, p.n);
    });
