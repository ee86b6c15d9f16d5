#include "core/chance.hpp"

#include <sys/random.h>

#include <cerrno>
#include <random>
#include <system_error>

namespace parlab {

SystemRandom::result_type SystemRandom::operator()() const {
  result_type bits = 0;
  while (getrandom(&bits, sizeof bits, 0) != sizeof bits) {
    if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category(),
                              "asking the system for random bits");
    }
  }
  return bits;
}

std::int64_t random_below(std::int64_t count) {
  SystemRandom random;
  return std::uniform_int_distribution<std::int64_t>(0, count - 1)(random);
}

bool random_chance(double probability) {
  SystemRandom random;
  return std::bernoulli_distribution(probability)(random);
}

}  // namespace parlab
