// Many sums of products in double at once, for references that floats are
// compared with, and for the magnitudes in error bounds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace parlab {

// Like PairRows, but each sum is a double. magnitudes: sums |weight| |x|
// instead.
template <bool magnitudes>
class DoubleRows {
 public:
  DoubleRows(std::int64_t rows, std::int64_t cols)
      : cols_(cols), sum_(rows * cols) {}

  void clear() { std::fill(sum_.begin(), sum_.end(), 0.0); }
  template <typename T>
  void add(std::int64_t row, double weight, const T* x, std::int64_t from,
           std::int64_t end) {
    double* const sum = &sum_[row * cols_];
    for (std::int64_t i = from; i < end; ++i)
      sum[i] += taken(weight) * taken(static_cast<double>(x[i]));
  }
  void add(std::int64_t row, double weight, const DoubleRows& other,
           std::int64_t other_row, std::int64_t from, std::int64_t end) {
    add(row, weight, &other.sum_[other_row * other.cols_], from, end);
  }
  void copy(std::int64_t row, std::int64_t count, double* to) const {
    std::copy_n(&sum_[row * cols_], count, to);
  }

 private:
  static double taken(double x) { return magnitudes ? std::abs(x) : x; }

  std::int64_t cols_;
  std::vector<double> sum_;
};

}  // namespace parlab
