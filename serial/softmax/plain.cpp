// Row after row: the maximum, the exponentials and their sum, the quotients.
#include <algorithm>
#include <cmath>

#include "host/host.hpp"
#include "workloads/softmax.hpp"

using namespace parlab;

namespace {

template <typename T>
void softmax_plain(const Softmax::Args<T>& p) {
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const T* a = p.a + row * p.cols;
    T* b = p.b + row * p.cols;
    const T most = *std::max_element(a, a + p.cols);
    T sum = 0;
    for (std::int64_t col = 0; col < p.cols; ++col)
      sum += b[col] = std::exp(a[col] - most);
    for (std::int64_t col = 0; col < p.cols; ++col)
      b[col] /= sum;
  }
}

}  // namespace

const Register<Softmax, float, double> variant(
    {
        .rung = 0,
        .idea = "row after row: the maximum, the sum, the quotients",
    },
    []<typename T>(Host&, const Softmax::Args<T>& p, const Tunables&) {
      softmax_plain(p);
    });
