// Ceilings beside the samples, on a host whose ceilings are scripted.
#include <boost/test/unit_test.hpp>
#include <functional>
#include <sstream>

#include "on_host.hpp"
#include "record/table.hpp"
#include "report/reporter.hpp"
#include "support.hpp"
#include "text.hpp"

using namespace parlab;
using parlab::testing::contains;

namespace {

const Register<Dmv, float> rows(
    {.idea = "rows"},
    [](Host&, const Dmv::Args<float>& p, const Tunables&) {
      testing::multiply(p);
    },
    "serial/roofs/rows.cpp", "");

constexpr double bytes_per_s = 1e12, flop_per_s = 1e15;

struct Script {
  // how many times as fast as above, by the number of the pass
  std::function<double(std::size_t)> factor = [](std::size_t) { return 1.0; };
  double seconds = 2e-6;  // of each execution
  // how many times as slow, by the number of passes before it
  std::function<double(std::size_t)> slowdown = [](std::size_t) { return 1.0; };
  Ceilings known = {.read = {{1e3, bytes_per_s}, {1e9, bytes_per_s}},
                    .copy = {{1e3, bytes_per_s}, {1e9, bytes_per_s}},
                    .units = {{"fma float", flop_per_s}}};
  std::vector<WantedCeilings> passes = {};
};

class Scripted final : public testing::OnHost {
 public:
  explicit Scripted(Script& script) : script_(script) {}
  Ceilings ceilings(const WantedCeilings& wanted) override {
    if (!wanted.brief) return script_.known;
    const double factor = script_.factor(script_.passes.size());
    script_.passes.push_back(wanted);
    Ceilings now;
    if (wanted.most_bytes > 0) {
      now.read = now.copy = {{wanted.most_bytes, factor * bytes_per_s}};
    }
    for (const auto& unit : wanted.units)
      now.units[unit] = factor * script_.known.units.at(unit);
    return now;
  }
  Batch sample(const Call& call, const BatchPlan& plan) override {
    auto batch = OnHost::sample(call, plan);
    batch.seconds.assign(
        batch.seconds.size(),
        script_.seconds * script_.slowdown(script_.passes.size()));
    return batch;
  }

 private:
  Script& script_;
};

Plan a_plan() {
  auto plan = testing::plan_for(
      "dmv", testing::variant_called("roofs/serial/rows"), {300, 200});
  plan.host_ceilings.reset();
  return plan;
}

Record measured(Script& script, const Plan& plan = a_plan()) {
  Place place;
  place.executor = std::make_unique<Scripted>(script);
  Places places(std::move(place));
  testing::Collector seen;
  BOOST_TEST(run_sweep(plan, seen, places) == 0);
  BOOST_REQUIRE(seen.records.size() == 1u);
  BOOST_TEST(seen.records[0].timed());
  return seen.records[0];
}

// Every way to show it: what a reader finds in table, CSV and JSON.
struct Shown {
  explicit Shown(const Record& record) {
    for (const auto* format : {"table", "csv", "json"}) {
      std::ostringstream out;
      const auto reporter = make_reporter(format, out);
      reporter->point({record});
      reporter->finish();
      text.push_back(out.str());
    }
  }
  std::vector<std::string> text;
};

const char* const not_steady = "while the samples were taken";

}  // namespace

BOOST_AUTO_TEST_SUITE(roof_watch)

BOOST_AUTO_TEST_CASE(a_ceiling_that_jumps_gives_no_share_and_says_why) {
  for (const double jump : {0.5, 2.0, 0.85}) {
    Script script;
    script.factor = [&](std::size_t pass) { return pass % 2 ? jump : 1.0; };
    const auto record = measured(script);
    BOOST_TEST(record.roof_s == 0);
    BOOST_TEST((record.roof_absent.cause == Cause::limit_not_steady));
    const Shown shown(record);
    for (const auto& text : shown.text)
      BOOST_TEST(contains(text, "limit"), text);
    BOOST_TEST(contains(shown.text[0], not_steady), shown.text[0]);
    BOOST_TEST(contains(shown.text[1], not_steady), shown.text[1]);
    BOOST_TEST(contains(shown.text[2], "limit_not_steady"), shown.text[2]);
    BOOST_TEST(!contains(shown.text[2], "\"roof_s\""), shown.text[2]);
  }
}

BOOST_AUTO_TEST_CASE(a_steady_ceiling_gives_the_share_of_the_better_pass) {
  Script script;
  script.factor = [](std::size_t pass) { return pass % 2 ? 0.95 : 1.0; };
  const auto record = measured(script);
  BOOST_TEST(!record.roof_absent);
  BOOST_TEST(record.roof_s == record.bytes / bytes_per_s,
             boost::test_tools::tolerance(1e-9));
  BOOST_TEST(record.slowest_roof_s >= record.roof_s);
  BOOST_TEST(record.slowest_roof_s <= 1.1 * record.roof_s);
  const Shown shown(record);
  for (const auto& text : shown.text)
    BOOST_TEST(!contains(text, not_steady), text);
}

