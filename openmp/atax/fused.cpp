// The matrix comes from memory once. A thread takes a strip of four rows,
// multiplies it with x, and at once adds the same four rows to its own y, while
// they are still in its cache: four rows of 8192 doubles are 256 KiB, which a
// second-level cache holds and a first-level cache does not. x and y lie in
// that cache too; with four rows at a time they are read for every fourth row
// only.
#include <omp.h>

#include "host/host.hpp"
#include "workloads/atax.hpp"

using namespace parlab;

namespace {

constexpr int strip_rows = 4;

// y += A^T (A x) for a single row of the last strip, which may have fewer than
// four.
template <typename T>
void add_row(const T* a, const T* x, T* y, std::int64_t cols) {
  T t = 0;
#pragma omp simd reduction(+ : t)
  for (std::int64_t col = 0; col < cols; ++col)
    t += a[col] * x[col];
#pragma omp simd
  for (std::int64_t col = 0; col < cols; ++col)
    y[col] += t * a[col];
}

template <typename T>
void add_four_rows(const T* a, const T* x, T* y, std::int64_t cols) {
  const T* const b = a + cols;
  const T* const c = b + cols;
  const T* const d = c + cols;
  T ta = 0, tb = 0, tc = 0, td = 0;
#pragma omp simd reduction(+ : ta, tb, tc, td)
  for (std::int64_t col = 0; col < cols; ++col) {
    ta += a[col] * x[col];
    tb += b[col] * x[col];
    tc += c[col] * x[col];
    td += d[col] * x[col];
  }
#pragma omp simd
  for (std::int64_t col = 0; col < cols; ++col) {
    y[col] += ta * a[col] + tb * b[col] + tc * c[col] + td * d[col];
  }
}

// ys: threads x cols.
template <typename T>
void atax_fused_strips(const T* a, const T* x, T* y, T* ys, std::int64_t rows,
                       std::int64_t cols, int threads) {
  const std::int64_t strips = (rows + strip_rows - 1) / strip_rows;
#pragma omp parallel num_threads(threads)
  {
    T* const mine = ys + omp_get_thread_num() * cols;
    for (std::int64_t col = 0; col < cols; ++col)
      mine[col] = 0;
#pragma omp for schedule(static)
    for (std::int64_t strip = 0; strip < strips; ++strip) {
      const std::int64_t first = strip * strip_rows;
      if (first + strip_rows <= rows) {
        add_four_rows(a + first * cols, x, mine, cols);
      } else {
        for (std::int64_t row = first; row < rows; ++row)
          add_row(a + row * cols, x, mine, cols);
      }
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
        .rung = 2,
        .idea = "four rows at a time for both products while they are in the "
                "cache: A read once",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const Atax::Args<T>& p,
                   const Tunables& tunables) {
      const auto threads = tunables["threads"];
      atax_fused_strips(p.a, p.x, p.y, host.scratch<T>(threads * p.cols),
                        p.rows, p.cols, static_cast<int>(threads));
    });
