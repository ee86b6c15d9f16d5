// Common parts of the workloads on dense matrices.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "core/workload.hpp"

namespace parlab {

// In float and double; its size is typed as n x n, or as rows and columns.
// Contract has fill_as<T>() and oracle_of<T>().
template <typename Contract>
class DenseWorkload : public Workload {
 public:
  Size complete(const std::vector<std::int64_t>& typed) const final {
    if (typed.size() == 1) return {typed[0], typed[0]};
    if (typed.size() == 2) return typed;
    const auto names = dimensions();
    throw UsageError(std::string(name()) + " takes one size (n x n) or two (" +
                     std::string(names[0]) + " " + std::string(names[1]) + ")");
  }
  std::vector<Dtype> dtypes() const final { return {Dtype::f32, Dtype::f64}; }
  void fill(const Arrays& inputs, const Size& size, Dtype dtype,
            InputKind kind) const final {
    dispatch<float, double>(dtype, [&]<typename T>(T) {
      Contract::template fill_as<T>(inputs, size, kind);
    });
  }
  std::unique_ptr<Oracle> oracle(const Arrays& inputs, const Size& size,
                                 Dtype dtype, InputKind kind,
                                 Arithmetic arithmetic) const final {
    return dispatch<float, double>(dtype, [&]<typename T>(T) {
      return Contract::template oracle_of<T>(inputs, size, kind, arithmetic);
    });
  }
};

// "b[3,5]"
inline std::string element_name(const char* array, std::int64_t row,
                                std::int64_t col) {
  return array + ("[" + std::to_string(row)) + "," + std::to_string(col) + "]";
}

// Whether all of found[begin] to found[end - 1] are right, in a form that is
// vectorised. bound: nullptr demands equality. NaN, which compares false,
// fails.
template <typename T>
bool all_within(const T* found, const double* expected, const double* bound,
                std::int64_t begin, std::int64_t end) {
  bool wrong = false;
  if (bound == nullptr) {
    for (std::int64_t i = begin; i < end; ++i)
      wrong |= !(static_cast<double>(found[i]) == expected[i]);
  } else {
    for (std::int64_t i = begin; i < end; ++i) {
      const double off = std::abs(static_cast<double>(found[i]) - expected[i]);
      wrong |= !(off <= bound[i]);
    }
  }
  return !wrong;
}

// The finding of check(row) in the first row in which it finds anything.
template <typename Check>
std::optional<Mismatch> first_mismatch(std::int64_t rows, const Check& check) {
  std::int64_t first = rows;
#pragma omp parallel for schedule(dynamic, 16) reduction(min : first)
  for (std::int64_t row = 0; row < rows; ++row) {
    if (first > row && check(row)) first = row;
  }
  return first < rows ? check(first) : std::nullopt;
}

// The first, the last and random ones between, `count` at the most.
inline std::vector<std::int64_t> some_rows(std::int64_t rows,
                                           std::int64_t count) {
  std::vector<std::int64_t> some{0, rows - 1};
  for (std::int64_t i = 0; i < count - 2; ++i) {
    some.push_back(static_cast<std::int64_t>(random_bits(4, i) %
                                             static_cast<std::uint64_t>(rows)));
  }
  std::sort(some.begin(), some.end());
  some.erase(std::unique(some.begin(), some.end()), some.end());
  return some;
}

}  // namespace parlab
