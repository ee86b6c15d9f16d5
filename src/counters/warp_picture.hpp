// A picture of what the lanes of one warp touch at a line.
#pragma once

#include <string>

#include "places/counted.hpp"

namespace parlab {

// An SVG file: on one side the 32 lanes of the line's first request, on the
// other the sectors of global memory, or the banks of shared memory, that they
// touch; what several lanes need one after the other stands out. title: what is
// to be seen.
std::string picture_of_warp(const CountedLine& line, const std::string& title);

}  // namespace parlab
