// Draws the ratios of a comparison by size, in the style of all figures.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "compare/compare.hpp"

namespace parlab {

// picture: FILE.svg or FILE.png; sides: what was compared. Throws UsageError
// for another ending, and std::runtime_error if nothing can be drawn.
void draw_ratios(const Comparison& comparison,
                 const std::array<std::string, 2>& sides,
                 const std::filesystem::path& picture);

}  // namespace parlab
