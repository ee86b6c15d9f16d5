#include "workloads/covariance.hpp"

#include <cmath>
#include <vector>

#include "core/roundoff.hpp"
#include "reference/declared_workload.hpp"
#include "reference/product.hpp"

namespace parlab::reference {
namespace {

// ---- inputs -----------------------------------------------------------------

// Whole numbers whose means, centred values and products are whole, and every
// partial sum of them something T holds: data[k][j] = mean_j + r[k][j] - r[k
// + 1][j], the last row followed by the first, so that the differences of a
// column sum to 0. r lies in [-limit, limit], and is even in even rows and odd
// in odd ones: no difference is 0, but between the ends of an odd number of
// rows. One element of `thin` is drawn, the others being 0. With float_n no
// mean but 0 is whole.
struct WholeNumbers {
  std::int64_t mean, limit, thin;
};

// The sums of products stay below an eighth of what T counts up to: so that a
// quotient tells them apart (see divided). 4 m limit^2 bounds them without
// thinning; with it, in all likelihood, and the oracle makes sure.
WholeNumbers whole_numbers(const Size& size, Dtype dtype) {
  const double m = static_cast<double>(size[0]),
               exact = 1 / unit_roundoff(dtype);
  return {size[2] == 0 && 16 * m <= exact ? 3 : 0,
          static_cast<std::int64_t>(
              std::clamp(std::floor(std::sqrt(exact / (32 * m))), 1.0, 4.0)),
          static_cast<std::int64_t>(std::max(std::ceil(32 * m / exact), 1.0))};
}

template <typename T>
T whole_number(std::int64_t k, std::int64_t j, const Size& size,
               const WholeNumbers& range) {
  const auto drawn = [&](std::int64_t row) {
    const auto i = static_cast<std::uint64_t>(row * size[1] + j);
    if (random_bits(3, i) % static_cast<std::uint64_t>(range.thin) != 0)
      return T{0};
    // of the numbers of this parity, the first one
    const auto least = -range.limit + (range.limit + row) % 2;
    const auto count = (range.limit - least) / 2 + 1;
    return static_cast<T>(
        least + 2 * static_cast<std::int64_t>(
                        random_bits(1, i) % static_cast<std::uint64_t>(count)));
  };
  const auto mean =
      range.mean == 0
          ? T{0}
          : random_integer<T>(2, static_cast<std::uint64_t>(j), range.mean);
  return mean + drawn(k) - drawn(k + 1 < size[0] ? k + 1 : 0);
}

// Wide numbers: a column has one number, its opposite, and zeros. Its sum is
// zero in any order, so the means cost no rounding and few centred values
// differ from zero. Columns whose numbers are in the same rows have a product
// that is not zero. Every other column has a mean much larger than its
// deviations: its products lose their digits unless it is centred first.
template <typename T>
T wide_number(std::int64_t k, std::int64_t j, const Size& size) {
  const auto m = size[0], n = size[1], middle = m / 2;
  const T number = random_wide<T>(1, static_cast<std::uint64_t>(j)),
          mean = j % 2 == 0 ? T{0} : 256 * number;
  if (middle == 0) return number;
  const auto places = std::min(middle, std::max<std::int64_t>(n / 8, 1));
  const auto place =
      static_cast<std::int64_t>(random_bits(6, static_cast<std::uint64_t>(j)) %
                                static_cast<std::uint64_t>(places));
  const auto row = place * middle / places;
  return mean + (k == row ? number : k == row + middle ? -number : T{0});
}

// ---- the oracle -------------------------------------------------------------

// How far results may be from what they should be. Let x be a column of m
// numbers, c = x - mean the centred column, u the unit roundoff, and f(m) =
// Rounding::of_norm.
// - The mean, m - 1 sums in any order and one division, has an error of at most
//   e = f(m + 1) |x|_2 / mean_divisor.
// - A centred value is computed as c' = (c + s)(1 + d), |s| <= e for the whole
//   column, and |d| <= u. With c and g, two columns of these, and shifts s, t:
//     sum c' g' = sum c g + t sum c + s sum g + m s t + (roundings).
//   The sums of c and g are mean (mean_divisor - m): zero, but with float_n.
//   The roundings are at most (2 u + u^2) |c + s|_2 |g + t|_2, by Cauchy and
//   Schwarz.
// - The sum of m products and the division by the divisor: where
//   nothing is random, of_products(m + 1) |c'|_2 |g'|_2; of a column with
//   itself, as of roundings in one direction. For random numbers,
//   of_squares(m + 1) |c'|_2^2. Otherwise the terms have random signs,
//   f(m + 1) times the root of the sum of their squares, which is |c|_2 |g|_2 /
//   sqrt(m): given g, a partial sum is linear in independent uniform numbers x,
//   of variance |c|_2^2 / m, and to centre them is a projection, which makes no
//   coefficients larger.
// Three numbers of each column say it all: its shift, its sum and its norm.
// Terms that are zero cost no rounding: m stands for those that are not.
// Arithmetic that is not IEEE adds what it does to products. It is linear in
// what it takes of the second column, so that with norms over all columns it
// bounds the norm of a row.
struct Bounds {
  struct Column {
    double shift = 0, sum = 0, norm = 0;
  };
  Rounding rounds;
  double u;
  Terms terms_are;
  std::vector<Column> columns = {};
  Column of_all = {};  // norms over all columns

