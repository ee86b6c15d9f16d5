// The plain loops: a step reads one grid and writes another, and the two change
// places. One of them is b, chosen so that the last step writes to it.
#include <algorithm>

#include "host/host.hpp"
#include "workloads/heat.hpp"

using namespace parlab;

namespace {

template <typename T>
void heat_step(const T* from, T* to, std::int64_t rows, std::int64_t cols) {
  for (std::int64_t row = 1; row < rows - 1; ++row) {
    for (auto i = row * cols + 1; i < (row + 1) * cols - 1; ++i) {
      to[i] = T(0.5) * from[i] + T(0.125) * (from[i - cols] + from[i + cols] +
                                             from[i - 1] + from[i + 1]);
    }
  }
}

// other: a grid for every other step.
template <typename T>
void heat_plain(const Heat::Args<T>& p, T* other) {
  const auto count = p.rows * p.cols;
  std::copy_n(p.a, count, p.b);  // its border stays
  std::copy_n(p.a, count, other);
  T* to = p.steps % 2 == 1 ? p.b : other;
  T* from = p.steps % 2 == 1 ? other : p.b;
  for (std::int64_t step = 0; step < p.steps; ++step) {
    heat_step(from, to, p.rows, p.cols);
    std::swap(from, to);
  }
}

}  // namespace

const Register<Heat, float, double> variant(
    {
        .idea = "the plain loops, one step after another",
    },
    []<typename T>(Host& host, const Heat::Args<T>& p, const Tunables&) {
      heat_plain(p, host.scratch<T>(p.rows * p.cols));
    });
