// The means of a covariance, and the bound on the error of a result.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/roundoff.hpp"
#include "workloads/covariance.hpp"

namespace parlab {

// Means in Wide, and of each column what the bound needs.
//
// Let x be a column of m numbers, c = x - mean the centred column, u the unit
// roundoff, and f(m) = Rounding::of_norm.
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
// Arithmetic that is not IEEE adds what it does to products.
template <typename T, typename Wide>
class CovarianceColumns {
 public:
  explicit CovarianceColumns(const Covariance::Args<T>& p)
      : p_(p),
        mean_(p.n),
        input_norm_(p.n),
        norm_(p.n),
        inputs_(p.n),
        terms_(p.n) {
    constexpr std::int64_t width = 64;
#pragma omp parallel for schedule(static)
    for (std::int64_t first = 0; first < p.n; first += width) {
      const std::int64_t end = std::min(first + width, p.n);
      for (std::int64_t k = 0; k < p.m; ++k) {
        for (std::int64_t j = first; j < end; ++j) {
          const auto x = static_cast<double>(p.data[k * p.n + j]);
          mean_[j] += static_cast<Wide>(p.data[k * p.n + j]);
          input_norm_[j] += x * x;
          inputs_[j] += x != 0;
        }
      }
      for (std::int64_t j = first; j < end; ++j) {
        mean_[j] /= static_cast<Wide>(p.mean_divisor);
        input_norm_[j] = std::sqrt(input_norm_[j]);
      }
      for (std::int64_t k = 0; k < p.m; ++k) {
        for (std::int64_t j = first; j < end; ++j) {
          const auto c = static_cast<double>(centred(k, j));
          norm_[j] += c * c;
          terms_[j] += c != 0;
        }
      }
      for (std::int64_t j = first; j < end; ++j)
        norm_[j] = std::sqrt(norm_[j]);
    }
  }

  std::int64_t m() const {
    return p_.m;
  }
  std::int64_t n() const {
    return p_.n;
  }
  T divisor() const {
    return p_.divisor;
  }
  Wide centred(std::int64_t k, std::int64_t j) const {
    return static_cast<Wide>(p_.data[k * p_.n + j]) - mean_[j];
  }

  // All means are whole numbers.
  bool whole() const {
    return std::all_of(mean_.begin(), mean_.end(),
                       [](Wide mean) { return mean == std::nearbyint(mean); });
  }
  // No sum of whole numbers, in whatever order, is larger than this.
  double largest_sum() const {
    return std::max(
        std::sqrt(static_cast<double>(p_.m)) * std::ranges::max(input_norm_),
        largest_product() * 8);
  }
  double largest_product() const {
    const double norm = std::ranges::max(norm_);
    return norm * norm;
  }

  // The bound above, for arithmetic that rounds like this. It is linear in
  // what it takes of column j, so that with norms over all columns it bounds
  // the norm of a row. This computation rounds as well, and takes the
  // reference's means: each is a relative error of no more than the last
  // factor.
  class Bound {
   public:
    Bound(const CovarianceColumns& columns, const Rounding& rounds, double u,
          Terms terms)
        : c_(columns), rounds_(rounds), u_(u), terms_(terms), of_all_{} {
      const auto& p = c_.p_;
      const Rounding plain{.sum = u, .to_nearest = rounds.to_nearest};
      // Means that take away more than there is do not project.
      if (static_cast<double>(p.mean_divisor) < static_cast<double>(p.m))
        terms_ = Terms::any;
      for (std::int64_t j = 0; j < c_.n(); ++j) {
        const double shift = (1 + u) *
                             plain.of_norm(c_.inputs_[j] + 1, terms_) *
                             c_.input_norm_[j] / p.mean_divisor;
        const double sum = std::abs(
            static_cast<double>(c_.mean_[j]) *
            (static_cast<double>(p.mean_divisor) - static_cast<double>(p.m)));
        columns_.push_back({shift, sum, c_.norm_[j]});
        of_all_.shift = std::hypot(of_all_.shift, shift);
        of_all_.sum = std::hypot(of_all_.sum, sum);
        of_all_.norm = std::hypot(of_all_.norm, c_.norm_[j]);
      }
    }
    double operator()(std::int64_t i, std::int64_t j) const {
      const auto terms = std::min(c_.terms_[i], c_.terms_[j]) + 1;
      return of(i, columns_[j],
                i == j ? on_diagonal(terms) : off_diagonal(terms));
    }
    // The bound of the norm of row i, where each sum has `more` roundings.
    double of_row(std::int64_t i, std::int64_t more) const {
      return of(i, of_all_, off_diagonal(c_.terms_[i] + 1 + more)) +
             (*this)(i, i);
    }

   private:
    struct Column {
      double shift = 0, sum = 0, norm = 0;
    };
    // Squares of few distinct numbers are rounded alike wherever they are
    // added, so the errors of their sum may all have one direction.
    double on_diagonal(std::int64_t terms) const {
      if (terms_ == Terms::random) return rounds_.of_squares(terms);
      Rounding one_way = rounds_;
      one_way.to_nearest = false;
      return one_way.of_products(terms);
    }
    double off_diagonal(std::int64_t terms) const {
      return rounds_.of_norm(terms, terms_) /
             std::sqrt(static_cast<double>(terms));
    }
    double of(std::int64_t i, const Column& column, double of_sum) const {
      const double m = static_cast<double>(c_.m()), root = std::sqrt(m);
      const auto& own = columns_[i];
      const double products = (own.norm + root * own.shift) *
                              (column.norm + root * column.shift),
                   rounded = 2 * u_ + u_ * u_;
      const double error = column.shift * own.sum + own.shift * column.sum +
                           m * own.shift * column.shift +
                           (rounded + of_sum * (1 + rounded)) * products;
      return error / static_cast<double>(c_.p_.divisor) *
             (1 + gamma(4 * c_.m() + c_.n(), 0x1p-53));
    }
    const CovarianceColumns& c_;
    Rounding rounds_;
    double u_;
    Terms terms_;
    std::vector<Column> columns_;
    Column of_all_;  // norms over all columns
  };

 private:
  Covariance::Args<T> p_;
  std::vector<Wide> mean_;
  std::vector<double> input_norm_, norm_;     // |x|_2, |c|_2
  std::vector<std::int64_t> inputs_, terms_;  // how many x and c are not zero
};

}  // namespace parlab
