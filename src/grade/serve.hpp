// The main loop of a process that executes one variant for a grader: a
// submission or the reference.
#pragma once

#include <string>

namespace parlab::grade {

// Executes the variant on request and answers with its outputs, until the
// grader asks no more. Descriptor 3 is its channel; src/grade/sandbox.hpp lists
// its limits. variant: "dmv/cuda/rw"; empty: the only one in the program.
void serve(const std::string& workload, const std::string& variant = {});
// From here on the grader is told of exceptions that nobody catches.
void tell_of_exceptions();

}  // namespace parlab::grade
