#include "commands/memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "core/text.hpp"
#include "verify/problem.hpp"

namespace parlab {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The number behind a name in a file of lines "name number"; the first number when name is empty.
double number_in(const std::string& path, const std::string& name, double otherwise) {
  std::ifstream file(path);
  std::string found, rest;
  double value = 0;
  if (name.empty()) return file >> value ? value : otherwise;
  for (; file >> found >> value; std::getline(file, rest)) {
    if (found == name) return value;
  }
  return otherwise;
}

}  // namespace

double bytes_free() {
  const std::string group = "/sys/fs/cgroup/memory.";
  const double limit = number_in(group + "max", "", infinity);  // a group without one says "max"
  // Cached files count as used, but are given up when memory is needed.
  const double used = number_in(group + "current", "", 0) - number_in(group + "stat", "file", 0);
  return std::min(number_in("/proc/meminfo", "MemAvailable:", infinity) * 1024, limit - used);
}

void require_memory(const Plan& plan) {
  const Size* smallest = nullptr;
  Dtype dtype{};
  double needed = infinity;
  for (const auto& size : plan.sizes) {
    for (const auto each : plan.dtypes) {
      const double bytes = bytes_needed(*plan.workload, size, each, plan.variants);
      if (bytes >= needed) continue;
      needed = bytes, dtype = each, smallest = &size;
    }
  }
  if (smallest == nullptr || needed <= plan.memory_bytes) return;
  throw UsageError(as_written("size", to_string(*smallest)) + ": the arrays need " +
                   bytes_with_unit(needed) + " of memory as " + std::string(to_string(dtype)) +
                   ", " + bytes_with_unit(std::max(plan.memory_bytes, 0.0)) + " are free");
}

}  // namespace parlab
