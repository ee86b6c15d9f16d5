// The choices that a variant offers its user.
#pragma once

#include <cstdint>

namespace parlab {

// A number that the user may choose, and its allowed values.
struct TunableSpec {
  const char* name = nullptr;  // "block"
  std::int64_t fallback = 0;   // used if none is asked for
  std::int64_t min = 0, max = 0;
  std::int64_t multiple_of = 1;
  // 0 or 1. As wide as the others: with padding after it, a list of these was
  // damaged, see short_list.hpp.
  std::int64_t power_of_two = 0;
};

// Threads per block, set by GPU_BLOCK_SIZE.
inline TunableSpec block_size(std::int64_t fallback = 256,
                              std::int64_t multiple_of = 1) {
  return {"block", fallback, multiple_of, 1024, multiple_of};
}
// CPU threads, set by OMP_NUM_THREADS; 0 means all cores.
inline TunableSpec threads() {
  return {"threads", 0, 1, 4096};
}
// GPUs of a team. 0 means all of the machine, or only one for problems below
// Description::pays_from.
inline TunableSpec gpus() {
  return {"gpus", 0, 1, 16};
}

// The chosen numbers.
class Tunables {
 public:
  // throws std::logic_error if the variant did not declare it
  virtual std::int64_t operator[](const char* name) const = 0;

 protected:
  ~Tunables() = default;
};

}  // namespace parlab
