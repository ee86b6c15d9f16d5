// Finds source lines for addresses of the program, for messages.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "facts/cause.hpp"

namespace parlab::emulation {

// The calls that led here, innermost first; zeros follow the last.
using Calls = std::array<std::uintptr_t, 10>;
Calls calls_here();

// A source line of a kernel's file, or none. The function is the one at that
// line, by its plain name.
struct Line {
  std::string file, function;
  unsigned number = 0;
};
Line line_of(const void* address);
// "rows_of", from the compiler's signature of a function
std::string plain_function_name(std::string signature);

// Adds Cause::at_line of the innermost of these calls in a kernel's file; adds
// nothing if there is none or the program has no debug information.
Detail at_line_of(const Calls& calls, Detail what);

// Adds Cause::at_line "line 12 of naive.cu".
Detail at_line(const char* file, unsigned line, Detail what);
// "line 12 of naive.cu"
std::string name_place(const char* file, unsigned line);

// "dmv_naive<float>": without anonymous namespaces, parameters and result.
std::string name_function(const void* function);
// Names the function of a launch in angle brackets; the text stands for it from
// now on.
void name_kernel(const char* text);

}  // namespace parlab::emulation
