// Each thread takes a stretch of rows. The maximum and the sum of a row are
// reductions: vector instructions keep several of each.
#include <algorithm>
#include <cmath>

#include "host/host.hpp"
#include "workloads/softmax.hpp"

using namespace parlab;

namespace {

template <typename T>
void softmax_rows(const Softmax::Args<T>& p, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const T* a = p.a + row * p.cols;
    T* b = p.b + row * p.cols;
    T most = a[0], sum = 0;
#pragma omp simd reduction(max : most)
    for (std::int64_t col = 0; col < p.cols; ++col)
      most = std::max(most, a[col]);
#pragma omp simd reduction(+ : sum)
    for (std::int64_t col = 0; col < p.cols; ++col)
      sum += b[col] = std::exp(a[col] - most);
    for (std::int64_t col = 0; col < p.cols; ++col)
      b[col] /= sum;
  }
}

}  // namespace

const Register<Softmax, float, double> variant(
    {
        .rung = 1,
        .idea = "each thread takes a stretch of rows",
        .tunables = {threads()},
    },
    []<typename T>(Host&, const Softmax::Args<T>& p, const Tunables& tunables) {
      softmax_rows(p, static_cast<int>(tunables["threads"]));
    });
