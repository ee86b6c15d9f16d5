#include "commands/export.hpp"

#include <ostream>

#include "commands/record_files.hpp"
#include "record/csv.hpp"

namespace parlab {

std::vector<std::string> export_records(const std::vector<std::string>& paths, std::ostream& out) {
  const auto loaded = load_all(paths);
  write_csv(out, loaded);
  return loaded.warnings;
}

}  // namespace parlab
