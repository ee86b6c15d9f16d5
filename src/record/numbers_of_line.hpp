// A look at a line of JSON before a parser gets it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parlab {

// Takes the numbers of the array `name` of the outermost object out of the
// line, which keeps an empty array: of a line they are most, and a parser
// of anything takes several times as long for them. None, and the line as it
// was, where there is no such array of nothing but numbers.
//
// Throws ForeignLine for what the parser must not see: RapidJSON 1.1 reads
// outside of its table of powers of ten for a number with too many digits,
// and needs a frame of the stack for each level.
std::optional<std::vector<double>> take_numbers(std::string& line,
                                                std::string_view name);

}  // namespace parlab
