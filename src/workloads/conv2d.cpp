#include "workloads/conv2d.hpp"

#include <algorithm>

#include "reference/loop_workload.hpp"

namespace parlab::reference {
namespace {

// Integers: a comb of impulses, one in each square of 3 x 3, so that exactly
// one of the nine products of a point is not zero. In any order, and
// with or without fused multiply-add, the result is that product, rounded
// once. So results must be equal, though the weights are not whole. Period
// 3 has no common factor with the width of any tile or word, so every
// weight meets every place in a tile; which one meets the corner depends
// on the size. Wide: the same, with reals.
bool fill_impulses(const Arrays& inputs, const Size& size, Dtype dtype,
                   InputKind kind) {
  if (kind == InputKind::uniform) return false;
  dispatch<float, double>(dtype, [&]<typename T>(T) {
    const auto rows = size[0], cols = size[1];
    fill_input<T>(inputs, "a", [=](std::int64_t i) {
      const auto row = i / cols, col = i % cols;
      if (row % 3 != rows % 3 || col % 3 != cols % 3) return T{0};
      return kind == InputKind::wide ? random_wide<T>(1, i)
                                     : random_integer<T>(1, i, 1000);
    });
  });
  return true;
}

double points_inside(const Size& size) {
  return std::max(size[0] - 2.0, 0.0) * std::max(size[1] - 2.0, 0.0);
}

}  // namespace

const RegisterLoop<Conv2d, float, double> conv2d_registered(
    {
        .name = "conv2d",
        .summary = "B = A convolved with 3x3 fixed weights, row-major (rows x "
                   "cols), border of B kept",
        .extents = {"rows", "cols"},
        .arrays = {{.name = "a",
                    .role = Role::input,
                    .shape = {"rows", "cols"},
                    .halo = [](const Size&) { return std::int64_t{1}; }},
                   out("b", {"rows", "cols"})},
        .work =
            [](const Size& size, Dtype dtype) {
              // Nine products and eight sums per point. Images without
              // interior need nothing at all.
              const double all = size[0] * size[1],
                           inside = points_inside(size),
                           bytes = bytes_of(dtype);
              return inside == 0 ? Work{}
                                 : Work{17 * inside, (all + inside) * bytes,
                                        inside * bytes};
            },
        .fill = fill_impulses,
    },
    []<typename In, typename Out>(const Conv2d::Args<In, Out>& p) {
      using N = typename In::Number;
      using T = typename In::Type;
      each_row(1, p.rows - 1, [&](std::int64_t row) {
        for (std::int64_t col = 1; col < p.cols - 1; ++col) {
          N sum = 0;
#pragma GCC unroll 3
          for (int down = -1; down <= 1; ++down) {
#pragma GCC unroll 3
            for (int across = -1; across <= 1; ++across) {
              sum += N(Conv2d::weight<T>(down, across)) *
                     p.a[(row + down) * p.cols + col + across];
            }
          }
          p.b[row * p.cols + col] = sum;
        }
      });
    });

}  // namespace parlab::reference
