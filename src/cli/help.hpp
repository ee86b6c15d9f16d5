// Help texts and the list of variants.
#pragma once

#include <iosfwd>

#include "cli/command.hpp"

namespace parlab {

// printed if there are too few arguments
void print_usage(std::ostream& out, const Arguments& arguments);
// one screen about arguments.subject
void print_help(std::ostream& out, const Arguments& arguments);
// every variant with its limits
int print_list(const Arguments& arguments, const Streams& streams);

}  // namespace parlab
