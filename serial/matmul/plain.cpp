// The triple loop of the definition: each element of C is the sum over one row
// of A and one column of B. Going down a column touches a new cache line at
// every step and uses one element of it.
#include "host/host.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

template <typename T>
void matmul_plain(const T* a, const T* b, Matmul::Result<T>* c, std::int64_t m,
                  std::int64_t k, std::int64_t n) {
  for (std::int64_t row = 0; row < m; ++row) {
    for (std::int64_t col = 0; col < n; ++col) {
      Matmul::Result<T> sum = 0;
      for (std::int64_t i = 0; i < k; ++i)
        sum += a[row * k + i] * b[i * n + col];
      c[row * n + col] = sum;
    }
  }
}

}  // namespace

const Register<Matmul, float, double, int, half, bfloat16> variant(
    {
        .idea = "the triple loop, one element of C after another",
    },
    []<typename T>(Host&, const Matmul::Args<T>& p, const Tunables&) {
      matmul_plain(p.a, p.b, p.c, p.m, p.k, p.n);
    });
