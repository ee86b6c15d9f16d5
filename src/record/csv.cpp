#include "record/csv.hpp"

#include <ostream>

#include "record/table.hpp"

namespace parlab {
namespace {

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + "\"";
}

}  // namespace

void write_csv(std::ostream& out, Loaded loaded, const std::function<bool(const Record&)>& keep) {
  const RecordTable table(std::move(loaded), keep);
  for (const auto& column : table.columns()) {
    out << (&column == &table.columns().front() ? "" : ",") << quoted(column.name);
  }
  out << '\n';
  std::string line;
  table.each_row([&](const std::vector<std::string>& row) {
    line.clear();
    for (const auto& cell : row) {
      if (&cell != &row.front()) line += ',';
      line += quoted(cell);
    }
    line += '\n';
    out << line;
  });
}

}  // namespace parlab
