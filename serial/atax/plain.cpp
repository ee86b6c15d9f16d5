// Two loops over the rows: the code that everybody writes first, and the
// baseline of every speedup. The first takes inner products of the rows with x.
// The second adds each row, times its element of t, to y. Both therefore read
// the matrix once, in the order in which it lies in memory.
#include "host/host.hpp"
#include "workloads/atax.hpp"

using namespace parlab;

namespace {

template <typename T>
void atax_plain(const T* a, const T* x, T* y, T* t, std::int64_t rows,
                std::int64_t cols) {
  for (std::int64_t row = 0; row < rows; ++row) {
    T sum = 0;
    for (std::int64_t col = 0; col < cols; ++col)
      sum += a[row * cols + col] * x[col];
    t[row] = sum;
  }

  for (std::int64_t col = 0; col < cols; ++col)
    y[col] = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t col = 0; col < cols; ++col)
      y[col] += a[row * cols + col] * t[row];
  }
}

}  // namespace

const Register<Atax, float, double> variant(
    {
        .idea = "two loops over the rows",
    },
    []<typename T>(Host& host, const Atax::Args<T>& p, const Tunables&) {
      atax_plain(p.a, p.x, p.y, host.scratch<T>(p.rows), p.rows, p.cols);
    });
