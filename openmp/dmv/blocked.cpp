// Four rows at a time: x is read once for all of them, and the four sums do not
// wait for one another, which matters while the matrix is in a cache. Reading
// four streams also keeps more cache lines on their way from memory.
#include "host/host.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;

namespace {

constexpr int block_rows = 4;

// y[0..4) = the first four rows of a times x.
template <typename T>
void four_rows(const T* a, const T* x, T* y, std::int64_t cols) {
  T sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
#pragma omp simd reduction(+ : sum0, sum1, sum2, sum3)
  for (std::int64_t col = 0; col < cols; ++col) {
    sum0 += a[col] * x[col];
    sum1 += a[col + cols] * x[col];
    sum2 += a[col + 2 * cols] * x[col];
    sum3 += a[col + 3 * cols] * x[col];
  }

  y[0] = sum0, y[1] = sum1, y[2] = sum2, y[3] = sum3;
}

template <typename T>
void one_row(const T* a, const T* x, T* y, std::int64_t cols) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t col = 0; col < cols; ++col)
    sum += a[col] * x[col];
  *y = sum;
}

template <typename T>
void dmv_blocked(const T* a, const T* x, T* y, std::int64_t rows,
                 std::int64_t cols, int threads) {
  const std::int64_t blocks = (rows + block_rows - 1) / block_rows;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t first = block * block_rows;
    if (first + block_rows <= rows) {
      four_rows(a + first * cols, x, y + first, cols);
    } else {
      for (std::int64_t row = first; row < rows; ++row)
        one_row(a + row * cols, x, y + row, cols);
    }
  }
}

}  // namespace

const Register<Dmv, float, double> variant(
    {
        .rung = 2,
        .idea =
            "four rows at a time: x read once for all, four independent sums",
        .tunables = {threads()},
    },
    []<typename T>(Host&, const Dmv::Args<T>& p, const Tunables& tunables) {
      dmv_blocked(p.a, p.x, p.y, p.rows, p.cols,
                  static_cast<int>(tunables["threads"]));
    });
