// CSV (RFC 4180), for other programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/document.hpp"

namespace parlab {

// One line with its line end; fields are quoted if necessary.
std::string csv_line(const std::vector<std::string>& fields);

// Nine significant digits, in any locale. Empty if the value is unknown or not
// finite.
std::string csv_number(std::optional<double> value);

// A line of keys, then one line per row. Text that a spreadsheet would take for
// a formula gets a quote in front.
std::string csv(const Table& table);

}  // namespace parlab
