#include "workloads/convsep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/accuracy.hpp"
#include "core/double_rows.hpp"
#include "core/pair_rows.hpp"
#include "core/untouched.hpp"
#include "reference/declared_workload.hpp"
#include "reference/progress.hpp"
#include "workloads/dense.hpp"

namespace parlab {
namespace {

using reference::for_all_kinds, reference::out;

constexpr std::int64_t tile_height = 128, tile_width = 256;

// Both passes over the tile of the image that begins there. between: row y of
// it is row top + y - radius of the image. result: rows x cols.
template <typename Rows, typename T>
void filter_tile(const T* a, const T* w, const Size& size, std::int64_t top,
                 std::int64_t left, Rows& between, Rows& sum,
                 Untouched<double>& result) {
  const auto rows = size[0], cols = size[1], radius = size[2];
  const auto tall = std::min(tile_height, rows - top),
             wide = std::min(tile_width, cols - left);
  between.clear();
  for (std::int64_t y = 0; y < tall + 2 * radius; ++y) {
    const auto row = top + y - radius;
    if (row < 0 || row >= rows) continue;
    for (std::int64_t k = -radius; k <= radius; ++k) {
      between.add(y, static_cast<double>(w[k + radius]),
                  a + row * cols + left + k,
                  std::max(std::int64_t{0}, -k - left),
                  std::min(wide, cols - k - left));
    }
  }
  for (std::int64_t y = 0; y < tall; ++y) {
    sum.clear();
    for (std::int64_t k = 0; k <= 2 * radius; ++k)
      sum.add(0, static_cast<double>(w[k]), between, y + k, 0, wide);
    sum.copy(0, wide, &result[(top + y) * cols + left]);
  }
}

template <typename Rows, typename T>
void filter_image(const T* a, const T* w, const Size& size,
                  Untouched<double>& result) {
  const auto across = (size[1] + tile_width - 1) / tile_width,
             down = (size[0] + tile_height - 1) / tile_height;
  reference::each_strip(0, down * across, [&](auto first, auto last) {
    Rows between(tile_height + 2 * size[2], tile_width), sum(1, tile_width);
    for (auto tile = first; tile < last; ++tile) {
      filter_tile(a, w, size, tile / across * tile_height,
                  tile % across * tile_width, between, sum, result);
    }
  });
}

// Integers: at most 100 in a pixel and 2 in a weight; (2 * 129)^2 * 100 < 2^24,
// so every partial sum is exact in float, and equality is demanded.
//
// Uniform: with n = 2 radius + 1, the row pass is wrong by gamma_n |w||a| at
// the most (Higham, section 3.1), which the column pass carries on and adds its
// own to: |b - exact| <= (2 gamma_n + gamma_n^2) M, where M is the same two
// passes over |w| and |a|. The reference is summed more exactly, in doubles for
// float and in pairs of them for double; its own error is added, and that of
// rounding it to double. Pairs err by n^2 2^-106, far less than the gamma of
// 2^-64 that stands for it.
//
// Wide: one pixel in each square of n x n is not zero, so that each
// sum has one term: n is 1.
template <typename T>
class ConvsepOracle final : public Oracle, public KnowsErrors {
 public:
  ConvsepOracle(const T* a, const T* w, const Size& size, InputKind kind,
                Arithmetic arithmetic)
      : rows_(size[0]), cols_(size[1]), expected_(rows_ * cols_) {
    using Sums = DoubleRows<false>;
    if (kind == InputKind::integers) {
      filter_image<Sums>(a, w, size, expected_);
      return;
    }
    using Wide = std::conditional_t<std::is_same_v<T, float>, Sums, PairRows>;
    filter_image<Wide>(a, w, size, expected_);
    bound_.resize(expected_.size());
    filter_image<DoubleRows<true>>(a, w, size, bound_);
    const std::int64_t terms = kind == InputKind::wide ? 1 : 2 * size[2] + 1;
    factor_ = factor(terms, arithmetic);
    of_ieee_ = factor(terms, Arithmetic::ieee);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < bound_.size(); ++i)
      bound_[i] = factor_ * bound_[i] + of_expected(i);
  }

  std::optional<Mismatch> check(const Arrays& outputs) const override {
    const T* b = outputs.get<const T>("b");
    return first_mismatch(rows_,
                          [&](std::int64_t row) { return check_row(b, row); });
  }

  std::optional<LargestError> largest_error(
      const Arrays& outputs) const override {
    if (bound_.empty()) return std::nullopt;
    const T* b = outputs.get<const T>("b");
    const double unit = unit_roundoff(dtype_of<T>());
    double of_bound = 0, of_rounding = 0;
#pragma omp parallel for schedule(static) reduction(max : of_bound, of_rounding)
    for (std::size_t i = 0; i < bound_.size(); ++i) {
      const double error = std::abs(static_cast<double>(b[i]) - expected_[i]),
                   magnitude = (bound_[i] - of_expected(i)) / factor_;
      if (magnitude > 0)
        of_bound = std::max(of_bound, error / (of_ieee_ * magnitude));
      if (expected_[i] != 0) {
        of_rounding =
            std::max(of_rounding, error / (unit * std::abs(expected_[i])));
      }
    }
    return LargestError{of_bound, of_rounding};
  }

