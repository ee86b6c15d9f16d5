// Points and ranks of submissions.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

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
  // With too few samples there is no lower end, so the ratio itself counts.
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
  // Each is tied with its neighbour, but the last is not tied with the first.
  const std::vector<Uncertain> chain{known(1, 0.01), known(1.02, 0.01),
                                     known(1.06, 0.01)};
  BOOST_TEST(ranks(chain) == (std::vector<std::size_t>{1, 1, 3}),
             boost::test_tools::per_element());
  BOOST_TEST(ranks({}).empty());
}

// A kernel is wrong if it is right only in its first blocks, only up to the
// most threads of a block, or only up to the most blocks of a grid in y.
BOOST_AUTO_TEST_CASE(hidden_sizes_find_what_small_ones_do_not) {
  for (const auto* workload : Registry::instance().workloads()) {
    const auto extents = count_extents(*workload);
    const auto dtype = workload->dtypes().front();
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      bool odd = false, even = false, block = false;
      std::vector<std::int64_t> longest(extents);
      std::vector<std::set<std::int64_t>> values(workload->parameters().size());
      for (const auto& size : hidden_sizes(*workload, dtype, seed)) {
        block |= std::all_of(size.begin(), size.begin() + extents,
                             [](auto extent) { return extent > 32; });
        for (std::size_t i = 0; i < extents; ++i) {
          (size[i] % 2 == 1 ? odd : even) = true;
          longest[i] = std::max(longest[i], size[i]);
        }
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i].insert(size[extents + i]);
      }
      BOOST_TEST_CONTEXT(workload->name()) {
        BOOST_TEST((odd && even && block));
        // A kernel with a constant in place of a parameter is wrong, too.
        for (const auto& taken : values)
          BOOST_TEST(taken.size() > 1);
        // A halo that reaches further than a block is tried.
        for (std::size_t i = 0; i < values.size(); ++i) {
          const auto most = workload->parameters()[i].max;
          BOOST_TEST(*values[i].rbegin() >= std::min<std::int64_t>(most, 1024));
        }
        BOOST_TEST(*std::ranges::min_element(longest) > 1024);
        BOOST_TEST(*std::ranges::max_element(longest) >
                   (extents == 1 ? 262144 : 65535));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(who_declares_multiples_gets_them_unless_asked_otherwise) {
  const auto& matmul = *Registry::instance().workload("matmul");
  Assignment assignment;
  assignment.workload = &matmul;
  assignment.sizes = {{100, 1, 64}};
  assignment.hidden = hidden_sizes(matmul, assignment.dtype, 1);
  Variant any, in_tiles;
  in_tiles.multiple_of = 64;
  BOOST_TEST((sizes_for(assignment, any).front() == Size{100, 1, 64}));
  BOOST_TEST((sizes_for(assignment, in_tiles).front() == Size{128, 64, 64}));
  for (const auto& size : sizes_for(assignment, in_tiles)) {
    for (const auto extent : size)
      BOOST_TEST(extent % 64 == 0);
  }
  assignment.sizes_asked = true;
  BOOST_TEST((sizes_for(assignment, in_tiles).front() == Size{100, 1, 64}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
