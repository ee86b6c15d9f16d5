#include "workloads/matmul.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <vector>

#include "core/accuracy.hpp"
#include "core/roundoff.hpp"
#include "reference/declared_workload.hpp"
#include "reference/progress.hpp"
#include "workloads/dense.hpp"

namespace parlab {
namespace {

using reference::each_row, reference::for_all_kinds, reference::in,
    reference::out;

// Up to this many flops every element of C is compared with a reference;
// above, all of C is checked with random vectors, and with real numbers a few
// rows element by element. Long double sums are an order slower.
template <typename Wide>
constexpr double full_reference_flops =
    std::is_same_v<Wide, long double> ? 4e8 : 2e9;
constexpr double full_reference_elements = 1 << 25;

// Whole numbers in [-limit, limit] whose products, k of them, sum to
// something T can hold. For int this bounds the uniform inputs as well,
// only wider: integer arithmetic is exact or wrong.
std::int64_t integer_limit(Dtype dtype, std::int64_t k, InputKind kind) {
  const double exact =
      dtype == Dtype::i32 ? 0x1p31 - 1 : 1 / unit_roundoff(dtype);
  const double widest = kind == InputKind::integers ? 8 : 1 << 15;
  return static_cast<std::int64_t>(std::clamp(
      std::floor(std::sqrt(exact / static_cast<double>(k))), 1.0, widest));
}

// A matrix in the element type of the result; a copy if its own type differs.
template <typename T>
class Widened {
 public:
  using Element = Matmul::Result<T>;
  Widened(const T* matrix, std::int64_t count) : matrix_(matrix) {
    if constexpr (!std::is_same_v<T, Element>) {
      copy_.resize(count);
      fill_parallel(copy_.data(), count, [=](std::int64_t i) {
        return static_cast<Element>(matrix[i]);
      });
    }
  }
  const Element* data() const {
    if constexpr (std::is_same_v<T, Element>)
      return matrix_;
    else
      return copy_.data();
  }

 private:
  const T* matrix_;
  std::vector<Element> copy_;
};

template <typename T>
struct Operands {
  using Element = Matmul::Result<T>;  // holds each value of T
  Widened<T> a, b;
  std::int64_t m, k, n;
  std::int64_t largest;  // of whole numbers
  bool exact;            // equality is demanded
  Terms terms_are;
  Rounding rounds;

  const Element* row_of_a(std::int64_t row) const { return a.data() + row * k; }
  // How many elements of a row of A are not zero.
  std::int64_t terms(std::int64_t row) const {
    return k - std::count(row_of_a(row), row_of_a(row + 1), Element{0});
  }
  // The same for IEEE arithmetic in T: what errors are told in.
  double plain_factor(std::int64_t row) const {
    return rounding(dtype_of<Element>(), Arithmetic::ieee)
        .of_products(terms(row));
  }
};

// Some rows of C, or all, element by element: O(rows k n).
struct RowsReference {
  std::vector<std::int64_t> rows;
  std::int64_t n = 0;
  // bound: empty where equality is demanded. unit: the bound of IEEE arithmetic
  std::vector<double> expected = {}, bound = {}, unit = {};

  template <typename T>
  std::optional<Mismatch> check(const T* c) const {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::int64_t j = 0; j < n; ++j) {
        const auto at = r * n + j;
        const double found = static_cast<double>(c[rows[r] * n + j]);
        const double most = bound.empty() ? 0 : bound[at];
        // Written so that NaN, which compares false, fails.
        if (!(std::abs(found - expected[at]) <= most))
          return Mismatch{element_name("c", rows[r], j), expected[at], found,
                          most};
      }
    }
    return std::nullopt;
  }

  template <typename T>
  std::optional<LargestError> largest_error(const T* c) const {
    if (unit.empty()) return std::nullopt;
    LargestError largest;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::int64_t j = 0; j < n; ++j) {
        const auto at = r * n + j;
        const double error =
            std::abs(static_cast<double>(c[rows[r] * n + j]) - expected[at]);
        const double rounding_error =
            unit_roundoff(dtype_of<T>()) * std::abs(expected[at]);
        if (unit[at] > 0)
          largest.of_bound = std::max(largest.of_bound, error / unit[at]);
        if (rounding_error > 0) {
          largest.of_rounding =
              std::max(largest.of_rounding, error / rounding_error);
        }
      }
    }
    return largest;
  }
};

