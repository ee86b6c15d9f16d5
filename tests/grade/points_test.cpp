// Points and ranks of submissions.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "core/types.hpp"
#include "core/variant.hpp"
#include "grade/grading.hpp"
#include "grade/points.hpp"

namespace {

using namespace parlab;
using namespace parlab::grade;

Ratio around(double value, double half_width = 0) {
  return {value, {value / (1 + half_width), value * (1 + half_width)}};
}

// spread: relative standard error.
Uncertain known(double value, double spread) {
  return {value, spread * spread, 30};
}

BOOST_AUTO_TEST_SUITE(grading)

BOOST_AUTO_TEST_CASE(points_follow_the_rule) {
  const PointsRule rule("full within 1.2x, linear to 0 at 10x");
  BOOST_TEST(rule.full() == 100);
  BOOST_TEST(rule.of(around(0.5)) == 100);
  BOOST_TEST(rule.of(around(1.2)) == 100);
  BOOST_TEST(rule.of(around(5.6)) == 50, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(rule.of(around(10)) == 0);
  BOOST_TEST(rule.of(around(1000)) == 0);
  BOOST_TEST(PointsRule("80 within 2x, linear to 20 at 4x").of(around(3)) ==
             50);
  BOOST_TEST(PointsRule("80 within 2x, linear to 20 at 4x").of(around(9)) ==
             20);
  const PointsRule corners("1x:100 2x:80 10x:0");
  BOOST_TEST(corners.of(around(1.5)) == 90);
  BOOST_TEST(corners.of(around(6)) == 40);
}

BOOST_AUTO_TEST_CASE(nobody_loses_points_to_noise) {
  const PointsRule rule("full within 1.2x, linear to 0 at 10x");
  BOOST_TEST(rule.of(around(1.3, 0.1)) == 100);
  BOOST_TEST(rule.of(around(5.6, 0.2)) > rule.of(around(5.6)));
  // Too few samples have no lower end: the ratio itself counts.
  BOOST_TEST(rule.of({5.6, {}}) == rule.of(around(5.6)));
}

BOOST_AUTO_TEST_CASE(a_malformed_rule_is_refused) {
  for (const auto* text :
       {"", "full", "full within 1.2, linear to 0 at 10x",
        "full within 10x, linear to 0 at 1.2x", "within 1x, linear to 0 at 2x",
        "1x:0 2x:100", "2x:100 1x:0", "1x:a", "0x:100",
        "full within 1.2x, linear to 0 at 10x please", "1x:100,2x:0", "nanx:1",
        "-1x:5"}) {
    BOOST_TEST_CONTEXT(text) {
      BOOST_CHECK_THROW(PointsRule{text}, UsageError);
    }
  }
}

BOOST_AUTO_TEST_CASE(ties_share_a_rank_and_the_next_counts_them) {
  const std::vector<Uncertain> times{known(2, 0.001), known(1, 0.01),
                                     known(1.005, 0.01), known(1.5, 0.001)};
  BOOST_TEST(ranks(times) == (std::vector<std::size_t>{4, 1, 1, 3}),
             boost::test_tools::per_element());
  // Each is tied with its neighbour, but the last not with the first.
  const std::vector<Uncertain> chain{known(1, 0.01), known(1.02, 0.01),
                                     known(1.06, 0.01)};
  BOOST_TEST(ranks(chain) == (std::vector<std::size_t>{1, 1, 3}),
             boost::test_tools::per_element());
  BOOST_TEST(ranks({}).empty());
}

// A kernel that is right in its first two blocks is not right.
BOOST_AUTO_TEST_CASE(hidden_vectors_have_many_blocks) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    for (const auto* name : {"vector_sum", "scan"}) {
      const auto sizes =
          hidden_sizes(*Registry::instance().workload(name), seed);
      BOOST_TEST(std::ranges::max(sizes).front() > 4096);
    }
    for (const auto& size :
         hidden_sizes(*Registry::instance().workload("dmv"), seed))
      BOOST_TEST(std::ranges::max(size) <= 703);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
