// What is said of a graded class on the terminal and in files of data.
#pragma once

#include "facts/document.hpp"
#include "grade/grading.hpp"

namespace parlab::grade {

// In the order of their ranks, and what all have in common.
Document class_report(const Class& all);
// All numbers, by student.
Table class_table(const Class& all);
// Of a class of one: its verdict, and what to do next.
Document check_report(const Class& all);

}  // namespace parlab::grade
