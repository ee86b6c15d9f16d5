// CSV (RFC 4180), for other programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace parlab {

// One line, with its end; fields in quotes where they need them.
std::string csv_line(const std::vector<std::string>& fields);

// Nine significant digits, whatever the locale. Not known, or not finite:
// empty.
std::string csv_number(std::optional<double> value);

}  // namespace parlab
