// The threads share the rows of C, and the two inner loops are exchanged: a row
// of C is the sum of the rows of B, each times one element of A. Now B and C
// are read along rows, eight or sixteen neighbours at a time, and the compiler
// may vectorise: no sum is reordered. But a row of C is loaded and stored again
// for each row of B, and all of B passes through the caches for each row of C.
#include <algorithm>

#include "host/host.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

template <typename T>
void matmul_rows(const T* a, const T* b, Matmul::Result<T>* __restrict__ c,
                 std::int64_t m, std::int64_t k, std::int64_t n, int threads) {
  using Sum = Matmul::Result<T>;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t row = 0; row < m; ++row) {
    Sum* c_row = c + row * n;
    std::fill(c_row, c_row + n, Sum{0});
    for (std::int64_t i = 0; i < k; ++i) {
      const Sum factor = a[row * k + i];
#pragma omp simd
      for (std::int64_t col = 0; col < n; ++col)
        c_row[col] += factor * b[i * n + col];
    }
  }
}

}  // namespace

const Register<Matmul, float, double, int, half, bfloat16> variant(
    {
        .rung = 1,
        .idea = "rows of C in parallel, each a sum of rows of B",
        .tunables = {threads()},
    },
    []<typename T>(Host&, const Matmul::Args<T>& p, const Tunables& tunables) {
      matmul_rows(p.a, p.b, p.c, p.m, p.k, p.n,
                  static_cast<int>(tunables["threads"]));
    });
