#include "workloads/heat.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "reference/loop_workload.hpp"

namespace parlab::reference {
namespace {

double points_inside(const Size& size) {
  return std::max(size[0] - 2.0, 0.0) * std::max(size[1] - 2.0, 0.0);
}

// Each step halves the grain of whole numbers three times. After more than
// seven steps float holds them no longer: then a plane, which every step leaves
// as it is, exactly.
bool fill_plane(const Arrays& inputs, const Size& size, Dtype dtype,
                InputKind kind) {
  if (kind != InputKind::integers || size[2] <= 7) return false;
  dispatch<float, double>(dtype, [&]<typename T>(T) {
    const auto cols = size[1];
    fill_input<T>(inputs, "a", [=](std::int64_t i) {
      return static_cast<T>(3 + 2 * (i / cols) - i % cols);
    });
  });
  return true;
}

}  // namespace

const RegisterLoop<Heat, float, double> heat_registered(
    {
        .name = "heat",
        .summary = "B = A after some steps of a 5-point stencil, row-major "
                   "(rows x cols), border fixed",
        .extents = {"rows", "cols"},
        .parameters = {{"steps", 16, 1, 1000}},
        .arrays = {in("a", {"rows", "cols"}), out("b", {"rows", "cols"})},
        .flops =
            [](const Size& size) {
              return 6.0 * points_inside(size) * static_cast<double>(size[2]);
            },
        .fill = fill_plane,
    },
    []<typename In, typename Out>(const Heat::Args<In, Out>& p) {
      using N = typename In::Number;
      const auto cols = p.cols;
      std::vector<N> from(p.a, p.a + p.rows * cols), to = from;
      for (std::int64_t step = 0; step < p.steps; ++step) {
        each_row(1, p.rows - 1, [&](std::int64_t row) {
          for (auto i = row * cols + 1; i < (row + 1) * cols - 1; ++i) {
            to[i] = stored(N(0.5) * from[i] +
                           N(0.125) * (from[i - cols] + from[i + cols] +
                                       from[i - 1] + from[i + 1]));
          }
        });
        std::swap(from, to);
      }
      std::copy(from.begin(), from.end(), p.b);
    });

}  // namespace parlab::reference
