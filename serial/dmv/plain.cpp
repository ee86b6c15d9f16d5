// The plain double loop: the code that everybody writes first, and the baseline
// of every speedup. The compiler may not reorder the sum, so each addition
// waits for the one before it.
#include "host/host.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;

namespace {

template <typename T>
void dmv_plain(const T* a, const T* x, T* y, std::int64_t rows,
               std::int64_t cols) {
  for (std::int64_t row = 0; row < rows; ++row) {
    T sum = 0;
    for (std::int64_t col = 0; col < cols; ++col)
      sum += a[row * cols + col] * x[col];
    y[row] = sum;
  }
}

}  // namespace

const Register<Dmv, float, double> variant(
    {
        .idea = "the plain double loop",
    },
    []<typename T>(Host&, const Dmv::Args<T>& p, const Tunables&) {
      dmv_plain(p.a, p.x, p.y, p.rows, p.cols);
    });
