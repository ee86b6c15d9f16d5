// What a process does that executes one variant for a grader: that of a
// submission, or of the reference.
#pragma once

#include <string>

namespace parlab::grade {

// Executes the variant where it is told to, and answers with what
// it wrote, until nobody asks any more; descriptor 3 is its channel,
// src/grade/sandbox.hpp says what it may do. variant: "dmv/cuda/rw";
// empty: the only one that there is.
void serve(const std::string& workload, const std::string& variant = {});

}  // namespace parlab::grade
