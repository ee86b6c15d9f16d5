// One loop on all cores: every thread adds its own stretch of x, and `simd`
// lets the compiler keep one partial sum in each lane of a vector register. The
// order of the additions changes with the number of threads; OpenMP adds the
// threads' sums in no particular order.
#include "host/host.hpp"
#include "workloads/vector_sum.hpp"

using namespace parlab;

namespace {

template <typename T>
void vector_sum_parallel(const T* x, T* sum, std::int64_t n, int threads) {
  T total = 0;
#pragma omp parallel for simd schedule(static) num_threads(threads) reduction(+ : total)
  for (std::int64_t i = 0; i < n; ++i)
    total += x[i];
  *sum = total;
}

}  // namespace

const Register<VectorSum, int, float, double> variant(
    {
        .rung = 1,
        .idea = "each thread sums a stretch, one partial sum per vector lane",
        .tunables = {threads()},
    },
    []<typename T>(Host&, const VectorSum::Args<T>& p,
                   const Tunables& tunables) {
      vector_sum_parallel(p.x, p.sum, p.n,
                          static_cast<int>(tunables["threads"]));
    });
