#include "commands/record_files.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/file.hpp"
#include "core/text.hpp"
#include "core/types.hpp"

namespace parlab {
namespace {

std::string whole_path(const std::filesystem::path& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace

std::string record_path(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored)) return name;
  const auto results = base_folder() / "results";
  const auto machine = results / name;
  if (!name.empty() && std::filesystem::exists(machine, ignored))
    return machine.string();
  // A single word is a machine's name.
  if (name.find_first_of("./") != name.npos) return name;
  std::vector<std::string> known;
  for (const auto& entry :
       std::filesystem::directory_iterator(results, ignored)) {
    const auto folder = entry.path().filename().string();
    if (entry.is_directory(ignored) && folder != "published")
      known.push_back(folder);
  }
  std::ranges::sort(known);
  throw UsageError(
      "no records of a machine '" + name + "' in " + whole_path(results) +
      (known.empty() ? "" : "; there are " + join(known, ", ")) +
      did_you_mean(name, known) + "; or name a file or folder of records");
}

Loaded load_all(const std::vector<std::string>& paths) {
  Loaded all;
  for (const auto& path : paths) {
    auto loaded = load_records(record_path(path));
    if (loaded.runs.empty() && loaded.records.empty()) {
      throw UsageError(
          "no records in '" + path + "'" +
          (loaded.warnings.empty() ? "" : ": " + loaded.warnings.front()));
    }
    all.add(std::move(loaded));
  }
  return all;
}

void require_one_machine(const std::vector<Record>& records,
                         const std::string& what) {
  std::set<std::string> machines;
  for (const auto& record : records)
    machines.insert(record.machine);
  if (machines.size() < 2) return;
  throw UsageError(what + " has records of several machines (" +
                   join(machines, ", ") + "); name the file or folder of one");
}

Loaded load_asked_for(const Arguments& arguments) {
  if (!arguments.positional.empty()) return load_all(arguments.positional);
  const auto results = base_folder() / "results";
  if (!is_there(results)) {
    throw UsageError("no records: there is no folder " + whole_path(results) +
                     "; name a file or folder of records");
  }
  return load_all({results.string()});
}

}  // namespace parlab
