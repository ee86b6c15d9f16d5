// Records and runs as one line of JSON each.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "record/record.hpp"

namespace parlab {

// Raised when a reader of the old format would misread the new one. New fields
// do not raise it, because readers ignore unknown fields.
inline constexpr int record_schema = 1;

// The line is not one of our records; what() says why in a few words.
struct ForeignLine : std::runtime_error {
  using runtime_error::runtime_error;
};

// Throws ForeignLine.
std::variant<Run, Record> from_json_line(std::string_view line);

// Both throw std::invalid_argument on a number that is not finite. The text has
// no line break within or at the end.
std::string to_json_line(const Record& record);
std::string to_json_line(const Run& run);

}  // namespace parlab
