// The threads share the rows in equal consecutive parts. Each row is the serial
// inner product, but the compiler may keep several partial sums in a vector
// register. Threads write to the same cache line only at the ends of their
// parts.
#include "host/host.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;

namespace {

template <typename T>
void dmv_rows(const T* a, const T* x, T* y, std::int64_t rows,
              std::int64_t cols, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t row = 0; row < rows; ++row) {
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t col = 0; col < cols; ++col)
      sum += a[row * cols + col] * x[col];
    y[row] = sum;
  }
}

}  // namespace

const Register<Dmv, float, double> variant(
    {
        .rung = 1,
        .idea = "rows shared among threads, each inner product vectorised",
        .tunables = {threads()},
    },
    []<typename T>(Host&, const Dmv::Args<T>& p, const Tunables& tunables) {
      dmv_rows(p.a, p.x, p.y, p.rows, p.cols,
               static_cast<int>(tunables["threads"]));
    });
