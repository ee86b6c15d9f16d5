// The ratios of a comparison by size, drawn as all figures are.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "compare/compare.hpp"

namespace parlab {

// picture: FILE.svg or FILE.png; sides: what was compared. Throws UsageError
// when it has no such name, and std::runtime_error when nothing can be drawn.
void draw_ratios(const Comparison& comparison,
                 const std::array<std::string, 2>& sides,
                 const std::filesystem::path& picture);

}  // namespace parlab
