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
};

// "b[3,5]"
std::string element_name(const ExpectedOutput& output, std::int64_t at);

class LoopOracle final : public Oracle,
                         public KnowsErrors,
                         public HasAllResults {
 public:
  // knows_errors: the bounds are those of IEEE arithmetic.
  LoopOracle(std::vector<ExpectedOutput> outputs, bool knows_errors)
      : outputs_(std::move(outputs)), knows_errors_(knows_errors) {}
  std::optional<Mismatch> check(const Arrays& found) const override;
  std::optional<LargestError> largest_error(const Arrays& found) const override;

 private:
  const ExpectedOutput& output(const Array& array) const;
  std::vector<ExpectedOutput> outputs_;
  bool knows_errors_;
};

}  // namespace parlab::reference