  // Squares of few distinct numbers are rounded alike wherever they are
  // added, so the errors of their sum may all have one direction.
  double of_squares(std::int64_t terms) const {
    if (terms_are == Terms::random) return rounds.of_squares(terms);
    Rounding one_way = rounds;
    one_way.to_nearest = false;
    return one_way.of_products(terms);
  }
  double of_products(std::int64_t terms) const {
    return rounds.of_norm(terms, terms_are) /
           std::sqrt(static_cast<double>(terms));
  }
};

// C^T C, of the centred observations. Whole numbers: equality is demanded as
// long as all means are whole; no sum is larger than the largest square of a
// norm, less than 2^50.
template <typename T, typename Sum>
struct CovarianceProduct {
  using Result = T;
  using Wide = Sum;
  static constexpr int left_rows = 64;
  // Sums in pairs of doubles are slower.
  static constexpr double affordable = std::is_same_v<Wide, double> ? 5e8 : 1e8,
                          affordable_sample = affordable / 16,
                          most_elements = 1 << 20;

  CovarianceProduct(const Covariance::Args<T>& p, InputKind kind,
                    Arithmetic arithmetic)
      : rows(p.n), depth(p.m), cols(p.n), divisor(p.divisor), p_(p) {
    look_at_columns();
    // Where elements have changed between executions, means need not be whole
    // any more.
    exact = kind == InputKind::integers &&
            std::ranges::all_of(mean_, [](Wide mean) {
              const auto value = static_cast<double>(mean);
              return value == std::nearbyint(value);
            });
    const double u = unit_roundoff(dtype_of<T>()),
                 largest = std::ranges::max(norm_);
    most = largest * largest;
    if (!exact) {
      computed_ =
          bounds(rounding(dtype_of<T>(), arithmetic), u, terms_of(kind));
      own_ = bounds(rounding_of_wide<Wide>, rounding_of_wide<Wide>.sum,
                    Terms::any);
    } else if (8 * most > 1 / u || std::sqrt(static_cast<double>(p.m)) *
                                           std::ranges::max(input_norm_) >
                                       1 / u) {
      throw std::logic_error("covariance: whole inputs whose sums reach " +
                             std::to_string(most) + ", too much for " +
                             std::string(to_string(dtype_of<T>())));
    }
  }

  Wide left(std::int64_t i, std::int64_t k) const { return right(k, i); }
  Wide right(std::int64_t k, std::int64_t j) const {
    return Wide(p_.data[k * cols + j]) - mean_[j];
  }
  T divided(double whole) const { return static_cast<T>(whole) / divisor; }

