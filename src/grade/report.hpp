// A graded class as text for the terminal and as data files.
#pragma once

#include "facts/document.hpp"
#include "grade/grading.hpp"

namespace parlab::grade {

// Explains empty points on a machine without a GPU.
inline constexpr const char* without_times =
    "There is no GPU here, so nothing was timed. Passed is right at every "
    "size: "
    "its points and its rank wait for a time, on a machine with a GPU. What is "
    "wrong has 0 points, there and here.";

// As text: "87.5"; empty if there are none.
Text points_of(const Class& all, const Grade& grade);
// Sectors that a warp's request moves, if emulation has counted them.
std::optional<double> sectors_per_request(const Grade& grade);
// The class in the order of ranks, and facts about all.
Document class_report(const Class& all);
// All numbers, by student.
Table class_table(const Class& all);
// The verdict for a class of one, and the next step.
Document check_report(const Class& all);

}  // namespace parlab::grade
