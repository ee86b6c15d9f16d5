// Many sums of products of doubles at once, with twice the precision of double,
// for references that doubles are compared with. Several times as fast as long
// double, for which vector units have no support.
#pragma once

#include <cstdint>
#include <vector>

namespace parlab {

// rows x cols sums, initially zero. Each sum is kept as two doubles, its
// rounded value and the accumulated rounding errors. This is the algorithm Dot2
// of Ogita, Rump and Oishi (Accurate sum and dot product, 2005). With n
// products the error is one rounding to double plus n^2 2^-106 of the sum of
// their magnitudes, unless something overflows or is lost below 2^-969.
class PairRows {
 public:
  PairRows(std::int64_t rows, std::int64_t cols);

  void clear();
  // sum[row][i] += weight * x[i] for from <= i < end.
  void add(std::int64_t row, double weight, const double* x, std::int64_t from,
           std::int64_t end);
  // sum[row][i] += weight * other.sum[other_row][i] for from <= i < end.
  void add(std::int64_t row, double weight, const PairRows& other,
           std::int64_t other_row, std::int64_t from, std::int64_t end);
  // The first `count` sums of a row, rounded to double.
  void copy(std::int64_t row, std::int64_t count, double* to) const;

 private:
  std::int64_t cols_;
  std::vector<double> sum_, lost_;
};

}  // namespace parlab
