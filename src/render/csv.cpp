#include "render/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace parlab {

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const auto& field : fields) {
    if (&field != &fields.front()) line += ',';
    // Not find_first_of: it calls a function for each character, and there
    // are millions of cells.
    const bool plain = std::none_of(field.begin(), field.end(), [](char c) {
      return c == ',' || c == '"' || c == '\r' || c == '\n';
    });
    if (plain) {
      line += field;
      continue;
    }
    line += '"';
    for (const char c : field)
      line.append(c == '"' ? 2 : 1, c);
    line += '"';
  }
  return line + '\n';
}

std::string csv_number(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return "";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, *value,
                                 std::chars_format::general, 9)
                       .ptr;
  return {text, end};
}

}  // namespace parlab
