// The plain loops: the code that everybody writes first, and the baseline of
// every speedup. The loops over the nine weights have constant bounds, so the
// compiler unrolls them and the weights become constants of the inner loop.
#include "host/host.hpp"
#include "workloads/conv2d.hpp"

using namespace parlab;

namespace {

template <typename T>
void conv2d_plain(const T* a, T* b, std::int64_t rows, std::int64_t cols) {
  for (std::int64_t row = 1; row < rows - 1; ++row) {
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
        .idea = "the plain loops",
    },
    []<typename T>(Host&, const Conv2d::Args<T>& p, const Tunables&) {
      conv2d_plain(p.a, p.b, p.rows, p.cols);
    });
