// Draws the memory that the lanes of one warp access at a line.
#pragma once

#include <string>

#include "places/counted.hpp"

namespace parlab {

// An SVG file. One side shows the 32 lanes of the line's first request, the
// other the sectors of global memory, or banks of shared memory, that they
// access. Places that serve several lanes one after the other stand out. title:
// describes the picture.
std::string picture_of_warp(const CountedLine& line, const std::string& title);

}  // namespace parlab
