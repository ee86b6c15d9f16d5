#include "workloads/matmul.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/roundoff.hpp"
#include "reference/declared_workload.hpp"
#include "reference/product.hpp"

namespace parlab::reference {
namespace {

// A matrix in the element type of the result; a copy if its own type differs.
template <typename To, typename T>
std::vector<To> widened(const T* matrix, std::int64_t count) {
  std::vector<To> copy(std::is_same_v<To, T> ? 0 : count);
  fill_parallel(copy.data(), std::ssize(copy),
                [=](std::int64_t i) { return static_cast<To>(matrix[i]); });
  return copy;
}

// An element differs from the exact one by at most of_products(k) |A| |B|, for
// every order of summation: Higham, (3.13). With uniform inputs the smaller of
// this and the bound of terms of random signs counts. The root of the sum of
// their squares is |a_i|_2 |b_j|_2 / sqrt(k): given b, a partial sum is linear
// in independent uniform numbers, whose deviations are no larger than those of
// normal ones of the same variance, and |a_i|_2^2 / k is that. Terms that are
// zero cost no rounding.
//
// The errors of a row, times random signs, may reach most_deviations times the
// root of the sum of their squares, for which the squares of the norms of the
// rows of B, times those of the elements of the row of A, are added up.
template <typename T, typename Sum>
struct MatmulProduct {
  using Result = Matmul::Result<T>;  // holds each value of T
  using Wide = Sum;
  static constexpr int left_rows = 1;
  // Sums in pairs of doubles are slower.
  static constexpr double affordable = std::is_same_v<Wide, double> ? 1e9 : 2e8,
                          affordable_sample = affordable / 8,
                          most_elements = 1 << 25;

  MatmulProduct(const Arrays& inputs, const Size& size, bool is_exact,
                InputKind kind, Arithmetic arithmetic)
      : rows(size[0]),
        depth(size[1]),
        cols(size[2]),
        exact(is_exact),
        terms_are_(terms_of(kind)),
        rounds_(rounding(dtype_of<T>(), arithmetic)),
        copy_a_(widened<Result>(inputs.get<const T>("a"), rows * depth)),
        copy_b_(widened<Result>(inputs.get<const T>("b"), depth * cols)) {
    if constexpr (std::is_same_v<T, Result>) {
      a_ = inputs.get<const T>("a"), b_ = inputs.get<const T>("b");
    } else {
      a_ = copy_a_.data(), b_ = copy_b_.data();
    }
    if (kind == InputKind::integers) {
      constexpr double largest = largest_of_integers;
      most = std::min(most, largest * largest * static_cast<double>(depth));
    }
    if (exact) return;
    const auto a = [&](auto i, auto k) { return square(left(i, k)); };
    const auto b = [&](auto k, auto j) { return square(right(k, j)); };
    const auto ones = [](auto n) { return std::vector<double>(n, 1); };
    of_a_ = multiply<double>(rows, depth, a, ones(depth));
    of_b_ = multiply<double, 1, 64>(
        cols, depth, [&](auto j, auto k) { return b(k, j); }, ones(depth));
    of_row_ = multiply<double>(rows, depth, a,
                               multiply<double>(depth, cols, b, ones(cols)));
    const auto term = [&](auto i, auto k) { return left(i, k) != 0; };
    terms_ = multiply<double>(rows, depth, term, ones(depth));
  }

  Result left(std::int64_t i, std::int64_t k) const {
    return a_[i * depth + k];
  }
  Result right(std::int64_t k, std::int64_t j) const {
    return b_[k * cols + j];
  }
  Result divided(double sum) const { return static_cast<Result>(sum); }

  auto bound(std::int64_t i) const {
    const auto n = terms(i);
    const double of_norm = rounds_.of_norm(n, Terms::random) *
                           std::sqrt(of_a_[i] / static_cast<double>(depth));
    // The last factor: magnitudes are rounded.
    return [this, of_norm, factor = rounds_.of_products(n),
            own = gamma(n, own_sum), rounded = 1 + gamma(depth, 0x1p-53)](
               std::int64_t j, double magnitude) {
      double most_off = factor * magnitude;
      if (terms_are_ == Terms::random)
        most_off = std::min(most_off, of_norm * std::sqrt(of_b_[j]));
      return (most_off + own * magnitude) * rounded;
    };
  }
  double unit(std::int64_t i) const {
    return rounding(dtype_of<Result>(), Arithmetic::ieee).of_products(terms(i));
  }
  // Bounds row i of C times random signs, A (B x) and C x.
  double bound_of_signs(std::int64_t i) const {
    const double own =
        (gamma(cols + depth, own_sum) + 2 * gamma(cols, own_sum)) *
        std::sqrt(static_cast<double>(cols) * static_cast<double>(depth));
    return (most_deviations * rounds_.of_norm(terms(i), terms_are_) + own) *
           std::sqrt(of_row_[i]) * (1 + gamma(cols + depth, 0x1p-53));
  }

  auto found(const Arrays& outputs) const {
    return [c = outputs.get<const Result>("c"), n = cols](auto i, auto j) {
      return c[i * n + j];
    };
  }
  ExpectedOutput outputs(const auto& compute) const { return compute("c"); }

  std::int64_t rows, depth, cols;
  bool exact;
  double most = exact_in(dtype_of<T>()), divisor = 1;

 private:
  static constexpr double own_sum = rounding_of_wide<Wide>.sum;
  static double square(Result x) {
    return static_cast<double>(x) * static_cast<double>(x);
  }
  std::int64_t terms(std::int64_t i) const {
    return static_cast<std::int64_t>(terms_[i]);
  }

  Terms terms_are_;
  Rounding rounds_;
  std::vector<Result> copy_a_, copy_b_;  // where T is another type
  const Result *a_, *b_;
  // sums of squares, of a row of A, of a column of B, and of the terms of a row
  // of C; how many terms are not zero
  std::vector<double> of_a_, of_b_, of_row_, terms_;
};

Dtype dtype_of_result(Dtype dtype) {
  return dispatch_all(
      dtype, []<typename T>(T) { return dtype_of<Matmul::Result<T>>(); });
}

const RegisterOracle<float, double, int, half, bfloat16> matmul_registered(
    {
        .name = "matmul",
        .summary = "C = A B, dense row-major matrices, A m x k and B k x n",
        .extents = {"m", "k", "n"},
        .arrays = {in("a", {"m", "k"}),
                   in("b", {"k", "n"}),
                   {.name = "c",
                    .role = Role::output,
                    .shape = {"m", "n"},
                    .type = dtype_of_result}},
        .flops =
            [](const Size& size) { return 2.0 * size[0] * size[1] * size[2]; },
        .sums = {.terms = [](const Size& size) { return 1.0 * size[1]; },
                 .degree = 2},
    },
    []<typename T>(const Arrays& inputs, const Size& size, InputKind kind,
                   Arithmetic arithmetic, T) {
      const bool exact = kind == InputKind::integers || std::is_same_v<T, int>;
      // Sums of whole numbers stay exact in double.
      return exact ? product_oracle<MatmulProduct<T, double>>(
                         inputs, size, exact, kind, arithmetic)
                   : product_oracle<MatmulProduct<T, Wide<T>>>(
                         inputs, size, exact, kind, arithmetic);
    });

}  // namespace
}  // namespace parlab::reference
