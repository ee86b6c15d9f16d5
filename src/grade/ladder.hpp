// Our own rungs, beside which the class is shown.
#pragma once

#include <optional>
#include <string>

#include "grade/grading.hpp"

namespace parlab::grade {

// Measures the rungs at the last public size. Returns the ceilings; nothing
// on a machine that is too busy to measure anything, or after Ctrl-C.
std::optional<Ceilings> measure_ladder(Class& all, const std::string& command);

}  // namespace parlab::grade
