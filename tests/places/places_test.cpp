// The places of variants, and how a sweep's points are divided among them.
#include "places/places.hpp"

#include <omp.h>
#include <pthread.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "core/parallel.hpp"
#include "host/host.hpp"
#include "machine/pinning.hpp"
#include "machine/topology.hpp"
#include "on_host.hpp"
#include "places/presence.hpp"
#include "support.hpp"
#include "verify/problem.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;

namespace {

std::vector<const Variant*> variants_of(
    std::initializer_list<std::string> names) {
  std::vector<const Variant*> found;
  for (const auto* variant : Registry::instance().variants("dmv")) {
    for (const auto& name : names) {
      if (variant->full_name() == name) found.push_back(variant);
    }
  }
  return found;
}

int seen_team = 0;
const Register<Dmv, float> names_no_number(
    {.idea = "a region without num_threads()", .tunables = {threads()}},
    [](Host&, const Dmv::Args<float>& p, const Tunables&) {
      std::memset(p.y, 0, sizeof(float) * static_cast<std::size_t>(p.rows));
#pragma omp parallel
#pragma omp single
      seen_team = omp_get_num_threads();
    },
    "openmp/teams/names_no_number.cpp", "");

// The fewest CPUs that a thread of the variant's own was allowed to use, and
// how the variant starts one.
std::size_t fewest_cpus;
using Code = std::function<void()>;
std::function<void(Code)> run_in_thread;
const Register<Dmv, float> starts_threads(
    {.idea = "threads", .tunables = {threads()}},
    [](Host&, const Dmv::Args<float>& p, const Tunables&) {
      testing::multiply(p);
      for (int i = 0; i < 2; ++i) {
        run_in_thread(
            [] { fewest_cpus = std::min(fewest_cpus, affinity().size()); });
      }
    },
    "openmp/starts/threads.cpp", "");

// Emulated devices: as many exist as are requested.
auto without_a_gpu() {
  return boost::unit_test::precondition(
      [](auto) { return why_no_gpu().has_value(); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(places)

BOOST_AUTO_TEST_CASE(a_variant_finds_the_place_it_asks_for) {
  const auto variants = variants_of({"dmv/serial/plain", "dmv/cuda/naive"});
  BOOST_REQUIRE_EQUAL(variants.size(), 2U);
  Places places(variants, {0});
  BOOST_REQUIRE_EQUAL(places.all().size(), 2U);
  BOOST_TEST((places.of(*variants[0], 0).target == Target::host));
  BOOST_TEST((places.of(*variants[1], 0).target == Target::gpu));
  BOOST_TEST(Places(variants_of({"dmv/serial/plain"}), {0}).all().size() == 1U);
}

BOOST_AUTO_TEST_CASE(points_go_round_the_devices, *without_a_gpu()) {
  const auto variants =
      variants_of({"dmv/serial/plain", "dmv/cuda/naive", "dmv/cuda/coalesced"});
  Places places(variants, {0, 1, 2});
  BOOST_REQUIRE_EQUAL(places.all().size(), 4U);
  std::set<const Place*> used;
  for (std::size_t point = 0; point < 6; ++point) {
    Place& place = places.of(*variants[1], point);
    // all variants of a point meet
    BOOST_TEST(&place == &places.of(*variants[2], point));
    BOOST_TEST(&place == &places.of(*variants[1], point + 3));
    BOOST_TEST(&places.of(*variants[0], point) == &places.all().front());
    used.insert(&place);
  }
  BOOST_TEST(used.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_lost_device_leaves_its_points_to_the_others,
                     *without_a_gpu()) {
  const auto variants =
      variants_of({"dmv/serial/plain", "dmv/cuda/naive", "dmv/cuda/coalesced"});
  Places places(variants, {0, 1, 2});
  places.of(*variants[1], 0).why_not = other("lost");
  std::set<const Place*> used;
  for (std::size_t point = 0; point < 4; ++point) {
    BOOST_TEST(places.of(*variants[1], point).usable());
    used.insert(&places.of(*variants[1], point));
  }
  BOOST_TEST(used.size() == 2U);
  // If all are lost, the reason is reported.
  for (auto& place : places.all())
    place.why_not = other("lost");
  BOOST_TEST((places.of(*variants[1], 1).why_not == other("lost")));
}

BOOST_AUTO_TEST_CASE(a_sweep_over_two_emulated_devices, *without_a_gpu()) {
  const auto variants = variants_of({"dmv/serial/plain", "dmv/cuda/naive"});
  auto plan = parlab::testing::plan_for("dmv", *variants[0], {8, 9});
  plan.variants = variants;
  plan.sizes = {{8, 9}, {9, 8}, {10, 7}};
  plan.devices = {0, 1};
  plan.emulate = true;
  const auto records = parlab::testing::sweep(plan);
  BOOST_REQUIRE_EQUAL(records.size(), 6U);
  for (const auto& record : records) {
    BOOST_TEST(to_string(record.verdict) == "passed",
               parlab::testing::described(record));
  }
}

// The first one always gets a place, which says what is missing.
BOOST_AUTO_TEST_CASE(devices_that_are_not_there, *without_a_gpu()) {
  using boost::test_tools::per_element;
  BOOST_TEST(devices_of({0}, false) == (std::vector<int>{0}), per_element());
  BOOST_TEST(devices_of({}, false) == (std::vector<int>{0}), per_element());
  BOOST_TEST(devices_of({0, 3}, true) == (std::vector<int>{0, 3}),
             per_element());
  BOOST_CHECK_EXCEPTION(
      devices_of({1}, false), UsageError, [](const UsageError& error) {
        return std::string(error.what()).starts_with("--device 1: ");
      });
}

// A serial variant is timed by a thread that is bound to one CPU, without a
// thread pool. A pool started in the meantime, to check results or to flush
// caches, must not be bound to that CPU.
BOOST_AUTO_TEST_CASE(behind_a_serial_variant_threads_may_run_everywhere,
                     *boost::unit_test::precondition([](auto) {
                       return affinity().size() > 1;
                     })) {
  const auto allowed = affinity().size();
  const auto variants = variants_of({"dmv/serial/plain"});
  const auto& dmv = *Registry::instance().workload("dmv");
  const Size size{64, 65};
  Problem problem(dmv, size, Dtype::f32, variants);
  problem.fill(InputKind::uniform);
  const auto host = make_host_executor();
  host->load(problem.inputs(), problem.outputs());
  const Call call{variants.at(0), size, Dtype::f32, {}};
  host->run_checked(call);
  for (const auto cache : {Cache::hot, Cache::cold}) {
    for (int i = 0; i < 4; ++i) {
      end_idle_threads();
      host->sample(call, {.cache = cache, .executions = {2, Disturbance{}}});
      std::size_t fewest = allowed;
#pragma omp parallel reduction(min : fewest)
      fewest = affinity().size();
      BOOST_TEST(fewest == allowed);
    }
  }
}

// They would inherit the one CPU of the caller.
BOOST_AUTO_TEST_CASE(threads_that_a_variant_starts_may_run_everywhere,
                     *boost::unit_test::precondition([](auto) {
                       return affinity().size() > 1;
                     })) {
  const auto joined = [](Code code) { std::thread(code).join(); };
  const auto async = [](Code code) {
    std::async(std::launch::async, code).wait();
  };
  const auto with_attributes = [](Code code) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_create(
        &thread, &attributes,
        [](void* data) -> void* {
          (*static_cast<Code*>(data))();
          return nullptr;
        },
        &code);
    pthread_attr_destroy(&attributes);
    pthread_join(thread, nullptr);
  };
  const auto& dmv = *Registry::instance().workload("dmv");
  const auto& variant = testing::variant_called("starts/openmp/threads");
  const Size size{64, 65};
  const auto allowed = affinity().size();
  const std::function<void(Code)> starts[] = {joined, async, with_attributes};
  for (const auto& start : starts) {
    run_in_thread = start;
    Problem problem(dmv, size, Dtype::f32, {&variant});
    problem.fill(InputKind::uniform);
    const auto host = make_host_executor();
    host->load(problem.inputs(), problem.outputs());
    const Call call{&variant, size, Dtype::f32, {{"threads", 2}}};
    host->run_checked(call);
    for (const auto cache : {Cache::hot, Cache::cold}) {
      fewest_cpus = allowed;
      host->sample(call, {.cache = cache,
                          .executions = {problem.disturbance(), {}},
                          .watched = true});
      BOOST_TEST(fewest_cpus == allowed);
    }
    BOOST_TEST(affinity().size() == allowed);
  }
}

// However many CPUs the machine has.
BOOST_AUTO_TEST_CASE(one_cpu_that_was_granted_gets_no_second_thread) {
  const BoundThread bound({affinity().at(0)});
  std::set<std::thread::id> at_work;
  std::mutex guard;
  on_all_cores(64, [&](std::size_t) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    const std::lock_guard lock(guard);
    at_work.insert(std::this_thread::get_id());
  });
  BOOST_TEST(at_work.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_region_that_names_no_number_has_the_threads_asked_for) {
  const auto& dmv = *Registry::instance().workload("dmv");
  const auto& variant = testing::variant_called("teams/openmp/names_no_number");
  const Size size{64, 65};
  Problem problem(dmv, size, Dtype::f32, {&variant});
  const auto host = make_host_executor();
  host->load(problem.inputs(), problem.outputs());
  const int before = omp_get_max_threads();
  for (const int asked : {1, 2, 3}) {
    const Call call{&variant, size, Dtype::f32, {{"threads", asked}}};
    host->run_checked(call);
    BOOST_TEST(seen_team == asked);
    seen_team = 0;
    host->sample(call, {.executions = {2, Disturbance{}}});
    BOOST_TEST(seen_team == asked);
    BOOST_TEST(omp_get_max_threads() == before);
  }
}

BOOST_AUTO_TEST_SUITE_END()