  auto bound(std::int64_t i) const {
    return [this, i](std::int64_t j, double /*magnitude*/) {
      return of_element(computed_, i, j) + of_element(own_, i, j);
    };
  }
  // The reference adds up n numbers in C x, and so does the result times x.
  double bound_of_signs(std::int64_t i) const {
    return most_deviations * of_row(computed_, i, 0) +
           std::sqrt(static_cast<double>(cols)) * of_row(own_, i, 3 * cols);
  }

  // Either output as n x n elements.
  auto found(const Arrays& outputs) const {
    return [n = cols, cov = outputs.get<const T>("cov"),
            packed = outputs.get<const T>("cov_packed")](auto i, auto j) {
      return cov != nullptr ? cov[i * n + j]
                            : packed[Covariance::packed_index(
                                  std::min(i, j), std::max(i, j), n)];
    };
  }
  std::vector<ExpectedOutput> outputs(const auto& compute) const {
    std::vector<ExpectedOutput> all{compute("cov"), {}};
    const auto& cov = all[0].elements;
    auto& [spec, n, packed, unit, some] = all[1];
    spec = all[0].spec;
    spec.name = "cov_packed", spec.shape = {};
    spec.count = Covariance::packed_count(cols), n = 1;
    for (std::int64_t i = 0; i < cols; ++i)
      packed.insert(packed.end(), &cov[i * cols + i], &cov[i * cols] + cols);
    return all;
  }

  std::int64_t rows, depth, cols;
  T divisor;
  bool exact;
  double most;

 private:
  void look_at_columns() {
    const auto n = cols;
    mean_.resize(n), input_norm_.resize(n), norm_.resize(n);
    inputs_.resize(n), terms_.resize(n);
    // f(k, j) for all elements of some columns
    constexpr std::int64_t width = 64;
#pragma omp parallel for schedule(static)
    for (std::int64_t first = 0; first < n; first += width) {
      const std::int64_t end = std::min(first + width, n);
      const auto each = [&](const auto& f) {
        for (std::int64_t k = 0; k < depth; ++k) {
          for (std::int64_t j = first; j < end; ++j)
            f(k, j);
        }
      };
      each([&](auto k, auto j) {
        const auto x = static_cast<double>(p_.data[k * n + j]);
        mean_[j] += Wide(x);
        input_norm_[j] += x * x;
        inputs_[j] += x != 0;
      });
      for (std::int64_t j = first; j < end; ++j)
        mean_[j] = mean_[j] / Wide(p_.mean_divisor);
      each([&](auto k, auto j) {
        const auto c = static_cast<double>(right(k, j));
        norm_[j] += c * c;
        terms_[j] += c != 0;
      });
      // Where a mean was rounded, no centred value is zero.
      for (std::int64_t j = first; j < end; ++j)
        if (static_cast<double>(mean_[j]) != 0) terms_[j] = depth;
    }
    for (std::int64_t j = 0; j < n; ++j) {
      input_norm_[j] = std::sqrt(input_norm_[j]);
      norm_[j] = std::sqrt(norm_[j]);
    }
  }

