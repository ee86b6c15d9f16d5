// Help texts, the list of variants and the version.
#pragma once

#include <iosfwd>

#include "cli/command.hpp"

namespace parlab {

// printed if there are too few arguments
void print_usage(std::ostream& out, const Arguments& arguments);
// one screen about arguments.subject
void print_help(std::ostream& out, const Arguments& arguments);
// every variant with its limits
void print_list(const Streams& streams, const Arguments& arguments);
void print_version(std::ostream& out);

}  // namespace parlab
