// A graded class as pages: one for everybody, and one per student.
#pragma once

#include "facts/document.hpp"
#include "grade/grading.hpp"

namespace parlab::page {

// anonymous: numbers instead of names, in the order of the results, and no
// links to students' pages.
Document class_page(const grade::Class& all, bool anonymous);
Document student_page(const grade::Class& all, const grade::Grade& grade);

}  // namespace parlab::page
