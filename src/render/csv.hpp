// CSV (RFC 4180), for other programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/document.hpp"

namespace parlab {

// One line, with its end; fields in quotes where they need them.
std::string csv_line(const std::vector<std::string>& fields);

// Nine significant digits, whatever the locale. Not known, or not finite:
// empty.
std::string csv_number(std::optional<double> value);

// A line of keys, then one for each row. A text that a spreadsheet would take
// for a formula gets a quote before it.
std::string csv(const Table& table);

}  // namespace parlab
