#include "workloads/atax.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/variant.hpp"
#include "workloads/dense.hpp"

namespace parlab {
namespace {

// Whole numbers for which every partial sum of both products is exact: elements
// lie in [-limit, limit], and of the matrix one in `thin` is not zero.
struct Integers {
  std::int64_t limit, thin;
};

// With both factors random, t has a standard deviation below
// limit^2 sqrt(cols / thin), and so |A^T| |t| stays below
// limit^3 rows sqrt(cols), with much to spare; the oracle makes sure.
Integers exact_integers(const Size& size, Dtype dtype) {
  const double rows = static_cast<double>(size[0]),
               cols = static_cast<double>(size[1]);
  const double exact = 1 / unit_roundoff(dtype);
  const double terms = std::max(rows * std::sqrt(cols), cols);
  return {static_cast<std::int64_t>(
              std::clamp(std::floor(std::cbrt(exact / terms)), 1.0, 8.0)),
          static_cast<std::int64_t>(std::max(std::ceil(terms / exact), 1.0))};
}

template <typename T>
struct AtaxOperands {
  const T* a;
  const T* x;
  std::int64_t rows, cols;
};

// t = A x and m = |A| |x|, with sums in Wide, and how many terms of
// each sum are not zero.
template <typename Wide>
struct FirstProduct {
  std::vector<Wide> t;
  std::vector<double> m;
  std::vector<std::int64_t> terms;

  template <typename T>
  explicit FirstProduct(const AtaxOperands<T>& p)
      : t(p.rows), m(p.rows), terms(p.rows) {
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < p.rows; ++row) {
      Wide sum = 0;
      double magnitude = 0;
      for (std::int64_t col = 0; col < p.cols; ++col) {
        const Wide product = static_cast<Wide>(p.a[row * p.cols + col]) *
                             static_cast<Wide>(p.x[col]);
        sum += product;
        magnitude += std::abs(static_cast<double>(product));
        terms[row] += product != 0;
      }
      t[row] = sum;
      m[row] = magnitude;
    }
  }
};

// expected = A^T t and magnitude = |A^T| weight. A thread takes
// some columns of all rows.
template <typename Wide, typename T>
void second_product(const AtaxOperands<T>& p, const std::vector<Wide>& t,
                    const std::vector<double>& weight,
                    std::vector<double>& expected,
                    std::vector<double>& magnitude) {
  constexpr std::int64_t width = 256;
#pragma omp parallel for schedule(static)
  for (std::int64_t first = 0; first < p.cols; first += width) {
    const std::int64_t count = std::min(width, p.cols - first);
    Wide sum[width] = {};
    for (std::int64_t row = 0; row < p.rows; ++row) {
      const T* a = p.a + row * p.cols + first;
      for (std::int64_t i = 0; i < count; ++i) {
        sum[i] += static_cast<Wide>(a[i]) * t[row];
        magnitude[first + i] +=
            std::abs(static_cast<double>(a[i])) * weight[row];
      }
    }
    std::transform(sum, sum + count, expected.begin() + first,
                   [](Wide value) { return static_cast<double>(value); });
  }
}

// The most elements of a column that are not zero.
template <typename T>
std::int64_t most_in_a_column(const AtaxOperands<T>& p) {
  constexpr std::int64_t width = 256;
  std::int64_t most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (std::int64_t first = 0; first < p.cols; first += width) {
    const std::int64_t count = std::min(width, p.cols - first);
    std::int64_t found[width] = {};
    for (std::int64_t row = 0; row < p.rows; ++row) {
      const T* a = p.a + row * p.cols + first;
      for (std::int64_t i = 0; i < count; ++i)
        found[i] += a[i] != 0;
    }
    most = std::max(most, *std::max_element(found, found + count));
  }
  return most;
}

// What is right, and how far from it y may lie. With integers: not at all, and
// the magnitudes prove that every partial sum is a whole number T holds.
//
// With u the unit roundoff and gamma_n = n u / (1 - n u), each order of
// summation computes t' with
//   |t' - t| <= gamma_cols |A| |x| =: gamma_cols m,
// and from that y' with
//   |y' - A^T t'| <= gamma_rows |A^T| |t'|:
// N. Higham, Accuracy and Stability of Numerical Algorithms, section 3.5.
// Together
//   |y' - y| <= |A^T| (gamma_rows |t|
//                      + (gamma_cols + gamma_rows gamma_cols) m),
// which is at most gamma_(rows + cols) |A^T| |A| |x| by his lemma 3.3, and much
// less when signs mix. Terms that are zero cost no rounding, and do not count.
// The reference errs in the same way, with the roundoff of Wide in place of u.
template <typename Wide, typename T>
std::unique_ptr<Oracle> make_oracle(const AtaxOperands<T>& p, InputKind kind,
                                    Arithmetic arithmetic) {
  const Dtype dtype = dtype_of<T>();
  const FirstProduct<Wide> first(p);
  std::vector<double> weight(p.rows), expected(p.cols), bound(p.cols, 0.0);
  if (kind == InputKind::integers) {
    std::transform(first.t.begin(), first.t.end(), weight.begin(),
                   [](Wide t) { return std::abs(static_cast<double>(t)); });
    second_product(p, first.t, weight, expected, bound);
    const double largest =
        std::max(*std::max_element(bound.begin(), bound.end()),
                 *std::max_element(first.m.begin(), first.m.end()));
    if (largest > 1 / unit_roundoff(dtype)) {
      throw std::logic_error("atax: integer inputs whose sums reach " +
                             std::to_string(largest) + ", more than " +
                             std::string(to_string(dtype)) + " holds exactly");
    }
    bound.assign(p.cols, 0.0);
    return std::make_unique<ElementwiseOracle>("y", std::move(expected),
                                               std::move(bound));
  }
  constexpr double wide = wide_roundoff<Wide>;
  const Rounding rounds = rounding(dtype, arithmetic);
  const std::int64_t in_column =
      kind == InputKind::wide ? most_in_a_column(p) : p.rows;
  const double of_t = rounds.of_products(in_column),
               own_of_t = gamma(in_column, wide);
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const double of_m = rounds.of_products(first.terms[row]) * (1 + of_t) +
                        gamma(first.terms[row], wide) * (1 + own_of_t);
    weight[row] =
        (of_t + own_of_t) * std::abs(static_cast<double>(first.t[row])) +
        of_m * first.m[row];
  }
  second_product(p, first.t, weight, expected, bound);
  // t as computed here stands for t, and these sums themselves are
  // rounded: a relative error each.
  const double rounded = 1 + gamma(p.rows + 2 * p.cols + 8, 0x1p-53);
  for (std::int64_t col = 0; col < p.cols; ++col) {
    bound[col] = bound[col] * rounded + std::abs(expected[col]) * 0x1p-53;
  }
  return std::make_unique<ElementwiseOracle>("y", std::move(expected),
                                             std::move(bound));
}

