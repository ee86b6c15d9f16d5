// PairRows keeps the rounding errors of doubles. Additions that a compiler
// fused or reordered fail here.
#include "core/pair_rows.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "core/random.hpp"

using namespace parlab;

namespace {

double sum_of(const PairRows& rows, std::int64_t row, std::int64_t col) {
  std::array<double, 8> sums{};
  rows.copy(row, col + 1, sums.data());
  return sums[static_cast<std::size_t>(col)];
}

// A whole number of at most 50 bits, of either sign.
double whole_number(std::uint64_t stream, std::uint64_t i) {
  const auto bits = static_cast<std::int64_t>(random_bits(stream, i) >> 13);
  return static_cast<double>(bits - (std::int64_t{1} << 50));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pair_rows)

// (1 + e)^2 - 1 - 2 e = e^2, of which nothing is left in a sum of doubles.
BOOST_AUTO_TEST_CASE(what_cancels_leaves_what_is_right) {
  const double e = 0x1p-30;
  PairRows rows(2, 8);
  for (const auto& [weight, x] :
       {std::pair{1 + e, 1 + e}, {-1.0, 1.0}, {-2.0, e}}) {
    const std::array<double, 8> all{x, x, x, x, x, x, x, x};
    rows.add(1, weight, all.data(), 0, 7);
  }
  for (int col = 0; col < 7; ++col)
    BOOST_TEST(sum_of(rows, 1, col) == e * e);
  BOOST_TEST(sum_of(rows, 1, 7) == 0);  // beyond the end
  BOOST_TEST(sum_of(rows, 0, 0) == 0);  // another row

  // Rounding errors pass on to sums of sums: 2^40 e^2 - 2^40 e^2 + e^2.
  PairRows again(1, 8);
  again.add(0, 0x1p40, rows, 1, 0, 8);
  again.add(0, -0x1p40, rows, 1, 0, 8);
  again.add(0, 1, rows, 1, 0, 8);
  BOOST_TEST(sum_of(again, 0, 3) == e * e);

  rows.clear();
  BOOST_TEST(sum_of(rows, 1, 3) == 0);
}

// Compared with whole numbers of 128 bits. The rest after subtracting the sum
// as a double has all its bits except the last few.
BOOST_AUTO_TEST_CASE(sums_have_twice_the_bits_of_a_double) {
  constexpr std::int64_t cols = 8;
  PairRows rows(1, cols), doubled(1, cols);
  std::array<__int128, cols> exact{};
  for (std::uint64_t k = 0; k < 1000; ++k) {
    const double weight = whole_number(1, k);
    std::array<double, cols> x;
    for (std::size_t i = 0; i < cols; ++i) {
      x[i] = whole_number(2 + i, k);
      exact[i] += __int128{static_cast<std::int64_t>(weight)} *
                  static_cast<std::int64_t>(x[i]);
    }
    rows.add(0, weight, x.data(), 0, cols);
  }
  doubled.add(0, 3, rows, 0, 0, cols);
  for (std::size_t i = 0; i < cols; ++i) {
    const auto rounded = static_cast<double>(exact[i]);
    const auto rest =
        static_cast<double>(exact[i] - static_cast<__int128>(rounded));
    const std::array<double, cols> all{rounded, rounded, rounded, rounded,
                                       rounded, rounded, rounded, rounded};
    const auto col = static_cast<std::int64_t>(i);
    rows.add(0, -1, all.data(), col, col + 1);
    BOOST_TEST(std::abs(sum_of(rows, 0, col) - rest) <= 0x1p26);
    doubled.add(0, -3, all.data(), col, col + 1);
    BOOST_TEST(std::abs(sum_of(doubled, 0, col) - 3 * rest) <= 0x1p28);
    BOOST_TEST(std::abs(rest) > 0x1p40);  // there was something to keep
  }
}

BOOST_AUTO_TEST_SUITE_END()
