#include "core/pair_rows.hpp"

#include <algorithm>
#include <cmath>

// Compiled without contraction (Makefile). If a product were fused with an
// addition, its rounding error would not be the one computed here.

namespace parlab {
namespace {

// sum + lost += weight * x. The errors of the product and of the addition are
// themselves doubles (two-product by a fused operation; two-sum, Knuth).
inline void add_product(double& sum, double& lost, double weight, double x) {
  const double product = weight * x;
  const double of_product = std::fma(weight, x, -product);
  const double before = sum;
  sum = before + product;
  const double added = sum - before;
  const double of_sum = (before - (sum - added)) + (product - added);
  lost += of_product + of_sum;
}

}  // namespace

PairRows::PairRows(std::int64_t rows, std::int64_t cols)
    : cols_(cols), sum_(rows * cols), lost_(rows * cols) {}

void PairRows::clear() {
  std::fill(sum_.begin(), sum_.end(), 0.0);
  std::fill(lost_.begin(), lost_.end(), 0.0);
}

void PairRows::add(std::int64_t row, double weight, const double* x,
                   std::int64_t from, std::int64_t end) {
  double* const sum = &sum_[row * cols_];
  double* const lost = &lost_[row * cols_];
  for (std::int64_t i = from; i < end; ++i)
    add_product(sum[i], lost[i], weight, x[i]);
}

void PairRows::add(std::int64_t row, double weight, const PairRows& other,
                   std::int64_t other_row, std::int64_t from,
                   std::int64_t end) {
  double* const sum = &sum_[row * cols_];
  double* const lost = &lost_[row * cols_];
  const double* const x = &other.sum_[other_row * cols_];
  const double* const lost_of_x = &other.lost_[other_row * cols_];
  for (std::int64_t i = from; i < end; ++i) {
    add_product(sum[i], lost[i], weight, x[i]);
    lost[i] += weight * lost_of_x[i];
  }
}

void PairRows::copy(std::int64_t row, std::int64_t count, double* to) const {
  const double* const sum = &sum_[row * cols_];
  const double* const lost = &lost_[row * cols_];
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = sum[i] + lost[i];
}

}  // namespace parlab
