// Compares outputs with those of a reference loop, element by element.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/accuracy.hpp"
#include "core/untouched.hpp"
#include "core/workload.hpp"
#include "reference/expected.hpp"

namespace parlab::reference {

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

class LoopOracle final : public Oracle,
                         public KnowsErrors,
                         public HasAllResults {
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

 private:
  const ExpectedOutput& output(const Array& array) const;
  std::vector<ExpectedOutput> outputs_;
  bool knows_errors_;
};

}  // namespace parlab::reference
