#include "workloads/conv2d.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "core/double_rows.hpp"
#include "core/pair_rows.hpp"
#include "core/untouched.hpp"
#include "core/variant.hpp"
#include "workloads/dense.hpp"

namespace parlab {
namespace {

// Calls f(weight, element of a) for the nine neighbours of a point.
template <typename T, typename F>
void for_each_neighbour(const T* a, std::int64_t cols, std::int64_t row,
                        std::int64_t col, F f) {
  for (int down = -1; down <= 1; ++down) {
    for (int across = -1; across <= 1; ++across) {
      f(Conv2d::weight<T>(down, across), a[(row + down) * cols + col + across]);
    }
  }
}

// Integers: a comb of impulses, one in each square of 3 x 3, so that exactly
// one of the nine products of a point is not zero. Whatever the order, and
// with or without fused multiply-add, the result is that product, rounded
// once: equality is demanded though the weights are not whole. Period
// 3 has no common factor with the width of any tile or word, so every
// weight meets every place in a tile; which one meets the corner depends
// on the size. Wide: the same, with reals.
bool has_impulse(const Size& size, std::int64_t i) {
  const auto row = i / size[1], col = i % size[1];
  return row % 3 == size[0] % 3 && col % 3 == size[1] % 3;
}

// The sums of products of all points inside. result: rows x cols.
template <typename Rows, typename T>
void reference(const T* a, std::int64_t rows, std::int64_t cols,
               Untouched<double>& result) {
  constexpr std::int64_t width = 1024;
#pragma omp parallel
  {
    Rows sum(1, width);
#pragma omp for schedule(static)
    for (std::int64_t row = 1; row < rows - 1; ++row) {
      for (std::int64_t left = 1; left < cols - 1; left += width) {
        const auto wide = std::min(width, cols - 1 - left);
        sum.clear();
        for (int down = -1; down <= 1; ++down) {
          for (int across = -1; across <= 1; ++across) {
            sum.add(0, static_cast<double>(Conv2d::weight<T>(down, across)),
                    a + (row + down) * cols + left + across, 0, wide);
          }
        }
        sum.copy(0, wide, &result[row * cols + left]);
      }
    }
  }
}

// Uniform: |b - sum w a| <= gamma_9 sum |w| |a|, nine products in any order
// of summation (Higham, section 3.1), where w is the weight as rounded
// to T; the same where the arithmetic is another one than that of T, and
// where a pixel that was changed between executions put a second impulse
// into a square. The reference is summed more exactly, in doubles for float
// and in pairs of them for double; its own error is added, and that of
// rounding it to double. That of pairs is far less than the gamma of 2^-64
// that stands for it.
template <typename T>
class Conv2dOracle final : public Oracle {
 public:
  Conv2dOracle(const T* a, const Size& size, InputKind kind,
               Arithmetic arithmetic)
      : rows_(size[0]),
        cols_(size[1]),
        exact_(kind != InputKind::uniform && arithmetic == Arithmetic::ieee),
        expected_(rows_ * cols_),
        bound_(exact_ ? 0 : expected_.size()) {
    factor_ = (rounding(dtype_of<T>(), arithmetic).of_products(9) +
               gamma(9, std::is_same_v<T, float> ? 0x1p-53 : 0x1p-64)) *
              (1 + gamma(9, 0x1p-53));
    if (exact_) {
#pragma omp parallel for schedule(static)
      for (std::int64_t row = 1; row < rows_ - 1; ++row)
        expect_impulses(a, row);
      return;
    }
    using Sums = DoubleRows<false>;
    using Wide = std::conditional_t<std::is_same_v<T, float>, Sums, PairRows>;
    reference<Wide>(a, rows_, cols_, expected_);
    reference<DoubleRows<true>>(a, rows_, cols_, bound_);
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 1; row < rows_ - 1; ++row) {
      for (std::int64_t col = 1; col < cols_ - 1; ++col) {
        const auto at = row * cols_ + col;
        bound_[at] = bound_of(bound_[at], expected_[at]);
      }
    }
  }

  std::optional<Mismatch> check(const Arrays& outputs) const override {
    const T* b = outputs.get<const T>("b");
    return first_mismatch(rows_,
                          [&](std::int64_t row) { return check_row(b, row); });
  }

 private:
  // Whether all of a row but its ends is right at first sight; where a bound is
  // not that of all, it may be right all the same.
  bool interior_agrees(const T* b, std::int64_t row) const {
    const auto at = row * cols_;
    return all_within(b + at, &expected_[at], exact_ ? nullptr : &bound_[at], 1,
                      cols_ - 1);
  }

