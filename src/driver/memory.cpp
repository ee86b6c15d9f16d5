#include "driver/memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "driver/text.hpp"
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

double bytes_needed(const Plan& plan, const Size& size, Dtype dtype) {
  double bytes = 0;
  for (const auto& array : arrays_needed(*plan.workload, size, dtype, plan.variants)) {
    bytes += static_cast<double>(array.count) * static_cast<double>(bytes_of(dtype));
  }
  return bytes;
}

double bytes_free() {
  const std::string group = "/sys/fs/cgroup/memory.";
  const double limit = number_in(group + "max", "", infinity);  // a group without one says "max"
  // Cached files count as used, but are given up when memory is needed.
  const double used = number_in(group + "current", "", 0) - number_in(group + "stat", "file", 0);
  return std::min(number_in("/proc/meminfo", "MemAvailable:", infinity) * 1024, limit - used);
}

void require_memory(const Plan& plan, double free) {
  for (const auto& size : plan.sizes) {
    for (const auto dtype : plan.dtypes) {
      const double needed = bytes_needed(plan, size, dtype);
      if (needed <= free) continue;
      throw UsageError(as_written("size", to_string(size)) + ": the arrays need " +
                       bytes_with_unit(needed) + " of memory as " + std::string(to_string(dtype)) +
                       ", " + bytes_with_unit(std::max(free, 0.0)) + " are free");
    }
  }
}

}  // namespace parlab
