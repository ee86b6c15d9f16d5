// A graded class on the terminal and in files of data.
#pragma once

#include "facts/document.hpp"
#include "grade/grading.hpp"

namespace parlab::grade {

// Where there is no GPU: what empty points mean.
inline constexpr const char* without_times =
    "There is no GPU here, so nothing was timed. Passed is right at every "
    "size: "
    "its points and its rank wait for a time, on a machine with a GPU. What is "
    "wrong has 0 points, there and here.";

// As text: "87.5"; empty where there are none.
Text points_of(const Class& all, const Grade& grade);
// Sectors that a request of a warp moves, where emulation has counted them.
std::optional<double> sectors_per_request(const Grade& grade);
// In the order of their ranks, and what all have in common.
Document class_report(const Class& all);
// All numbers, by student.
Table class_table(const Class& all);
// The verdict of a class of one, and what to do next.
Document check_report(const Class& all);

}  // namespace parlab::grade
