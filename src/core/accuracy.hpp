// How far right results are from exact ones.
#pragma once

#include <optional>

#include "core/arrays.hpp"

namespace parlab {

// The largest errors of a result, element by element.
struct LargestError {
  // 1: the most that sums in the result's own dtype, IEEE, may err there
  double of_bound = 0;
  double of_rounding = 0;  // 1: the unit roundoff of the element itself
};

// What an oracle may know beyond right and wrong: an Oracle that knows
// it has this as a second base.
class KnowsErrors {
 public:
  virtual ~KnowsErrors() = default;
  // Of a result that check() found right; nothing where equality was demanded.
  virtual std::optional<LargestError> largest_error(
      const Arrays& outputs) const = 0;
};

// An Oracle that has this as a base has all results: once it is made it reads
// no inputs.
class HasAllResults {
 public:
  virtual ~HasAllResults() = default;
};

}  // namespace parlab
