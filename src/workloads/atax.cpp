#include "workloads/atax.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "reference/declared_workload.hpp"
#include "workloads/dense.hpp"

namespace parlab {
namespace {

using reference::for_all_kinds, reference::in, reference::out;

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

// t = A x, with sums in Wide, and of the terms of each sum the magnitudes added
// up, the root of the sum of the squares, and how many are not zero.
template <typename Wide>
struct FirstProduct {
  std::vector<Wide> t;
  std::vector<double> magnitude, norm;
  std::vector<std::int64_t> terms;

  template <typename T>
  explicit FirstProduct(const AtaxOperands<T>& p)
      : t(p.rows), magnitude(p.rows), norm(p.rows), terms(p.rows) {
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < p.rows; ++row) {
      Wide sum = 0;
      double magnitudes = 0, squares = 0;
      for (std::int64_t col = 0; col < p.cols; ++col) {
        const Wide product = static_cast<Wide>(p.a[row * p.cols + col]) *
                             static_cast<Wide>(p.x[col]);
        sum += product;
        const auto term = static_cast<double>(product);
        magnitudes += std::abs(term);
        squares += term * term;
        terms[row] += product != 0;
      }
      t[row] = sum;
      magnitude[row] = magnitudes;
      norm[row] = std::sqrt(squares);
    }
  }
};

// expected = A^T t, and also(col, a, row) for each element a. A thread takes
// some columns of all rows.
template <typename Wide, typename T, typename Also>
void second_product(const AtaxOperands<T>& p, const std::vector<Wide>& t,
                    std::vector<double>& expected, const Also& also) {
  constexpr std::int64_t width = 256;
#pragma omp parallel for schedule(static)
  for (std::int64_t first = 0; first < p.cols; first += width) {
    const std::int64_t count = std::min(width, p.cols - first);
    Wide sum[width] = {};
    for (std::int64_t row = 0; row < p.rows; ++row) {
      const T* a = p.a + row * p.cols + first;
      for (std::int64_t i = 0; i < count; ++i) {
        sum[i] += static_cast<Wide>(a[i]) * t[row];
        also(first + i, static_cast<double>(a[i]), row);
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

// With integers: every partial sum is a whole number that T holds.
template <typename Wide, typename T>
std::vector<double> exact_result(const AtaxOperands<T>& p,
                                 const FirstProduct<Wide>& first) {
  std::vector<double> expected(p.cols), magnitude(p.cols);
  second_product(
      p, first.t, expected, [&](std::int64_t col, double a, std::int64_t row) {
        magnitude[col] += std::abs(a * static_cast<double>(first.t[row]));
      });
  const double largest =
      std::max(std::ranges::max(magnitude), std::ranges::max(first.magnitude));
  if (largest > 1 / unit_roundoff(dtype_of<T>())) {
    throw std::logic_error("atax: integer inputs whose sums reach " +
                           std::to_string(largest) + ", more than " +
                           std::string(to_string(dtype_of<T>())) +
                           " holds exactly");
  }
  return expected;
}

// The right result, and how far from it y may lie.
//
// With f(n) = Rounding::of_norm, each order of summation computes t' with
//   |t'_i - t_i| <= e_i = f(cols) |a_i o x|_2,
// o being the product element by element. From that it computes
//   y'_j = sum a_ij t'_i, of which these errors are at most
//          carried(rows) |a_j o e|_2,
// as those of different rows are independent, and have mean zero; and the
// rounding of the second sum. Its terms are
//   a_ij t_i = a_ij^2 x_j + a_ij (the rest of t_i),
// where the rest has a random sign: column j is not in it. By itself it costs
// f(rows) |a_j o t|_2; the squares cost of_squares(rows) of their sum:
//   |y' - y|_j <= carried |a_j o e| + f(rows) |a_j o (|t| + e)|
//                 + of_squares |x_j| |a_j|^2,
// of which the two norms are one with a factor of sqrt(2): weight. Where
// nothing is random, by Cauchy and Schwarz the same is the worst case. Terms
// that are zero cost no rounding, and do not count. The reference errs in the
// same way, with the roundoff of Wide.
template <typename Wide, typename T>
std::unique_ptr<Oracle> make_oracle(const AtaxOperands<T>& p, InputKind kind,
                                    Arithmetic arithmetic) {
  const FirstProduct<Wide> first(p);
  if (kind == InputKind::integers) {
    return std::make_unique<ElementwiseOracle>("y", exact_result(p, first),
                                               std::vector<double>(p.cols));
  }
  const auto terms = terms_of(kind);
  const Rounding rounds = rounding(dtype_of<T>(), arithmetic);
  const auto of_norm = [&](std::int64_t n) {
    return rounds.of_norm(n, terms) +
           reference_rounding<Wide>.of_norm(n, terms);
  };
  const std::int64_t in_column =
      kind == InputKind::wide ? most_in_a_column(p) : p.rows;
  const double carried = rounds.carried(in_column, terms),
               of_t = of_norm(in_column),
               of_squares = rounds.of_squares(in_column);
  std::vector<double> weight(p.rows);
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const double e = of_norm(first.terms[row]) * first.norm[row];
    weight[row] =
        carried * e + of_t * (std::abs(static_cast<double>(first.t[row])) + e);
  }
  std::vector<double> expected(p.cols), weighted(p.cols), squares(p.cols);
  second_product(p, first.t, expected,
                 [&](std::int64_t col, double a, std::int64_t row) {
                   const double product = a * weight[row];
                   weighted[col] += product * product;
                   squares[col] += a * a;
                 });
  // t as computed here stands for t, and these sums themselves are
  // rounded: a relative error each.
  const double rounded = 1 + gamma(p.rows + 2 * p.cols + 8, 0x1p-53);
  std::vector<double> bound(p.cols);
  for (std::int64_t col = 0; col < p.cols; ++col) {
    const double x = std::abs(static_cast<double>(p.x[col]));
    bound[col] =
        (std::sqrt(2 * weighted[col]) + of_squares * x * squares[col]) *
            rounded +
        std::abs(expected[col]) * 0x1p-53;
  }
  return std::make_unique<ElementwiseOracle>("y", std::move(expected),
                                             std::move(bound));
}

// Rows and columns of a wide matrix have few elements.
template <typename T>
void fill_as(const Arrays& inputs, const Size& size, InputKind kind) {
  const auto [limit, thin] = exact_integers(size, dtype_of<T>());
  const auto longest = std::max(size[0], size[1]);
  const auto number = [kind, limit = WholeRange(limit)](std::uint64_t stream,
                                                        std::int64_t i) {
    if (kind == InputKind::uniform) return random_uniform<T>(stream, i);
    if (kind == InputKind::wide) return random_wide<T>(stream, i);
    return random_integer<T>(stream, i, limit);
  };
  const auto is_zero =
      [kind, some = FewTerms(longest),
       one_in = Remainder(static_cast<std::uint64_t>(thin))](std::int64_t i) {
        if (kind == InputKind::wide) return !random_term(4, i, some);
        return kind == InputKind::integers && one_in.of(random_bits(3, i)) != 0;
      };
  reference::fill_input<T>(inputs, "a", [&](std::int64_t i) {
    return is_zero(i) ? T{0} : number(1, i);
  });
  reference::fill_input<T>(inputs, "x",
                           [&](std::int64_t i) { return number(2, i); });
}

const reference::RegisterOracle<float, double> atax_registered(
    {
        .name = "atax",
        .summary =
            "y = A^T (A x), dense matrix A (rows x cols, row-major), vector x",
        .extents = {"rows", "cols"},
        .arrays = {in("a", {"rows", "cols"}), in("x", {"cols"}),
                   out("y", {"cols"})},
        .flops = [](const Size& size) { return 4.0 * size[0] * size[1]; },
        .fill = for_all_kinds<float, double>(
            []<typename T>(T, const Arrays& inputs, const Size& size,
                           InputKind kind) { fill_as<T>(inputs, size, kind); }),
    },
    []<typename T>(const Arrays& inputs, const Size& size, InputKind kind,
                   Arithmetic arithmetic, T) {
      const AtaxOperands<T> problem{inputs.get<const T>("a"),
                                    inputs.get<const T>("x"), size[0], size[1]};
      // Sums of whole numbers stay exact in double.
      const bool longer =
          std::is_same_v<T, double> && kind != InputKind::integers;
      return longer ? make_oracle<long double>(problem, kind, arithmetic)
                    : make_oracle<double>(problem, kind, arithmetic);
    });

}  // namespace
}  // namespace parlab
