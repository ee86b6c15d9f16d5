#include "record/csv.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "record/table.hpp"

namespace parlab {
namespace {

// Appends the field to the line, in quotes when it needs them.
void add_field(std::string& line, const std::string& field) {
  // Not find_first_of: it calls a function for each character, and
  // there are millions of cells.
  const bool plain = std::none_of(field.begin(), field.end(), [](char c) {
    return c == ',' || c == '"' || c == '\r' || c == '\n';
  });
  if (plain) {
    line += field;
    return;
  }
  line += '"';
  for (const char c : field) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

std::string line_of(const std::vector<std::string>& fields) {
  std::string line;
  for (const auto& field : fields) {
    if (&field != &fields.front()) line += ',';
    add_field(line, field);
  }
  return line + '\n';
}

}  // namespace

void write_csv(std::ostream& out,
               Loaded loaded,
               const std::function<bool(const Record&)>& keep) {
  const RecordTable table(std::move(loaded), keep);
  std::vector<std::string> names;
  for (const auto& column : table.columns())
    names.push_back(column.name);
  out << line_of(names);
  table.each_line(line_of, [&](const std::string& line) { out << line; });
}

}  // namespace parlab
