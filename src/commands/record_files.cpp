#include "commands/record_files.hpp"

#include <filesystem>

#include "core/file.hpp"

namespace parlab {

std::string record_path(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored)) return name;
  const auto machine = base_folder() / "results" / name;
  return std::filesystem::exists(machine, ignored) ? machine.string() : name;
}

Loaded load_all(const std::vector<std::string>& paths) {
  Loaded all;
  for (const auto& path : paths) {
    auto loaded = load_records(record_path(path));
    all.runs.merge(loaded.runs);
    if (all.records.empty()) all.records.swap(loaded.records);
    std::move(loaded.records.begin(), loaded.records.end(),
              std::back_inserter(all.records));
    std::move(loaded.warnings.begin(), loaded.warnings.end(),
              std::back_inserter(all.warnings));
  }
  return all;
}

}  // namespace parlab
