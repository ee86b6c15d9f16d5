// Compares outputs with those of a reference loop, element by element.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/untouched.hpp"
#include "core/workload.hpp"

namespace parlab::reference {

// The right value of an element, and how far a result may lie from it. The
// value is not a number where nothing may be written.
struct Expected {
  double value, bound;
};
constexpr Expected kept{std::numeric_limits<double>::quiet_NaN(), 0};

struct ExpectedOutput {
  ArraySpec spec;
  std::int64_t cols;  // elements of a row
  Untouched<Expected> elements;
  // what IEEE arithmetic errs by, where that is not the bound
  Untouched<double> unit = {};
  // where it is some rows of the output: which
  std::vector<std::int64_t> rows = {};
};

// An output of that many rows and columns, not written yet.
ExpectedOutput expected_matrix(std::string name, Dtype dtype, std::int64_t rows,
                               std::int64_t cols, bool has_unit);

// "b[3,5]"
std::string element_name(const ExpectedOutput& output, std::int64_t at);

class LoopOracle final : public Oracle {
 public:
  // knows_errors: it has units, or the bounds are those of IEEE arithmetic.
  LoopOracle(std::vector<ExpectedOutput> outputs, bool knows_errors)
      : outputs_(std::move(outputs)), knows_errors_(knows_errors) {}
  LoopOracle(ExpectedOutput only, bool knows_errors)
      : knows_errors_(knows_errors) {
    outputs_.push_back(std::move(only));
  }
  std::optional<Mismatch> check(const Arrays& found) const override;
  std::optional<LargestError> largest_error(const Arrays& found) const override;
  bool has_all_results() const override { return true; }

 private:
  const ExpectedOutput& output(const Array& array) const;
  std::vector<ExpectedOutput> outputs_;
  bool knows_errors_;
};

}  // namespace parlab::reference