// matrix (rows x cols) times `count` vectors, which lie side by side.
template <typename Wide, int count, typename T>
std::vector<Wide> multiply(const T* matrix, std::int64_t rows,
                           std::int64_t cols, const std::vector<Wide>& x) {
  using Number =
      std::conditional_t<std::is_same_v<Wide, Modular>, std::int64_t, Wide>;
  std::vector<Wide> product(rows * count);
  each_row(0, rows, [&](std::int64_t i) {
    Wide sum[count] = {};
    for (std::int64_t j = 0; j < cols; ++j) {
      const auto element =
          static_cast<Wide>(static_cast<Number>(matrix[i * cols + j]));
      for (int v = 0; v < count; ++v)
        sum[v] += element * x[j * count + v];
    }
    std::copy(sum, sum + count, product.begin() + i * count);
  });
  return product;
}

// The sums of the squares of each row, its elements weighted.
template <typename T>
std::vector<double> squares_of_rows(const T* matrix, std::int64_t rows,
                                    std::int64_t cols,
                                    const std::vector<double>& weight) {
  std::vector<double> squares(rows);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < cols; ++j) {
      const auto element = static_cast<double>(matrix[i * cols + j]);
      sum += element * element * weight[j];
    }
    squares[i] = sum;
  }
  return squares;
}

template <typename T>
std::vector<double> squares_of_columns(const T* matrix, std::int64_t rows,
                                       std::int64_t cols) {
  constexpr std::int64_t width = 256;
  std::vector<double> squares(cols);
#pragma omp parallel for schedule(static)
  for (std::int64_t first = 0; first < cols; first += width) {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (auto j = first; j < std::min(first + width, cols); ++j) {
        const auto element = static_cast<double>(matrix[i * cols + j]);
        squares[j] += element * element;
      }
    }
  }
  return squares;
}

// An element differs from the exact one by at most of_products(k) |A| |B|, for
// every order of summation: Higham, (3.13). With uniform inputs the smaller of
// this and the bound of terms of random signs counts. The root of the sum of
// their squares is |a_i|_2 |b_j|_2 / sqrt(k): given b, a partial sum is linear
// in independent uniform numbers, whose deviations are no larger than those of
// normal ones of the same variance, and |a_i|_2^2 / k is that. Terms that are
// zero cost no rounding.
//
// All of C is looked at by Freivalds' check, C r = A (B r), in O(m k + k n + m
// n) for each vector r.
// - Whole numbers: modulo 2^64, with one vector of random numbers. An element
//   that is found is refused if it is not whole or beyond k largest^2, which
//   an int holds: errors are at most 2^32, and a wrong row is overlooked with a
//   probability of at most 2^-32. This is what finds wrong indexing.
// - Real numbers: with vectors of random signs. The errors of the elements of
//   row i may reach most_deviations times the root of the sum of their squares,
//   for which the squares of the norms of the rows of B, times those of the
//   elements of row i of A, are added up.
template <typename T, typename Wide>
class MatmulOracle final : public Oracle, public KnowsErrors {
 public:
  using Element = Matmul::Result<T>;

  explicit MatmulOracle(Operands<T> operands) : p_(std::move(operands)) {
    const double row_flops =
        2.0 * static_cast<double>(p_.k) * static_cast<double>(p_.n);
    const double m = static_cast<double>(p_.m);
    if (!p_.exact) {
      of_column_ = squares_of_columns(p_.b.data(), p_.k, p_.n);
      of_row_ = squares_of_rows(p_.a.data(), p_.m, p_.k,
                                std::vector<double>(p_.k, 1));
    }
    if (m * row_flops <= full_reference_flops<Wide> &&
        m * static_cast<double>(p_.n) <= full_reference_elements) {
      std::vector<std::int64_t> rows(p_.m);
      std::iota(rows.begin(), rows.end(), 0);
      all_ = reference(std::move(rows));
      return;
    }
    sample_ = rows_to_draw(full_reference_flops<Wide> / 8 / row_flops);
    if (!p_.exact) bound_rows();
  }

  std::optional<Mismatch> check(const Arrays& outputs) const override {
    const auto* c = outputs.get<const Element>("c");
    if (all_) return all_->check(c);
    if (p_.exact) return check_whole(c);
    if (auto mismatch = reference(draw_rows(p_.m, sample_)).check(c))
      return mismatch;
    return check_signs(c);
  }
  // The largest error of the elements that are compared one by one.
  std::optional<LargestError> largest_error(
      const Arrays& outputs) const override {
    if (p_.exact) return std::nullopt;
    const auto* c = outputs.get<const Element>("c");
    return all_ ? all_->largest_error(c)
                : reference(draw_rows(p_.m, sample_)).largest_error(c);
  }

