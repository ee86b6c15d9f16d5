// Random numbers that nobody can predict. Every number comes from the system's
// generator (Linux: ChaCha20 with a 256-bit key) when it is asked for. This
// process holds none of the generator's state.
#pragma once

#include <cstdint>
#include <limits>

namespace parlab {

// A uniform random bit generator as <random> requires it.
struct SystemRandom {
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() {
    return std::numeric_limits<result_type>::max();
  }
  // Throws std::system_error if the system refuses.
  result_type operator()() const;
};

// A random integer in [0, count).
std::int64_t random_below(std::int64_t count);
// True with this probability.
bool random_chance(double probability);

}  // namespace parlab
