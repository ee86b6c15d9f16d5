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
// Let x be a column, s = sum |x|, c = x - mean the centred column, u the
// unit roundoff and gamma_n = n u / (1 - n u). (N. Higham, Accuracy and
// Stability of Numerical Algorithms, chapter 3.)
// - The mean: m - 1 sums in any order and one division: an error of at most
//   e = gamma_(m+1) s / mean_divisor.
// - A centred value: |c' - c| <= u |c| + t with t = (1 + u) e.
// - The sum of products of two columns of these, c and d, before any rounding
//   of its own:
//     E = sum |c' d' - c d| <= (2 u + u^2) sum |c| |d|
//         + (1 + u) (t_d sum |c| + t_c sum |d|) + m t_c t_d.
// - The sum in any order, and the division by the divisor:
//   gamma_(m+1) (sum |c| |d| + E) more.
// By Cauchy and Schwarz sum |c| |d| is at most |c|_2 |d|_2, so three numbers of
// each column say it all: t, sum |c| and the norm. Terms that are zero cost no
// rounding: m stands for those that are not. Arithmetic that is not IEEE adds
// what it does to products.
template <typename T, typename Wide>
class CovarianceColumns {
 public:
  explicit CovarianceColumns(const Covariance::Args<T>& p)
      : p_(p),
        mean_(p.n),
        of_input_(p.n),
        magnitude_(p.n),
        norm_(p.n),
        inputs_(p.n),
        terms_(p.n) {
    constexpr std::int64_t width = 64;
#pragma omp parallel for schedule(static)
    for (std::int64_t first = 0; first < p.n; first += width) {
      const std::int64_t end = std::min(first + width, p.n);
      for (std::int64_t k = 0; k < p.m; ++k) {
        for (std::int64_t j = first; j < end; ++j) {
          mean_[j] += static_cast<Wide>(p.data[k * p.n + j]);
          of_input_[j] += std::abs(static_cast<double>(p.data[k * p.n + j]));
          inputs_[j] += p.data[k * p.n + j] != 0;
        }
      }
      for (std::int64_t j = first; j < end; ++j)
        mean_[j] /= static_cast<Wide>(p.mean_divisor);
      for (std::int64_t k = 0; k < p.m; ++k) {
        for (std::int64_t j = first; j < end; ++j) {
          const double c = std::abs(static_cast<double>(centred(k, j)));
          magnitude_[j] += c;
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
    return std::max(*std::max_element(of_input_.begin(), of_input_.end()),
                    largest_product() * 8);
  }
  double largest_product() const {
    const double norm = *std::max_element(norm_.begin(), norm_.end());
    return norm * norm;
  }

  // The bound above, for arithmetic that rounds like this. It is linear in
  // what it takes of column j, so that the sum of a row is one expression too.
  // This computation rounds as well, and takes the reference's means: each is
  // a relative error of no more than the last factor.
  class Bound {
   public:
    Bound(const CovarianceColumns& columns, const Rounding& rounds, double u)
        : c_(columns), rounds_(rounds), u_(u), of_mean_(c_.n()) {
      const Rounding plain{.sum = u, .to_nearest = rounds.to_nearest};
      for (std::int64_t j = 0; j < c_.n(); ++j) {
        of_mean_[j] = (1 + u) * plain.of_sum(c_.inputs_[j] + 1) *
                      c_.of_input_[j] / c_.p_.mean_divisor;
      }
      const auto sum = [](const std::vector<double>& v) {
        return std::accumulate(v.begin(), v.end(), 0.0);
      };
      all_ = {sum(of_mean_), sum(c_.magnitude_), sum(c_.norm_)};
    }
    double operator()(std::int64_t i, std::int64_t j) const {
      const auto terms = std::min(c_.terms_[i], c_.terms_[j]);
      return of(i, {of_mean_[j], c_.magnitude_[j], c_.norm_[j]}, terms + 1);
    }
    // The bound of row i times a vector of +1 and -1, where each product
    // adds up `more` numbers.
    double of_row(std::int64_t i, std::int64_t more) const {
      return of(i, all_, c_.terms_[i] + 1 + more);
    }

   private:
    struct Column {
      // mean: its error, as a centred value has it
      double mean = 0, magnitude = 0, norm = 0;
    };
    double of(std::int64_t i, const Column& column,
              std::int64_t roundings) const {
      const double t_i = of_mean_[i], t = column.mean;
      const double products = c_.norm_[i] * column.norm;
      const double e =
          (2 * u_ + u_ * u_) * products +
          (1 + u_) * (t * c_.magnitude_[i] + t_i * column.magnitude) +
          static_cast<double>(c_.m()) * t_i * t;
      const double sum = e + rounds_.of_products(roundings) * (products + e);
      return sum / static_cast<double>(c_.p_.divisor) *
             (1 + gamma(4 * c_.m() + c_.n(), 0x1p-53));
    }
    const CovarianceColumns& c_;
    Rounding rounds_;
    double u_;
    std::vector<double> of_mean_;
    Column all_;  // sums over all columns
  };

 private:
  Covariance::Args<T> p_;
  std::vector<Wide> mean_;
  std::vector<double> of_input_, magnitude_, norm_;  // sum |x|, sum |c|, |c|_2
  std::vector<std::int64_t> inputs_, terms_;  // how many x and c are not zero
};

}  // namespace parlab
