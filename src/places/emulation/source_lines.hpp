// From addresses of the program to its source, for messages.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "facts/cause.hpp"

namespace parlab::emulation {

// The calls that led here, innermost first; zeros after the last.
using Calls = std::array<std::uintptr_t, 10>;
Calls calls_here();

// Where a program goes on from: a line of a kernel's file, or none. The
// function is the one that stands there, by its plain name.
struct Line {
  std::string file, function;
  unsigned number = 0;
};
Line line_of(const void* address);
// "rows_of", of how a compiler writes a function
std::string plain_function_name(std::string signature);

// With Cause::at_line of the innermost of these calls that stands in a kernel's
// file; without, when none does or the program has no debug information.
Detail at_line_of(const Calls& calls, Detail what);

// With Cause::at_line "line 12 of naive.cu".
Detail at_line(const char* file, unsigned line, Detail what);
// "line 12 of naive.cu"
std::string name_place(const char* file, unsigned line);

// "dmv_naive<float>": without namespaces without a name, parameters and result.
std::string name_function(const void* function);
// A launch in angle brackets says what it calls; the text stands for the
// function from now on.
void name_kernel(const char* text);

}  // namespace parlab::emulation
