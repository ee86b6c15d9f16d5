#include "machine/memory.hpp"

#include <sys/sysinfo.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/file.hpp"
#include "machine/cgroup.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Group {
  double limit = infinity, used = 0;
};

Group group_in(const fs::path& folder) {
  Group group;
  // a group without a limit has "max"
  if (const auto limit = number_of_file(folder / "memory.max")) {
    group.limit = *limit;
    group.used = number_of_file(folder / "memory.current").value_or(0) -
                 number_of_file(folder / "memory.stat", "file").value_or(0);
  } else if (const auto old_limit =
                 number_of_file(folder / "memory.limit_in_bytes")) {
    group.limit = *old_limit;
    group.used =
        number_of_file(folder / "memory.usage_in_bytes").value_or(0) -
        number_of_file(folder / "memory.stat", "total_cache").value_or(0);
  }
  return group;
}

// Without /proc, the free part of it is unknown.
double all_memory() {
  struct sysinfo about {};
  return sysinfo(&about) == 0
             ? static_cast<double>(about.totalram) * about.mem_unit
             : infinity;
}

double in_meminfo(const std::string& name) {
  const auto kilobytes = number_of_file("/proc/meminfo", name);
  return kilobytes ? *kilobytes * 1024 : all_memory();
}

}  // namespace

double memory_bytes() {
  double bytes = in_meminfo("MemTotal:");
  for (const auto& folder : control_groups("memory"))
    bytes = std::min(bytes, group_in(folder).limit);
  return std::isfinite(bytes) ? bytes : 0;
}

double free_memory_bytes() {
  double bytes = in_meminfo("MemAvailable:");
  for (const auto& folder : control_groups("memory")) {
    const Group group = group_in(folder);
    bytes =
        std::min(bytes, std::max(group.limit - std::max(group.used, 0.0), 0.0));
  }
  return bytes;
}

double killed_for_memory() {
  return number_of_file("/proc/vmstat", "oom_kill").value_or(0);
}

}  // namespace parlab
