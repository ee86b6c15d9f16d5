#include "commands/export.hpp"

#include <ostream>

#include "commands/record_files.hpp"
#include "record/table.hpp"

namespace parlab {

std::vector<std::string> export_records(const std::vector<std::string>& paths,
                                        std::ostream& out) {
  auto loaded = load_all(paths);
  auto warnings = std::move(loaded.warnings);
  write_csv(out, std::move(loaded));
  return warnings;
}

}  // namespace parlab
