// Statistics on samples whose answers are known.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "statistics/statistics.hpp"

using namespace parlab;

BOOST_AUTO_TEST_SUITE(statistics)

BOOST_AUTO_TEST_CASE(median_of_odd_and_even_counts) {
  BOOST_TEST(summarize({3, 1, 2}).median == 2);
  BOOST_TEST(summarize({4, 1, 3, 2}).median == 2.5);
  BOOST_TEST(summarize({4, 1, 3, 2}).min == 1);
  BOOST_TEST(summarize({4, 1, 3, 2}).mean == 2.5);
}

BOOST_AUTO_TEST_CASE(too_few_samples_have_no_interval) {
  const Summary five = summarize({1, 2, 3, 4, 5});
  BOOST_TEST(five.interval.low == 0);
  BOOST_TEST(std::isinf(five.interval.high));
  BOOST_TEST(summarize({}).count == 0U);
}

// Published ranks of the 95 % interval of a median (binomial, both tails): 6 samples [1, 6],
// 10 samples [2, 9], 20 samples [6, 15], 100 samples [40, 61].
BOOST_AUTO_TEST_CASE(interval_ranks_agree_with_the_binomial_table) {
  const auto interval = [](int n) {
    std::vector<double> samples(n);
    for (int i = 0; i < n; ++i) samples[i] = i + 1;
    return summarize(samples).interval;
  };
  BOOST_TEST(interval(6).low == 1);
  BOOST_TEST(interval(6).high == 6);
  BOOST_TEST(interval(10).low == 2);
  BOOST_TEST(interval(10).high == 9);
  BOOST_TEST(interval(20).low == 6);
  BOOST_TEST(interval(20).high == 15);
  BOOST_TEST(interval(100).low == 40);
  BOOST_TEST(interval(100).high == 61);
}

// The intervals must cover what they promise, for a distribution as skewed as times are.
BOOST_AUTO_TEST_CASE(intervals_cover_the_truth_as_often_as_they_say) {
  std::mt19937 random(7);
  std::exponential_distribution<double> slow(1);
  std::exponential_distribution<double> fast(2);
  int median_covered = 0, ratio_covered = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> a(31), b(31);
    for (auto& sample : a) sample = slow(random);
    for (auto& sample : b) sample = fast(random);
    const Interval of_a = summarize(a).interval;
    median_covered += of_a.low <= std::log(2) && std::log(2) <= of_a.high;
    const Interval ratio = ratio_of_medians(a, b).interval;
    ratio_covered += ratio.low <= 2 && 2 <= ratio.high;
  }
  BOOST_TEST(median_covered >= trials * 94 / 100);
  BOOST_TEST(ratio_covered >= trials * 94 / 100);
  BOOST_TEST(median_covered < trials);  // an interval that always covers says nothing
}

// 96.875 % of the six, and 98.125 % of the others, for which seven suffice.
BOOST_AUTO_TEST_CASE(six_samples_have_a_ratio_to_seven_but_not_to_six) {
  const std::vector<double> six{10, 11, 12, 13, 14, 15}, seven{1, 2, 3, 4, 5, 6, 7};
  BOOST_TEST(ratio_of_medians(six, seven).interval.low == 10.0 / 7);
  BOOST_TEST(ratio_of_medians(six, seven).interval.high == 15.0);
  BOOST_TEST(ratio_of_medians(seven, six).interval.high == 0.7);
  BOOST_TEST(std::isinf(ratio_of_medians(six, six).interval.high));
}

BOOST_AUTO_TEST_CASE(ratio_of_equal_samples_is_one_and_a_tie) {
  std::vector<double> samples(40);
  for (int i = 0; i < 40; ++i) samples[i] = 100 + i % 7;
  const Ratio ratio = ratio_of_medians(samples, samples);
  BOOST_TEST(ratio.value == 1);
  BOOST_TEST(ratio.interval.low <= 1);
  BOOST_TEST(ratio.interval.high >= 1);
  BOOST_TEST(summarize(samples).interval.overlaps(summarize(samples).interval));
}

BOOST_AUTO_TEST_SUITE_END()