class AtaxContract final : public DenseWorkload<AtaxContract> {
 public:
  std::string_view name() const override { return "atax"; }
  std::string_view summary() const override {
    return "y = A^T (A x), dense matrix A (rows x cols, row-major), vector x";
  }
  std::vector<std::string_view> dimensions() const override {
    return {"rows", "cols"};
  }

  Work work(const Size& size, Dtype dtype) const override {
    const double rows = static_cast<double>(size[0]),
                 cols = static_cast<double>(size[1]);
    const double element = static_cast<double>(bytes_of(dtype));
    return {4 * rows * cols, (rows * cols + 2 * cols) * element,
            cols * element};
  }

  std::vector<ArraySpec> arrays(const Size& size, Dtype dtype) const override {
    const auto rows = size[0], cols = size[1];
    return {{"a", dtype, rows * cols, Role::input, "", {"rows", "cols"}},
            {"x", dtype, cols, Role::input, "", {"cols"}},
            {"y", dtype, cols, Role::output, "", {"cols"}}};
  }

  template <typename T>
  static void fill_as(const Arrays& inputs, const Size& size, InputKind kind) {
    const auto [limit, thin] = exact_integers(size, dtype_of<T>());
    const auto matrix = [=, &size, limit = limit,
                         thin = static_cast<std::uint64_t>(thin)](auto i) {
      if (kind == InputKind::uniform) return random_uniform<T>(1, i);
      if (kind == InputKind::wide) {
        // Rows and columns have few elements.
        const bool zero = !random_term(4, i, std::max(size[0], size[1]));
        return zero ? T{0} : random_wide<T>(1, i);
      }
      return random_bits(3, i) % thin == 0 ? random_integer<T>(1, i, limit)
                                           : T{0};
    };
    const auto vector = [=, limit = limit](auto i) {
      if (kind == InputKind::uniform) return random_uniform<T>(2, i);
      if (kind == InputKind::wide) return random_wide<T>(2, i);
      return random_integer<T>(2, i, limit);
    };
    fill_parallel(inputs.get<T>("a"), size[0] * size[1], matrix);
    fill_parallel(inputs.get<T>("x"), size[1], vector);
  }

  template <typename T>
  static std::unique_ptr<Oracle> oracle_of(const Arrays& inputs,
                                           const Size& size, InputKind kind,
                                           Arithmetic arithmetic) {
    const AtaxOperands<T> problem{inputs.get<const T>("a"),
                                  inputs.get<const T>("x"), size[0], size[1]};
    // Sums of whole numbers stay exact in double.
    if (std::is_same_v<T, double> && kind != InputKind::integers) {
      return make_oracle<long double>(problem, kind, arithmetic);
    }
    return make_oracle<double>(problem, kind, arithmetic);
  }
};

const RegisterWorkload atax_registered(std::make_unique<AtaxContract>());

}  // namespace
}  // namespace parlab
