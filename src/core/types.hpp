// The basic types of the framework: dtype, size, tunables, verdict, error.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "core/enum_names.hpp"
#include "core/tunables.hpp"

namespace parlab {

// The extents of a problem, in the order of the workload's dimension names.
using Size = std::vector<std::int64_t>;
std::string to_string(const Size& size);  // "4096x4096"

// The tunables that were chosen, by name: {"block": 256}.
class TunableValues : public Tunables,
                      public std::map<std::string, std::int64_t> {
 public:
  using map::map;
  std::int64_t operator[](const char* name) const final;
  std::int64_t operator[](const std::string& name) const {
    return (*this)[name.c_str()];
  }
  std::int64_t value_or(const std::string& name, std::int64_t otherwise) const {
    const auto found = find(name);
    return found == end() ? otherwise : found->second;
  }
};
// "block=256 threads=4"; "" if there are none
std::string to_string(const TunableValues& tunables);

// A TunableSpec that owns its name, because it may come from another process.
struct Tunable {
  std::string name;
  std::int64_t fallback;  // used if none is asked for
  std::int64_t min, max;
  std::int64_t multiple_of = 1;
  bool power_of_two = false;

  bool allows(std::int64_t value) const;
  std::string allowed() const;  // "32..1024 in steps of 32"
};

// implausible: all checked results were right, but the time is impossible.
PARLAB_ENUM(Verdict, "verdict", (passed, "passed"),
            (wrong_result, "wrong_result"), (launch_failed, "launch_failed"),
            (out_of_memory, "out_of_memory"), (not_supported, "not_supported"),
            (no_device, "no_device"), (unverified, "unverified"),
            (timed_out, "timed_out"), (implausible, "implausible"))

// The caches before a timed execution: hot as the previous execution left them,
// or flushed.
PARLAB_ENUM(Cache, "cache state", (hot, "hot"), (cold, "cold"))

// The user asked for something impossible: exit status 2, one line.
struct UsageError : std::runtime_error {
  using runtime_error::runtime_error;
};

// The minimum of work for a problem, which no implementation can avoid.
struct Work {
  double flops = 0;
  // each input read once, each output written once, in device memory
  double bytes = 0;
  // number of these bytes that are written; decides which roof applies
  double written = 0;
};

}  // namespace parlab
