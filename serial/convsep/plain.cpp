// The plain loops: the code that everybody writes first, and the baseline of
// every speedup. The first pass sums a pixel and its neighbours along the row,
// the second along the column; weights that would meet pixels outside the image
// are left out.
#include <algorithm>

#include "host/host.hpp"
#include "workloads/convsep.hpp"

using namespace parlab;

namespace {

template <typename T>
void convsep_plain(const Convsep::Args<T>& p, T* between) {
  const std::int64_t rows = p.rows, cols = p.cols, radius = p.radius;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t col = 0; col < cols; ++col) {
      const auto from = std::max(-radius, -col),
                 to = std::min(radius, cols - 1 - col);
      T sum = 0;
      for (auto k = from; k <= to; ++k)
        sum += p.w[k + radius] * p.a[row * cols + col + k];
      between[row * cols + col] = sum;
    }
  }

  for (std::int64_t row = 0; row < rows; ++row) {
    const auto from = std::max(-radius, -row),
               to = std::min(radius, rows - 1 - row);
    for (std::int64_t col = 0; col < cols; ++col) {
      T sum = 0;
      for (auto k = from; k <= to; ++k)
        sum += p.w[k + radius] * between[(row + k) * cols + col];
      p.b[row * cols + col] = sum;
    }
  }
}

}  // namespace

const Register<Convsep, float, double> variant(
    {
        .idea = "the plain loops, row pass and column pass",
    },
    []<typename T>(Host& host, const Convsep::Args<T>& p, const Tunables&) {
      convsep_plain(p, host.scratch<T>(p.rows * p.cols));
    });
