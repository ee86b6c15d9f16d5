// The words of the framework: dtype, size, tunables, verdict, error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.hpp"
#include "core/tunables.hpp"

namespace parlab {

// "float", "double", "int", "half", "bfloat16"
std::string_view to_string(Dtype dtype);
Dtype dtype_from_string(std::string_view text);  // throws UsageError

// The extents of a problem, in the order of the workload's dimension names.
using Size = std::vector<std::int64_t>;
std::string to_string(const Size& size);  // "4096x4096"

// What a variant lets its user choose, by name: {"block": 256}.
class TunableValues : public Tunables,
                      public std::map<std::string, std::int64_t> {
 public:
  using map::map;
  std::int64_t operator[](const char* name) const final;
  std::int64_t operator[](const std::string& name) const {
    return (*this)[name.c_str()];
  }
};
// "block=256 threads=4", "" when there are none
std::string to_string(const TunableValues& tunables);

// A TunableSpec that has its own name: it may come from another process.
struct Tunable {
  std::string name;
  std::int64_t fallback;  // used when nothing is asked for
  std::int64_t min, max;
  std::int64_t multiple_of = 1;
  bool power_of_two = false;

  bool allows(std::int64_t value) const;
  std::string allowed() const;  // "32..1024 in steps of 32"
};

enum class Verdict {
  passed,
  wrong_result,
  launch_failed,
  out_of_memory,
  not_supported,
  no_device,
  unverified,
  timed_out,
  implausible  // right where it was looked at, but its time cannot be
};
std::string_view to_string(Verdict verdict);
Verdict verdict_from_string(std::string_view text);

// The state of the caches before a timed execution: as the one before
// left them, or flushed.
enum class Cache { hot, cold };
std::string_view to_string(Cache cache);
Cache cache_from_string(std::string_view text);  // throws UsageError

// The user asked for something that cannot be: exit status 2, one line.
struct UsageError : std::runtime_error {
  using runtime_error::runtime_error;
};

std::string_view to_string(Arithmetic arithmetic);  // "ieee", "tf32", ...
// throws std::invalid_argument
Arithmetic arithmetic_from_string(std::string_view text);

// What the problem must do at the least: the floor under any implementation.
struct Work {
  double flops = 0;
  // each input read once, each output written once, in device memory
  double bytes = 0;
  // how many of these bytes are written; decides which roof is the right one
  double written = 0;
};

}  // namespace parlab
