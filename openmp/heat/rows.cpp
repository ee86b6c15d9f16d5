// The threads share the rows of a step in equal consecutive parts, and along a
// row the compiler computes a vector register of points at once. A thread has
// the same rows in all steps and finds them in its cache if the parts are small
// enough. All threads meet after each step.
#include <algorithm>

#include "host/host.hpp"
#include "workloads/heat.hpp"

using namespace parlab;

namespace {

// other: a grid for every other step.
template <typename T>
void heat_rows(const Heat::Args<T>& p, T* other, int threads) {
  const auto rows = p.rows, cols = p.cols, steps = p.steps;
#pragma omp parallel num_threads(threads)
  for (std::int64_t step = 0; step < steps; ++step) {
    // The last step writes to b, and the first one reads a.
    const bool to_b = (steps - step) % 2 == 1;
    const T* from = step == 0 ? p.a : to_b ? other : p.b;
    T* to = to_b ? p.b : other;
#pragma omp for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      const T* at = from + row * cols;
      T* out = to + row * cols;
      if (row == 0 || row == rows - 1 || cols < 3) {
        std::copy_n(at, cols, out);
        continue;
      }
      out[0] = at[0];
      out[cols - 1] = at[cols - 1];
#pragma omp simd
      for (std::int64_t col = 1; col < cols - 1; ++col) {
        out[col] =
            T(0.5) * at[col] + T(0.125) * (at[col - cols] + at[col + cols] +
                                           at[col - 1] + at[col + 1]);
      }
    }
  }
}

}  // namespace

const Register<Heat, float, double> variant(
    {
        .rung = 1,
        .idea = "rows shared among threads, points along a row vectorised",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const Heat::Args<T>& p,
                   const Tunables& tunables) {
      heat_rows(p, host.scratch<T>(p.rows * p.cols),
                static_cast<int>(tunables["threads"]));
    });
