// The threads share the rows in equal parts, twice. Inner products are
// independent, but in the second product every row adds to all of y. So each
// thread has its own y for its rows, and at the end the threads share the
// columns and add up these y, in the order of the threads.
#include <omp.h>

#include "host/host.hpp"
#include "workloads/atax.hpp"

using namespace parlab;

namespace {

// ys: threads x cols.
template <typename T>
void atax_rows(const T* a, const T* x, T* y, T* t, T* ys, std::int64_t rows,
               std::int64_t cols, int threads) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      T sum = 0;
#pragma omp simd reduction(+ : sum)
      for (std::int64_t col = 0; col < cols; ++col)
        sum += a[row * cols + col] * x[col];
      t[row] = sum;
    }
    T* const mine = ys + omp_get_thread_num() * cols;
    for (std::int64_t col = 0; col < cols; ++col)
      mine[col] = 0;
#pragma omp for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
#pragma omp simd
      for (std::int64_t col = 0; col < cols; ++col)
        mine[col] += a[row * cols + col] * t[row];
    }
    const int team = omp_get_num_threads();
#pragma omp for schedule(static)
    for (std::int64_t col = 0; col < cols; ++col) {
      T sum = 0;
      for (int i = 0; i < team; ++i)
        sum += ys[i * cols + col];
      y[col] = sum;
    }
  }
}

}  // namespace

const Register<Atax, float, double> variant(
    {
        .rung = 1,
        .idea = "rows shared among threads in both products; a y for each "
                "thread, added at the end",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const Atax::Args<T>& p,
                   const Tunables& tunables) {
      const auto threads = tunables["threads"];
      atax_rows(p.a, p.x, p.y, host.scratch<T>(p.rows),
                host.scratch<T>(threads * p.cols), p.rows, p.cols,
                static_cast<int>(threads));
    });
