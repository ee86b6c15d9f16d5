// `parlab show --trend`: the times of points from commit to commit.
#pragma once

#include "cli/command.hpp"

namespace parlab {

// Of the records that the arguments name and the filter lets pass.
int show_trends(const Arguments& arguments, const Streams& streams);

}  // namespace parlab
