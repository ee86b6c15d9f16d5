// Sizes that take too much time or memory are recorded with the reason, and the
// sweep goes on.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

#include "folder.hpp"
#include "host/host.hpp"
#include "record/store.hpp"
#include "support.hpp"
#include "text.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;
using parlab::testing::has;
using testing::Folder;

namespace {

// Four milliseconds per row.
const Register<Dmv, float> slow(
    {.idea = "waits"},
    [](Host&, const Dmv::Args<float>& p, const Tunables&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(4 * p.rows));
      for (std::int64_t row = 0; row < p.rows; ++row) {
        p.y[row] = p.a[row] * p.x[0];
      }
    },
    "serial/limits/slow.cpp", "");

Plan plan_of_three_sizes() {
  auto plan = testing::plan_for(
      "dmv", testing::variant_called("limits/serial/slow"), {1, 1});
  plan.sizes = {{1, 1}, {20, 1}, {40, 1}};
  plan.iterations = 2;
  return plan;
}

int status_of(const Plan& plan) {
  testing::Collector collector;
  return run_sweep(plan, collector);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(limits)

BOOST_AUTO_TEST_CASE(a_size_after_one_that_took_too_long_is_skipped) {
  auto plan = plan_of_three_sizes();
  plan.point_limit_s = 0.06;
  const auto records = testing::sweep(plan);
  BOOST_REQUIRE_EQUAL(records.size(), 3);
  BOOST_TEST(records[0].timed());
  // only its first execution shows that it is too slow
  BOOST_TEST(records[1].timed());
  BOOST_TEST(to_string(records[2].verdict) == "timed_out");
  BOOST_TEST(records[2].seconds.empty());
  const auto& detail = records[2].detail;
  BOOST_TEST(has(detail, Cause::skipped));
  BOOST_TEST((detail.arguments.at(0) == Argument("20x1")));
  BOOST_TEST(
      (detail.arguments.at(2) == Argument(quantity(0.06, Unit::second))));
  BOOST_TEST(status_of(plan) == 0);
}

BOOST_AUTO_TEST_CASE(a_higher_limit_measures_what_was_skipped) {
  const Folder folder;
  auto plan = plan_of_three_sizes();
  plan.results = folder.path / "records.jsonl";
  plan.point_limit_s = 0.06;
  testing::sweep(plan);
  // under the same limit nothing is tried again
  const auto resumed = testing::sweep(plan);
  BOOST_TEST(to_string(resumed.at(2).verdict) == "timed_out");
  BOOST_TEST(load_records(plan.results).records.size() == 3);
  plan.point_limit_s = 1;
  BOOST_TEST(testing::sweep(plan).at(2).timed());
}

BOOST_AUTO_TEST_CASE(a_size_that_does_not_fit_is_recorded) {
  auto plan = plan_of_three_sizes();
  plan.memory_bytes = 4 * (20 + 1 + 20);
  const auto records = testing::sweep(plan);
  BOOST_TEST(records.at(1).timed());
  BOOST_TEST(to_string(records.at(2).verdict) == "out_of_memory");
  BOOST_TEST((records.at(2).detail ==
              Detail{.cause = Cause::host_memory_short,
                     .arguments = {quantity(324, Unit::byte),
                                   quantity(164, Unit::byte)}}));
  BOOST_TEST(status_of(plan) == 0);
  plan.sizes = {{40, 1}};
  BOOST_TEST(status_of(plan) == 1);  // nothing fits
}

BOOST_AUTO_TEST_SUITE_END()
