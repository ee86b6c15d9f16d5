// covariance: of n variables, each observed m times.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/register.hpp"

namespace parlab {

struct Covariance {
  // data: m x n, row-major: each row is an observation, each column a
  // variable. It must not be changed.
  //   mean_j   = sum over k of data[k][j], divided by mean_divisor
  //   cov[i,j] = sum over k of (data[k][i] - mean_i) (data[k][j] - mean_j),
  //              divided by divisor
  // Both divisions are divisions: a product with the reciprocal is rounded
  // twice, and with whole numbers equality is demanded. A variant writes
  // one of two outputs, the other is nullptr: cov: n x n, row-major, both
  // triangles; cov_packed: the upper triangle, see packed_index.
  template <typename T>
  struct Args {
    const T* data;
    T* cov;
    T* cov_packed;
    std::int64_t m, n;
    T mean_divisor, divisor;
  };

  // size: m, n, float_n. The divisors are m and m - 1; with a single
  // observation all elements are 0, and the divisor is 1. With float_n, in
  // hundredths, the printed experiment is repeated: column sums are divided
  // by float_n / 100, as T, and the product by nothing.
  template <typename T>
  static Args<T> bind(const NamedArrays& arrays, const std::int64_t* size) {
    const auto m = size[0], float_n = size[2];
    return {
        arrays.get<const T>("data"),
        arrays.get<T>("cov"),
        arrays.get<T>("cov_packed"),
        m,
        size[1],
        static_cast<T>(float_n == 0 ? static_cast<double>(m)
                                    : static_cast<double>(float_n) / 100),
        static_cast<T>(float_n == 0 ? std::max<std::int64_t>(m - 1, 1) : 1)};
  }

  // The upper triangle with its diagonal, row after row: n (n + 1) / 2
  // elements. Row `row` has n - row of them, (row,row) to (row,n-1).
  static constexpr std::int64_t packed_count(std::int64_t n) {
    return n * (n + 1) / 2;
  }

  // Where element (row,col) is; row <= col < n.
  static constexpr std::int64_t packed_index(std::int64_t row, std::int64_t col,
                                             std::int64_t n) {
    return row * (2 * n - row - 1) / 2 + col;
  }

  // The other direction: which element is at `index`,
  // 0 <= index < packed_count(n).
  struct Place {
    std::int64_t row, col;
  };
  static constexpr Place packed_place(std::int64_t index, std::int64_t n) {
    std::int64_t row = 0, end = n;  // the row is in [row, end)
    while (end - row > 1) {
      const std::int64_t middle = (row + end) / 2;
      (packed_index(middle, middle, n) <= index ? row : end) = middle;
    }
    return {row, index - packed_index(row, row, n) + row};
  }
};

}  // namespace parlab
