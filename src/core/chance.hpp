// Chance that nobody can foresee: every number comes from the system's own
// generator (Linux: ChaCha20 with a key of 256 bits) when it is asked for, and
// no state of it lies in this process.
#pragma once

#include <cstdint>
#include <limits>

namespace parlab {

// A uniform random bit generator, as <random> wants it.
struct SystemRandom {
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() {
    return std::numeric_limits<result_type>::max();
  }
  // Throws std::system_error where the system refuses.
  result_type operator()() const;
};

// A whole number in [0, count).
std::int64_t random_below(std::int64_t count);
// True so often.
bool random_chance(double probability);

}  // namespace parlab
