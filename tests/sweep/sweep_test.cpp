// When a sweep counts as failed, by the result of run_sweep.
#include "sweep/sweep.hpp"

#include <boost/test/unit_test.hpp>

#include "folder.hpp"
#include "places/places.hpp"
#include "record/store.hpp"
#include "support.hpp"

using namespace parlab;

namespace {

Plan plan_of(std::initializer_list<std::int64_t> sides) {
  auto plan = parlab::testing::plan_for(
      "dmv", parlab::testing::variant_called("dmv/serial/plain"), {30, 20});
  plan.sizes.clear();
  for (const auto side : sides)
    plan.sizes.push_back({side, side});
  return plan;
}

int status(const Plan& plan) {
  parlab::testing::Collector collector;
  return run_sweep(plan, collector);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sweep_status)

BOOST_AUTO_TEST_CASE(no_device_for_anything_is_a_failure) {
  auto plan = plan_of({30});
  // also for a shard
  for (const bool shard : {false, true}) {
    if (shard) plan.wanted = [](const Size&, Dtype) { return true; };
    Place closed;
    closed.why_not = other("no driver");
    Places places(std::move(closed));
    parlab::testing::Collector collector;
    BOOST_TEST(run_sweep(plan, collector, places) == 1);
    BOOST_TEST_REQUIRE(collector.records.size() == 1u);
    BOOST_TEST(to_string(collector.records[0].verdict) == "no_device");
  }
}

BOOST_AUTO_TEST_CASE(a_size_too_large_is_one_only_when_nothing_else_passes) {
  const parlab::testing::Folder folder;
  auto plan = plan_of({30, 3000});
  plan.memory_bytes = 1 << 20;
  plan.results = folder.path / "dmv.jsonl";
  BOOST_TEST(status(plan) == 0);
  // with the small one from the records
  BOOST_TEST(status(plan) == 0);
  plan.sizes = {{3000, 3000}};
  BOOST_TEST(status(plan) == 1);
}

// The other shards have the sizes that fit.
BOOST_AUTO_TEST_CASE(a_shard_that_holds_only_a_size_too_large_does_not_fail) {
  auto plan = plan_of({30, 3000});
  plan.memory_bytes = 1 << 20;
  plan.wanted = [](const Size& size, Dtype) { return size[0] == 3000; };
  BOOST_TEST(status(plan) == 0);
}

// Recorded points are planned and count as done, and a note says how many they
// are; one cache state is planned if there are no times.
BOOST_AUTO_TEST_CASE(progress_counts_what_is_planned) {
  struct Watcher final : Observer {
    void plan(std::size_t measurements) override { planned = measurements; }
    void working_on(const std::string& what, double completed) override {
      if (begun < 0) begun = completed;
      const bool now_verifies = what.starts_with("verifying");
      if (now_verifies && !verifies) sampled = completed;
      verifies = now_verifies;
      done = completed;
    }
    void point(const std::vector<Record>& records) override {
      seen += records.size();
    }
    void note(const Detail& detail) override {
      if (detail.cause == Cause::recorded_before)
        found = std::get<std::int64_t>(detail.arguments.front());
    }
    std::size_t planned = 0, seen = 0;
    double begun = -1, sampled = 0, done = 0;
    bool verifies = false;
    std::int64_t found = 0;
  };
  const parlab::testing::Folder folder;
  auto plan = plan_of({30, 40});
  plan.caches = {Cache::cold, Cache::hot};
  plan.iterations = 3;
  plan.results = folder.path / "dmv.jsonl";
  BOOST_TEST(status(plan) == 0);
  plan.sizes.push_back({50, 50});
  Watcher resumed;
  run_sweep(plan, resumed);
  BOOST_TEST(resumed.planned == 6u);
  BOOST_TEST(resumed.seen == 6u);
  // The last point is first under way with no part done, and then as a whole.
  BOOST_TEST(resumed.begun == 4);
  BOOST_TEST(resumed.done > 5);
  // The sampled results are verified again.
  BOOST_TEST(resumed.sampled > 4);
  BOOST_TEST(resumed.sampled < 6);
  BOOST_TEST(resumed.done <= 6);
  BOOST_TEST(resumed.found == 4);
  // Another number of samples was asked for.
  plan.iterations = 4;
  Watcher anew;
  run_sweep(plan, anew);
  BOOST_TEST(anew.found == 0);

  plan.verify_only = true;
  plan.results.clear();
  Watcher verifying;
  run_sweep(plan, verifying);
  BOOST_TEST(verifying.planned == 3u);
  BOOST_TEST(verifying.seen == 3u);
}

// Half comes first, and has no times without a GPU.
BOOST_AUTO_TEST_CASE(roofs_are_known_before_anything_is_recorded) {
  const parlab::testing::Folder folder;
  const auto& warps =
      parlab::testing::variant_called("matmul/cuda/warp_products");
  const auto& host = parlab::testing::variant_called("matmul/serial/plain");
  auto plan = parlab::testing::plan_for("matmul", warps, {32, 32, 32});
  plan.variants = {&warps, &host};
  plan.dtypes = {Dtype::f16, Dtype::f32};
  plan.choose = [&](const Variant& variant, const Size&, Dtype dtype) {
    const bool wanted = variant.needs_gpu() == (dtype == Dtype::f16);
    return wanted ? configurations(plan, variant)
                  : std::vector<TunableValues>{};
  };
  plan.results = folder.path / "matmul.jsonl";
  BOOST_TEST(status(plan) == 0);
  const auto loaded = load_records(plan.results);
  BOOST_TEST(loaded.records.size() == 2u);
  BOOST_TEST_REQUIRE(loaded.runs.size() == 1u);
  BOOST_TEST(!loaded.runs.begin()->second.host.read.empty());
}

BOOST_AUTO_TEST_SUITE_END()
