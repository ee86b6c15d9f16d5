#include "record/csv.hpp"

#include <ostream>
#include <string>
#include <vector>

#include "record/table.hpp"
#include "render/csv.hpp"

namespace parlab {
void write_csv(std::ostream& out,
               Loaded loaded,
               const std::function<bool(const Record&)>& keep) {
  const RecordTable table(std::move(loaded), keep);
  std::vector<std::string> names;
  for (const auto& column : table.columns())
    names.push_back(column.name);
  out << csv_line(names);
  table.each_line(csv_line, [&](const std::string& line) { out << line; });
}

}  // namespace parlab
