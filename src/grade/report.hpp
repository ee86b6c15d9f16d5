// A graded class on the terminal and in files of data.
#pragma once

#include "facts/document.hpp"
#include "grade/grading.hpp"

namespace parlab::grade {

// As text: "87.5"; empty where there are none.
Text points_of(const Class& all, const Grade& grade);
// In the order of their ranks, and what all have in common.
Document class_report(const Class& all);
// All numbers, by student.
Table class_table(const Class& all);
// The verdict of a class of one, and what to do next.
Document check_report(const Class& all);

}  // namespace parlab::grade
