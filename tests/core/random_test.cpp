// Remainders without divisions.
#include "core/random.hpp"

#include <boost/test/unit_test.hpp>

using namespace parlab;

BOOST_AUTO_TEST_SUITE(random_numbers)

// Small divisors, powers of two and their neighbours, and large ones.
BOOST_AUTO_TEST_CASE(a_remainder_is_what_a_division_leaves) {
  std::vector<std::uint64_t> divisors;
  for (std::uint64_t i = 1; i <= 300; ++i)
    divisors.push_back(i);
  for (int bit = 9; bit < 63; ++bit) {
    for (const auto near : {-1, 0, 1})
      divisors.push_back((std::uint64_t{1} << bit) +
                         static_cast<std::uint64_t>(near));
    divisors.push_back(random_bits(7, static_cast<std::uint64_t>(bit)) >>
                       (63 - bit));
  }
  divisors.push_back(std::uint64_t{1} << 63);
  std::uint64_t wrong = 0;
  for (const auto divisor : divisors) {
    if (divisor == 0) continue;
    const Remainder remainder(divisor);
    const auto check = [&](std::uint64_t n) {
      if (remainder.of(n) != n % divisor) wrong = divisor;
    };
    for (std::uint64_t i = 0; i < 300; ++i) {
      check(random_bits(1, i));
      check(i);
      check(~i);
      check(divisor * (random_bits(2, i) >> 40));
      check(divisor * (random_bits(2, i) >> 40) - 1);
    }
  }
  BOOST_TEST(wrong == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