 private:
  // The bound of a result, over its magnitude.
  static double factor(std::int64_t terms, Arithmetic arithmetic) {
    const double pass = rounding(dtype_of<T>(), arithmetic).of_products(terms);
    return (2 * pass + pass * pass +
            gamma(2 * terms, std::is_same_v<T, float> ? 0x1p-53 : 0x1p-64)) *
           (1 + gamma(2 * terms, 0x1p-53));
  }
  // For the rounding of the expected result to double.
  double of_expected(std::size_t i) const {
    return std::abs(expected_[i]) * 0x1p-53;
  }

  std::optional<Mismatch> check_row(const T* b, std::int64_t row) const {
    const auto begin = row * cols_;
    const double* bounds = bound_.empty() ? nullptr : &bound_[begin];
    if (all_within(b + begin, &expected_[begin], bounds, 0, cols_))
      return std::nullopt;
    for (std::int64_t col = 0; col < cols_; ++col) {
      const auto at = begin + col;
      const double found = static_cast<double>(b[at]);
      const double bound = bound_.empty() ? 0 : bound_[at];
      if (std::abs(found - expected_[at]) <= bound) continue;
      return Mismatch{element_name("b", row, col), expected_[at], found, bound};
    }
    return std::nullopt;
  }

  std::int64_t rows_, cols_;
  double factor_ = 0, of_ieee_ = 0;
  // bound_: empty when equality is demanded
  Untouched<double> expected_, bound_;
};

// i: of the image. The pixels of wide images lie so far apart that no window
// has two, and each image has one in its centre.
template <typename T>
T pixel(InputKind kind, const Size& size, std::int64_t i) {
  if (kind == InputKind::integers) return random_integer<T>(1, i, 100);
  if (kind == InputKind::uniform) return random_uniform<T>(1, i);
  const auto rows = size[0], cols = size[1], apart = 2 * size[2] + 1;
  const bool lit =
      (i / cols - rows / 2) % apart == 0 && (i % cols - cols / 2) % apart == 0;
  return lit ? random_wide<T>(1, i) : T{0};
}

std::int64_t radius_of(const Size& size) {
  return size[2];
}
std::int64_t taps_of(const Size& size) {
  return 2 * size[2] + 1;
}

template <typename T>
T weight(InputKind kind, std::int64_t i) {
  if (kind == InputKind::uniform) return random_uniform<T>(2, i);
  if (kind == InputKind::wide) return random_wide<T>(2, i);
  return random_integer<T>(2, i, 2);
}

const reference::RegisterOracle<float, double> convsep_registered(
    {
        .name = "convsep",
        .summary = "B = A filtered along rows and then columns, row-major "
                   "(rows x cols), zeros outside of A",
        .extents = {"rows", "cols"},
        .parameters = {{"radius", 16, 0, Convsep::max_radius}},
        .arrays = {{.name = "a",
                    .role = Role::input,
                    .shape = {"rows", "cols"},
                    .halo = radius_of},
                   {.name = "a_padded",
                    .role = Role::input,
                    .shape = {"rows"},
                    .count =
                        [](const Size& size) {
                          return size[0] * (size[1] + 2 * size[2]);
                        },
                    .halo = radius_of,
                    .layout_of = "a",
                    .map =
                        [](const Size& size) {
                          return LayoutMap{.pitch = size[1],
                                           .down = size[1] + 2 * size[2],
                                           .across = 1,
                                           .start = size[2]};
                        }},
                   {.name = "w", .role = Role::input, .count = taps_of},
                   out("b", {"rows", "cols"})},
        // A pass: one product per tap and one sum less.
        .flops =
            [](const Size& size) {
              return 2.0 * size[0] * size[1] *
                     (2.0 * static_cast<double>(taps_of(size)) - 1);
            },
        .fill = for_all_kinds<float, double>(
            []<typename T>(T, const Arrays& inputs, const Size& size,
                           InputKind kind) {
              reference::fill_input<T>(
                  inputs, "a", [&](auto i) { return pixel<T>(kind, size, i); });
              reference::fill_input<T>(
                  inputs, "w", [&](auto i) { return weight<T>(kind, i); });
            }),
    },
    []<typename T>(const Arrays& inputs, const Size& size, InputKind kind,
                   Arithmetic arithmetic, T) {
      return std::make_unique<ConvsepOracle<T>>(inputs.get<const T>("a"),
                                                inputs.get<const T>("w"), size,
                                                kind, arithmetic);
    });

}  // namespace
}  // namespace parlab
