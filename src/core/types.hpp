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
#include "core/enum_names.hpp"
#include "core/tunables.hpp"

namespace parlab {

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

// implausible: right where it was looked at, but its time cannot be.
PARLAB_ENUM(Verdict, "verdict", (passed, "passed"),
            (wrong_result, "wrong_result"), (launch_failed, "launch_failed"),
            (out_of_memory, "out_of_memory"), (not_supported, "not_supported"),
            (no_device, "no_device"), (unverified, "unverified"),
            (timed_out, "timed_out"), (implausible, "implausible"))

// The state of the caches before a timed execution: as the one before
// left them, or flushed.
PARLAB_ENUM(Cache, "cache state", (hot, "hot"), (cold, "cold"))

// The user asked for something that cannot be: exit status 2, one line.
struct UsageError : std::runtime_error {
  using runtime_error::runtime_error;
};

// What the problem must do at the least: the floor under any implementation.
struct Work {
  double flops = 0;
  // each input read once, each output written once, in device memory
  double bytes = 0;
  // how many of these bytes are written; decides which roof is the right one
  double written = 0;
};

}  // namespace parlab
