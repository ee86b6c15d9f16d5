// How far correct results are from exact ones.
#pragma once

#include <optional>

#include "core/arrays.hpp"

namespace parlab {

// The largest errors of a result, element by element.
struct LargestError {
  // 1: the largest error that a sum in the result's own dtype (IEEE) may have
  // at that element
  double of_bound = 0;
  double of_rounding = 0;  // 1: the unit roundoff of the element itself
};

// An oracle may know more than whether a result is right. Such an Oracle has
// this as a second base.
class KnowsErrors {
 public:
  virtual ~KnowsErrors() = default;
  // For a result that check() accepted; nothing where equality was demanded.
  virtual std::optional<LargestError> largest_error(
      const Arrays& outputs) const = 0;
};

// An Oracle with this base has computed all results when it is made and does
// not read the inputs afterwards.
class HasAllResults {
 public:
  virtual ~HasAllResults() = default;
};

}  // namespace parlab