BOOST_AUTO_TEST_CASE(a_short_disturbance_spoils_no_share) {
  Script script;
  script.factor = [](std::size_t pass) { return pass == 1 ? 0.3 : 1.0; };
  auto plan = a_plan();
  plan.iterations = 64;  // in eight rounds or more
  const auto record = measured(script, plan);
  BOOST_REQUIRE(script.passes.size() > 4u);
  BOOST_TEST(record.roof_s == record.bytes / bytes_per_s,
             boost::test_tools::tolerance(1e-9));
}

// Time and passes are slowed in turns, for more than half of the time: by a
// neighbour that hits both, passes alone, or the variant alone.
BOOST_AUTO_TEST_CASE(the_share_is_that_of_quiet_moments) {
  const auto disturbed = [](std::size_t pass) { return pass % 16 > 6; };
  const auto percent = [&](double of_passes, double of_time) {
    Script script;
    script.factor = [&](std::size_t pass) {
      return disturbed(pass) ? 1 / of_passes : 1.0;
    };
    script.slowdown = [&](std::size_t passes) {
      return disturbed(passes - 1) || disturbed(passes) ? of_time : 1.0;
    };
    auto plan = a_plan();
    plan.iterations = 32 * 12;
    const auto record = measured(script, plan);
    BOOST_TEST(!record.roof_absent);
    return 100 * record.roof_s / record.summary().median;
  };
  const double quiet = percent(1, 1);
  BOOST_TEST(quiet == 100 * 240e3 / bytes_per_s / 2e-6,
             boost::test_tools::tolerance(0.02));
  for (const auto& [of_passes, of_time] :
       {std::pair(3.0, 3.0), {10.0, 4.0}, {3.0, 1.0}}) {
    BOOST_TEST(percent(of_passes, of_time) == quiet,
               boost::test_tools::tolerance(1e-9));
  }
}

// Otherwise eight batches are enough.
BOOST_AUTO_TEST_CASE(samples_are_taken_until_the_share_is_known) {
  Script script;
  script.factor = [](std::size_t pass) {
    return pass < 12 && pass % 2 ? 0.5 : 1.0;
  };
  auto plan = a_plan();
  plan.time_limit_s = 20;
  const auto record = measured(script, plan);
  BOOST_TEST(!record.roof_absent);
  BOOST_TEST(record.roof_s == record.bytes / bytes_per_s,
             boost::test_tools::tolerance(1e-9));
  BOOST_TEST(script.passes.size() < 40u);
}

// The best that was ever measured is another moment's.
BOOST_AUTO_TEST_CASE(the_record_has_the_ceiling_that_held) {
  Script script;
  script.factor = [](std::size_t) { return 0.5; };
  const auto record = measured(script);
  BOOST_TEST(record.roof_s == 2 * record.bytes / bytes_per_s,
             boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_roof_is_not_below_what_a_variant_has_reached) {
  Script script;
  script.seconds = 1e-3;
  // The passes say 1.02 ms, the best that was ever measured 0.24 us.
  script.factor = [](std::size_t) { return 240e3 / bytes_per_s / 1.02e-3; };
  auto record = measured(script);
  BOOST_TEST(record.bytes == 240e3, boost::test_tools::tolerance(0.02));
  BOOST_TEST(record.roof_s == 1e-3);
  BOOST_TEST(record.slowest_roof_s > 1e-3);
  // So much too slow, all passes were disturbed.
  script.factor = [](std::size_t) { return 240e3 / bytes_per_s / 2e-3; };
  record = measured(script);
  BOOST_TEST((record.roof_absent.cause == Cause::limit_not_steady));
}

BOOST_AUTO_TEST_CASE(a_pass_measures_what_limits_the_point) {
  Script script;
  const auto record = measured(script);
  // before, between and after
  BOOST_TEST(script.passes.size() >= 3u);
  for (const auto& wanted : script.passes) {
    BOOST_TEST(wanted.most_bytes == record.bytes / 2);
    BOOST_TEST(wanted.units.empty());
  }
  script.known.units["fma float"] = 1e9;
  script.passes.clear();
  script.seconds = 1e-3;
  const auto computing = measured(script);
  for (const auto& wanted : script.passes) {
    BOOST_TEST(wanted.most_bytes == 0);
    BOOST_TEST(wanted.units.contains("fma float"));
  }
  BOOST_TEST(computing.roof_s == computing.flops / 1e9,
             boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_pass_that_fails_leaves_the_ceilings_known_before) {
  Script script;
  script.factor = [](std::size_t) -> double { throw std::bad_alloc(); };
  const auto record = measured(script);
  BOOST_TEST(record.roof_s == record.bytes / bytes_per_s,
             boost::test_tools::tolerance(1e-9));
  BOOST_TEST(record.slowest_roof_s == 0);
}

BOOST_AUTO_TEST_CASE(ceilings_that_are_given_are_not_measured) {
  Script script;
  auto plan = a_plan();
  plan.host_ceilings = script.known;
  const auto record = measured(script, plan);
  BOOST_TEST(script.passes.empty());
  BOOST_TEST(record.roof_s > 0);
  BOOST_TEST(record.slowest_roof_s == 0);
}

BOOST_AUTO_TEST_SUITE_END()
