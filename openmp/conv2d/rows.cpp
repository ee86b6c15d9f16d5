// The threads share the rows of b in equal consecutive parts; along a row the
// compiler computes a whole vector register of points at once. A row of a is
// needed for three rows of b: it comes from memory once and is still in a cache
// for the other two.
#include "host/host.hpp"
#include "workloads/conv2d.hpp"

using namespace parlab;

namespace {

template <typename T>
void conv2d_rows(const T* a, T* b, std::int64_t rows, std::int64_t cols,
                 int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t row = 1; row < rows - 1; ++row) {
#pragma omp simd
    for (std::int64_t col = 1; col < cols - 1; ++col) {
      T sum = 0;
      for (int down = -1; down <= 1; ++down) {
        for (int across = -1; across <= 1; ++across) {
          sum += Conv2d::weight<T>(down, across) *
                 a[(row + down) * cols + col + across];
        }
      }
      b[row * cols + col] = sum;
    }
  }
}

}  // namespace

const Register<Conv2d, float, double> variant(
    {
        .rung = 1,
        .idea = "rows shared among threads, points along a row vectorised",
        .tunables = {threads()},
    },
    []<typename T>(Host&, const Conv2d::Args<T>& p, const Tunables& tunables) {
      conv2d_rows(p.a, p.b, p.rows, p.cols,
                  static_cast<int>(tunables["threads"]));
    });