 private:
  RowsReference reference(std::vector<std::int64_t> rows) const {
    RowsReference made{.rows = std::move(rows), .n = p_.n};
    const auto count = std::ssize(made.rows);
    made.expected.resize(count * p_.n);
    if (!p_.exact) {
      made.bound.resize(count * p_.n);
      made.unit.resize(count * p_.n);
    }
    // rows of many columns are shared
    constexpr std::int64_t width = 1024;
    const auto parts = (p_.n + width - 1) / width;
    each_row(0, count * parts, [&](std::int64_t part) {
      const auto first = part % parts * width;
      fill(made, part / parts, first, std::min(width, p_.n - first));
    });
    return made;
  }

  // Row r of the reference, `count` columns.
  void fill(RowsReference& made, std::int64_t r, std::int64_t first,
            std::int64_t count) const {
    const auto row = made.rows[r];
    const Element* a = p_.row_of_a(row);
    std::vector<Wide> sum(count);
    std::vector<double> magnitude(p_.exact ? 0 : count);
    for (std::int64_t i = 0; i < p_.k; ++i) {
      const Wide factor_a = static_cast<Wide>(a[i]);
      const Element* b = p_.b.data() + i * p_.n + first;
      for (std::int64_t j = 0; j < count; ++j)
        sum[j] += factor_a * static_cast<Wide>(b[j]);
      if (magnitude.empty()) continue;
      const double size_a = std::abs(static_cast<double>(a[i]));
      for (std::int64_t j = 0; j < count; ++j)
        magnitude[j] += size_a * std::abs(static_cast<double>(b[j]));
    }
    const auto at = r * p_.n + first;
    std::transform(sum.begin(), sum.end(), made.expected.begin() + at,
                   [](Wide value) { return static_cast<double>(value); });
    if (magnitude.empty()) return;
    const auto terms = p_.terms(row);
    const double factor = p_.rounds.of_products(terms),
                 own = gamma(terms, wide_roundoff<Wide>),
                 plain_factor = p_.plain_factor(row),
                 of_norm = p_.rounds.of_norm(terms, Terms::random) *
                           std::sqrt(of_row_[row] / static_cast<double>(p_.k));
    for (std::int64_t j = 0; j < count; ++j) {
      double most = factor * magnitude[j];
      if (p_.terms_are == Terms::random)
        most = std::min(most, of_norm * std::sqrt(of_column_[first + j]));
      // The last term: the expected value was rounded to double,
      // and so was the magnitude.
      made.bound[at + j] =
          (most + own * magnitude[j]) * (1 + gamma(p_.k, 0x1p-53)) +
          std::abs(made.expected[at + j]) * 0x1p-53;
      made.unit[at + j] = plain_factor * magnitude[j];
    }
  }

  std::optional<Mismatch> check_whole(const Element* c) const {
    const auto x = draw_vector(p_.n);
    const auto expected =
        multiply<Modular, 1>(p_.a.data(), p_.m, p_.k,
                             multiply<Modular, 1>(p_.b.data(), p_.k, p_.n, x));
    const auto largest = static_cast<double>(p_.largest);
    const double most = static_cast<double>(p_.k) * largest * largest;
    const auto row = first_wrong(p_.m, [&](std::int64_t i) {
      Modular sum = 0;
      for (std::int64_t j = 0; j < p_.n; ++j) {
        const auto found = modular(c[i * p_.n + j], most);
        if (!found) return true;
        sum += *found * x[j];
      }
      return sum != expected[i];
    });
    return row < p_.m ? reference({row}).check(c) : std::nullopt;
  }

