#include "render/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "render/fields.hpp"

namespace parlab {
namespace {

std::string field_of(double value) {
  return csv_number(value);
}
std::string field_of(std::int64_t count) {
  return std::to_string(count);
}
std::string field_of(const std::string& text) {
  const bool formula = !text.empty() && std::string_view("=+-@").find(
                                            text[0]) != std::string::npos;
  return formula ? "'" + text : text;
}
std::string field_of(std::monostate) {
  return "";
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const auto& field : fields) {
    if (&field != &fields.front()) line += ',';
    // Not find_first_of, because it calls a function for each character, and
    // there are millions of cells.
    const bool plain = std::ranges::none_of(field, [](char c) {
      // Some spreadsheets use ';' as the separator.
      return c == ',' || c == ';' || c == '"' || c == '\r' || c == '\n';
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

std::string csv(const Table& table) {
  auto text = csv_line(keys_of(table));
  for (const auto& row : table.rows) {
    std::vector<std::string> fields;
    for (const auto& value : values_of(table, row)) {
      fields.push_back(
          std::visit([](const auto& one) { return field_of(one); }, value));
    }
    text += csv_line(fields);
  }
  return text;
}

}  // namespace parlab
