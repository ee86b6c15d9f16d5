#include "machine/memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "machine/cgroup.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

constexpr double infinity = std::numeric_limits<double>::infinity();

// The number behind a name in a file of lines "name number".
double number_in(const fs::path& path, const std::string& name) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream text(line);
    std::string key;
    double value = 0;
    if (text >> key >> value && key == name) return value;
  }
  return 0;
}

std::optional<double> number_in(const fs::path& path) {
  std::ifstream in(path);
  double value = 0;
  if (in >> value) return value;  // a group without a limit says "max"
  return std::nullopt;
}

struct Group {
  double limit = infinity, used = 0;
};

Group group_in(const fs::path& folder) {
  Group group;
  if (const auto limit = number_in(folder / "memory.max")) {
    group.limit = *limit;
    group.used = number_in(folder / "memory.current").value_or(0) -
                 number_in(folder / "memory.stat", "file");
  } else if (const auto old_limit =
                 number_in(folder / "memory.limit_in_bytes")) {
    group.limit = *old_limit;
    group.used = number_in(folder / "memory.usage_in_bytes").value_or(0) -
                 number_in(folder / "memory.stat", "total_cache");
  }
  return group;
}

}  // namespace

double memory_bytes() {
  double bytes = number_in("/proc/meminfo", "MemTotal:") * 1024;
  for (const auto& folder : control_groups("memory"))
    bytes = std::min(bytes, group_in(folder).limit);
  return bytes;
}

double free_memory_bytes() {
  double bytes = number_in("/proc/meminfo", "MemAvailable:") * 1024;
  for (const auto& folder : control_groups("memory")) {
    const Group group = group_in(folder);
    bytes =
        std::min(bytes, std::max(group.limit - std::max(group.used, 0.0), 0.0));
  }
  return bytes;
}

}  // namespace parlab
