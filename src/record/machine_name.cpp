#include "record/machine_name.hpp"

#include "record/json.hpp"
#include "record/packed.hpp"
#include "record/store.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

enum class Whose { nobodys, ours, anothers };

// Only the lines of runs are parsed. Our own run is usually the first.
Whose owner_of(const fs::path& file, const std::string& host_id) {
  auto whose = Whose::nobodys;
  const auto in = open_lines(file);
  LineReader lines(*in);
  for (Line line; lines.next(line);) {
    if (!line.text.starts_with(R"({"type":"run")")) continue;
    try {
      const auto entry = from_json_line(line.text);
      const auto* run = std::get_if<Run>(&entry);
      if (run == nullptr) continue;
      if (!host_id.empty() && run->host_id == host_id) return Whose::ours;
      whose = Whose::anothers;
    } catch (const ForeignLine&) {
    }
  }
  return whose;
}

Whose owner_of_folder(const fs::path& folder, const std::string& host_id) {
  auto whose = Whose::nobodys;
  std::vector<std::string> ignored;
  for (const auto& file : record_files(folder, Depth::folder, ignored)) {
    for (const auto& part : parts_of(file)) {
      const auto of_part = owner_of(part, host_id);
      if (of_part == Whose::ours) return Whose::ours;
      if (of_part == Whose::anothers) whose = Whose::anothers;
    }
  }
  return whose;
}

}  // namespace

std::string machine_name(const std::string& slug, const std::string& host_id,
                         const fs::path& results) {
  // A folder that was named by hand may be ours too, and so may one whose
  // predecessor in the numbering was removed.
  std::string free;
  for (int number = 1; number < 1000; ++number) {
    const std::string name =
        number == 1 ? slug : slug + "-" + std::to_string(number);
    std::error_code ignored;
    const bool there = fs::is_directory(results / name, ignored);
    const auto whose =
        there ? owner_of_folder(results / name, host_id) : Whose::nobodys;
    if (whose == Whose::ours) return name;
    if (whose == Whose::nobodys && free.empty()) free = name;
    if (!there && number > 1) break;
  }
  return free.empty() ? slug : free;
}

}  // namespace parlab