  // The errors of row i of C times random signs, of A (B r) and of C r.
  void bound_rows() {
    const auto squares = squares_of_rows(
        p_.a.data(), p_.m, p_.k,
        squares_of_rows(p_.b.data(), p_.k, p_.n, std::vector<double>(p_.n, 1)));
    const double wide = wide_roundoff<Wide>,
                 own = (gamma(p_.n + p_.k, wide) + 2 * gamma(p_.n, wide)) *
                       std::sqrt(static_cast<double>(p_.n) *
                                 static_cast<double>(p_.k));
    bound_of_row_.resize(p_.m);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < p_.m; ++i) {
      const double of_c = p_.rounds.of_norm(p_.terms(i), p_.terms_are);
      bound_of_row_[i] = (most_deviations * of_c + own) *
                         std::sqrt(squares[i]) *
                         (1 + gamma(p_.n + p_.k, 0x1p-53));
    }
  }

  std::optional<Mismatch> check_signs(const Element* c) const {
    const auto signs = draw_signs<Wide>(p_.n);
    const auto expected = multiply<Wide, sign_vectors>(
        p_.a.data(), p_.m, p_.k,
        multiply<Wide, sign_vectors>(p_.b.data(), p_.k, p_.n, signs));
    const auto found = multiply<Wide, sign_vectors>(c, p_.m, p_.n, signs);
    for (std::int64_t i = 0; i < p_.m; ++i) {
      for (int v = 0; v < sign_vectors; ++v) {
        const auto at = i * sign_vectors + v;
        if (std::abs(found[at] - expected[at]) <= bound_of_row_[i]) continue;
        if (auto mismatch = reference({i}).check(c)) return mismatch;
        return Mismatch{
            "row " + std::to_string(i) + " of c times a random vector",
            static_cast<double>(expected[at]), static_cast<double>(found[at]),
            bound_of_row_[i]};
      }
    }
    return std::nullopt;
  }

  Operands<T> p_;
  // sums of squares, of a row of A and of a column of B; none where equality
  // is demanded
  std::vector<double> of_row_, of_column_;
  std::optional<RowsReference> all_;
  std::int64_t sample_ = 0;           // where not all are compared
  std::vector<double> bound_of_row_;  // times a vector of signs
};

Dtype dtype_of_result(Dtype dtype) {
  return dispatch_all(
      dtype, []<typename T>(T) { return dtype_of<Matmul::Result<T>>(); });
}

template <typename T>
void fill_as(const Arrays& inputs, const Size& size, InputKind kind) {
  const auto k = size[1];
  const bool whole = kind == InputKind::integers || std::is_same_v<T, int>;
  const WholeRange limit = integer_limit(dtype_of<T>(), k, kind);
  const FewTerms some = k;
  const auto element = [=](std::uint64_t stream) {
    return [=](std::int64_t i) {
      if (whole) return random_integer<T>(stream, i, limit);
      if (kind == InputKind::uniform) return random_uniform<T>(stream, i);
      if constexpr (std::is_same_v<T, int>) {
        return T{};  // always whole
      } else {
        const bool zero = stream == 1 && !random_term(5, i, some);
        return zero ? T{} : random_wide<T>(stream, i);
      }
    };
  };
  reference::fill_input<T>(inputs, "a", element(1));
  reference::fill_input<T>(inputs, "b", element(2));
}

const reference::RegisterOracle<float, double, int, half, bfloat16>
    matmul_registered(
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
                [](const Size& size) {
                  return 2.0 * size[0] * size[1] * size[2];
                },
            .fill = for_all_kinds<float, double, int, half, bfloat16>(
                []<typename T>(T, const Arrays& inputs, const Size& size,
                               InputKind kind) {
                  fill_as<T>(inputs, size, kind);
                }),
        },
        []<typename T>(const Arrays& inputs, const Size& size, InputKind kind,
                       Arithmetic arithmetic, T) -> std::unique_ptr<Oracle> {
          const bool exact =
              kind == InputKind::integers || std::is_same_v<T, int>;
          const auto m = size[0], k = size[1], n = size[2];
          Operands<T> problem{.a = {inputs.get<const T>("a"), m * k},
                              .b = {inputs.get<const T>("b"), k * n},
                              .m = m,
                              .k = k,
                              .n = n,
                              .largest = integer_limit(dtype_of<T>(), k, kind),
                              .exact = exact,
                              .terms_are = terms_of(kind),
                              .rounds = rounding(dtype_of<T>(), arithmetic)};
          // Sums of whole numbers stay exact in double.
          using Wide = std::conditional_t<std::is_same_v<T, double>,
                                          long double, double>;
          if (exact)
            return std::make_unique<MatmulOracle<T, double>>(
                std::move(problem));
          return std::make_unique<MatmulOracle<T, Wide>>(std::move(problem));
        });

}  // namespace
}  // namespace parlab
