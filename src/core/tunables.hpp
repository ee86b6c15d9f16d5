// What a variant lets its user choose.
#pragma once

#include <cstdint>

namespace parlab {

// A number that may be chosen, and what it may be.
struct TunableSpec {
  const char* name = nullptr;  // "block"
  std::int64_t fallback = 0;   // used when nothing is asked for
  std::int64_t min = 0, max = 0;
  std::int64_t multiple_of = 1;
  // 0 or 1. As wide as the others: with padding behind it a list of these was
  // damaged, see short_list.hpp.
  std::int64_t power_of_two = 0;
};

// Threads per block, asked for as GPU_BLOCK_SIZE.
inline TunableSpec block_size(std::int64_t fallback = 256,
                              std::int64_t multiple_of = 1) {
  return {"block", fallback, multiple_of, 1024, multiple_of};
}
// CPU threads, asked for as OMP_NUM_THREADS; 0 stands for all cores.
inline TunableSpec threads() {
  return {"threads", 0, 1, 4096};
}
// GPUs of a team; 0 stands for all of the machine, or one where
// Description::pays_from says so.
inline TunableSpec gpus() {
  return {"gpus", 0, 1, 16};
}

// The numbers that were chosen.
class Tunables {
 public:
  // throws std::logic_error when the variant did not declare it
  virtual std::int64_t operator[](const char* name) const = 0;

 protected:
  ~Tunables() = default;
};

}  // namespace parlab