  std::optional<Mismatch> check_row(const T* b, std::int64_t row) const {
    std::array<unsigned char, sizeof(T)> poison;
    poison.fill(poison_byte);
    const bool inside = row > 0 && row < rows_ - 1;
    const bool agrees = inside && interior_agrees(b, row);
    for (std::int64_t col = 0; col < cols_; ++col) {
      const auto at = row * cols_ + col;
      const auto name = [&] { return element_name("b", row, col); };
      if (!inside || col == 0 || col == cols_ - 1) {
        if (std::memcmp(b + at, poison.data(), sizeof(T)) == 0) continue;
        return Mismatch{name() + ", on the border",
                        std::numeric_limits<double>::quiet_NaN(),
                        static_cast<double>(b[at]), 0};
      }
      if (agrees) {
        col = cols_ - 2;
        continue;
      }
      const double found = static_cast<double>(b[at]);
      const double off = std::abs(found - expected_[at]);
      if (!(off <= 0) && !(off <= bound_at(at))) {
        return Mismatch{name(), expected_[at], found, bound_at(at)};
      }
    }
    return std::nullopt;
  }

  double bound_of(double magnitude, double expected) const {
    return factor_ * magnitude + std::abs(expected) * 0x1p-53;
  }

  // A row of points that have one impulse beside them; where a change put more,
  // the sum and its bound.
  void expect_impulses(const T* a, std::int64_t row) {
    double* const expected = &expected_[row * cols_];
    int most = 0;
    for (std::int64_t col = 1; col < cols_ - 1; ++col) {
      T sum = 0;
      int impulses = 0;
      for_each_neighbour(a, cols_, row, col, [&](T weight, T value) {
        sum += weight * value;
        impulses += value != 0 ? 1 : 0;
      });
      expected[col] = sum;
      most = std::max(most, impulses);
    }
    if (most <= 1) return;

    for (std::int64_t col = 1; col < cols_ - 1; ++col) {
      int impulses = 0;
      long double sum = 0;
      double magnitude = 0;
      for_each_neighbour(a, cols_, row, col, [&](T weight, T value) {
        impulses += value != 0 ? 1 : 0;
        sum += static_cast<long double>(weight) * value;
        magnitude +=
            std::abs(static_cast<double>(weight) * static_cast<double>(value));
      });
      if (impulses <= 1) continue;
      expected[col] = static_cast<double>(sum);
#pragma omp critical
      bound_of_several_[row * cols_ + col] = bound_of(magnitude, expected[col]);
    }
  }

  double bound_at(std::int64_t at) const {
    if (!exact_) return bound_[at];
    const auto found = bound_of_several_.find(at);
    return found == bound_of_several_.end() ? 0 : found->second;
  }

  std::int64_t rows_, cols_;
  double factor_ = 0;  // of a bound, over its magnitude
  // equality is demanded where no more than one product is not zero
  bool exact_;
  Untouched<double> expected_, bound_;
  std::unordered_map<std::int64_t, double> bound_of_several_;
};

class Conv2dContract final : public DenseWorkload<Conv2dContract> {
 public:
  std::string_view name() const override { return "conv2d"; }
  std::string_view summary() const override {
    return "B = A convolved with 3x3 fixed weights, row-major (rows x cols), "
           "border of B kept";
  }
  std::vector<std::string_view> dimensions() const override {
    return {"rows", "cols"};
  }

  // Nine products and eight sums per point. Images without
  // interior need nothing at all.
  Work work(const Size& size, Dtype dtype) const override {
    const double rows = size[0], cols = size[1], bytes = bytes_of(dtype);
    const double interior = std::max(rows - 2, 0.0) * std::max(cols - 2, 0.0);
    if (interior == 0) return {};
    return {17 * interior, (rows * cols + interior) * bytes, interior * bytes};
  }

  std::vector<ArraySpec> arrays(const Size& size, Dtype dtype) const override {
    return {
        {"a", dtype, size[0] * size[1], Role::input, "", {"rows", "cols"}, 1},
        {"b", dtype, size[0] * size[1], Role::output, "", {"rows", "cols"}}};
  }

  template <typename T>
  static void fill_as(const Arrays& inputs, const Size& size, InputKind kind) {
    fill_parallel(inputs.get<T>("a"), size[0] * size[1], [&](std::int64_t i) {
      if (kind == InputKind::uniform) return random_uniform<T>(1, i);
      if (!has_impulse(size, i)) return T{0};
      if (kind == InputKind::wide) return random_wide<T>(1, i);
      return random_integer<T>(1, i, 1000);
    });
  }

  template <typename T>
  static std::unique_ptr<Oracle> oracle_of(const Arrays& inputs,
                                           const Size& size, InputKind kind,
                                           Arithmetic arithmetic) {
    return std::make_unique<Conv2dOracle<T>>(inputs.get<const T>("a"), size,
                                             kind, arithmetic);
  }
};

const RegisterWorkload conv2d_registered(std::make_unique<Conv2dContract>());

}  // namespace
}  // namespace parlab
