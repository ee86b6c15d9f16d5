// From addresses of the program to its source, for messages.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace parlab::emulation {

// The calls that led here, innermost first; zeros after the last.
using Calls = std::array<std::uintptr_t, 10>;
Calls calls_here();

// " at line 12 of naive.cu": the innermost of these calls that stands in a
// kernel's file; "" when none does, or the program has no debug information.
std::string line_of(const Calls& calls);

// "line 12 of naive.cu"
std::string name_place(const char* file, unsigned line);

// "dmv_naive<float>": without namespaces without a name, parameters and result.
std::string name_function(const void* function);

}  // namespace parlab::emulation