  Bounds bounds(const Rounding& rounds, double u, Terms terms) const {
    // Sums of equal numbers are rounded alike.
    const Rounding plain{
        .sum = u, .to_nearest = rounds.to_nearest && terms == Terms::random};
    const double m = static_cast<double>(depth),
                 mean_divisor = static_cast<double>(p_.mean_divisor);
    // Means that take away more than there is do not project.
    Bounds made{rounds, u, mean_divisor < m ? Terms::any : terms};
    auto& all = made.of_all;
    for (std::int64_t j = 0; j < cols; ++j) {
      const double shift = (1 + u) *
                           plain.of_norm(inputs_[j] + 1, made.terms_are) *
                           input_norm_[j] / mean_divisor,
                   sum = std::abs(static_cast<double>(mean_[j]) *
                                  (mean_divisor - m));
      made.columns.push_back({shift, sum, norm_[j]});
      all = {std::hypot(all.shift, shift), std::hypot(all.sum, sum),
             std::hypot(all.norm, norm_[j])};
    }
    return made;
  }
  // This computation rounds as well, and takes the reference's means: each is a
  // relative error of no more than the last factor.
  double of(const Bounds& by, std::int64_t i, const Bounds::Column& other,
            double of_sum) const {
    const double m = static_cast<double>(depth), root = std::sqrt(m);
    const auto& own = by.columns[i];
    const double products = (own.norm + root * own.shift) *
                            (other.norm + root * other.shift),
                 rounded = 2 * by.u + by.u * by.u;
    const double error = other.shift * own.sum + own.shift * other.sum +
                         m * own.shift * other.shift +
                         (rounded + of_sum * (1 + rounded)) * products;
    return error / static_cast<double>(divisor) *
           (1 + gamma(4 * depth + cols, 0x1p-53));
  }
  double of_element(const Bounds& by, std::int64_t i, std::int64_t j) const {
    const auto terms = std::min(terms_[i], terms_[j]) + 1;
    return of(by, i, by.columns[j],
              i == j ? by.of_squares(terms) : by.of_products(terms));
  }
  // The bound of the norm of row i, where each sum has `more` roundings.
  double of_row(const Bounds& by, std::int64_t i, std::int64_t more) const {
    return of(by, i, by.of_all, by.of_products(terms_[i] + 1 + more)) +
           of_element(by, i, i);
  }

  Covariance::Args<T> p_;
  std::vector<Wide> mean_;
  std::vector<double> input_norm_, norm_;     // |x|_2, |c|_2
  std::vector<std::int64_t> inputs_, terms_;  // how many x and c are not zero
  Bounds computed_, own_;  // of a variant, and of this reference
};

const RegisterOracle<float, double> covariance_registered(
    {
        .name = "covariance",
        .summary = "covariance matrix of n variables, the columns of m "
                   "observations (m x n, row-major)",
        .extents = {"m", "n"},
        .parameters = {{.name = "float_n",
                        .fallback = 0,
                        .min = 0,
                        .max = 1'000'000'000'000}},
        .arrays = {in("data", {"m", "n"}),
                   out("cov", {"n", "n"}),
                   {.name = "cov_packed",
                    .role = Role::output,
                    .count =
                        [](const Size& size) {
                          return Covariance::packed_count(size[1]);
                        },
                    .layout_of = "cov"}},
        // The product has one triangle; the other is a copy.
        .work =
            [](const Size& size, Dtype dtype) {
              const auto m = static_cast<double>(size[0]),
                         n = static_cast<double>(size[1]),
                         element = static_cast<double>(bytes_of(dtype)),
                         written = n * (n + 1) / 2 * element;
              return Work{m * n * (n + 1) + 2 * m * n,
                          m * n * element + written, written};
            },
        .fill = for_all_kinds<float, double>(
            []<typename T>(T, const Arrays& inputs, const Size& size,
                           InputKind kind) {
              const auto n = size[1];
              const WholeNumbers range = whole_numbers(size, dtype_of<T>());
              fill_input<T>(inputs, "data", [&](std::int64_t i) {
                if (kind == InputKind::uniform) return random_uniform<T>(1, i);
                if (kind == InputKind::wide)
                  return wide_number<T>(i / n, i % n, size);
                return whole_number<T>(i / n, i % n, size, range);
              });
            }),
    },
    []<typename T>(const Arrays& inputs, const Size& size, InputKind kind,
                   Arithmetic arithmetic, T) {
      const auto p = Covariance::bind<T>(inputs, size.data());
      // Sums of whole numbers stay exact in double.
      return kind == InputKind::integers
                 ? product_oracle<CovarianceProduct<T, double>>(p, kind,
                                                                arithmetic)
                 : product_oracle<CovarianceProduct<T, Wide<T>>>(p, kind,
                                                                 arithmetic);
    });

}  // namespace
}  // namespace parlab::reference
