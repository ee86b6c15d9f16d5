// `parlab show --trend`: the times of points from commit to commit.
#pragma once

#include "cli/command.hpp"

namespace parlab {

// Prints the trends of the records that the arguments name and the filters
// accept.
int show_trends(const Arguments& arguments, const Streams& streams);

}  // namespace parlab
