// What the program says of itself.
#pragma once

#include <iosfwd>

#include "cli/request.hpp"

namespace parlab {

void print_usage(std::ostream& out, const Request& request);  // too few arguments
void print_help(std::ostream& out, const Request& request);   // one screen
void print_list(std::ostream& out, const Request& request);   // every variant with its limits
void print_version(std::ostream& out);

}  // namespace parlab
