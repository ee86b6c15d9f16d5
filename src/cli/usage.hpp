// What the program says of itself.
#pragma once

#include <iosfwd>

#include "cli/request.hpp"

namespace parlab {

// too few arguments
void print_usage(std::ostream& out, const Request& request);
void print_help(std::ostream& out, const Request& request);  // one screen
// every variant with its limits
void print_list(std::ostream& out, const Request& request);
void print_version(std::ostream& out);

}  // namespace parlab
