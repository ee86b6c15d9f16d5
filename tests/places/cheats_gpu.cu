// GPU variants that cheat or fail; see cheats_test.cpp for the CPU's.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gpu/gpu.hpp"
#include "places/presence.hpp"
#include "support.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;
using testing::plan_for;

namespace {

using Args = Dmv::Args<float>;

__global__ void honest(const float* a, const float* x, float* y, std::int64_t rows,
                       std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (std::int64_t col = 0; col < cols; ++col) sum += a[row * cols + col] * x[col];
  y[row] = sum;
}

__global__ void store(float* where, float value) { *where = value; }

// Works only when the output is poisoned.
[[maybe_unused]] __global__ void lazy(const float* a, const float* x, float* y, std::int64_t rows,
                                      std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows || !isnan(y[row])) return;
  float sum = 0;
  for (std::int64_t col = 0; col < cols; ++col) sum += a[row * cols + col] * x[col];
  y[row] = sum;
}

void launch_honest(Gpu& gpu, const Args& p, std::int64_t rows) {
  gpu.launch({.grid = {ceil_div(rows, 64)}, .block = {64}}, honest, p.a, p.x, p.y, rows, p.cols);
}

#define GPU_CHEAT(name, ...)                         \
  const Register<Dmv, float> name(                   \
      {.idea = #name},                               \
      [](Gpu& gpu, const Args& p, const Tunables&) { \
        (void)gpu;                                   \
        (void)p;                                     \
        __VA_ARGS__;                                 \
      },                                             \
      "cuda/gpu_cheats/" #name ".cu", "")

GPU_CHEAT(honest_control, launch_honest(gpu, p, p.rows));
GPU_CHEAT(does_nothing, );
GPU_CHEAT(skips_the_tail, launch_honest(gpu, p, p.rows / 4 * 4));
GPU_CHEAT(right_only_at_the_first_call, {
  static int calls = 0;
  if (calls++ < 1) launch_honest(gpu, p, p.rows);
});
GPU_CHEAT(writes_past_the_end, {
  launch_honest(gpu, p, p.rows);
  gpu.launch({}, store, p.y + p.rows, 1.0f);
});
GPU_CHEAT(changes_its_input, {
  launch_honest(gpu, p, p.rows);
  gpu.launch({}, store, const_cast<float*>(p.a) + 5, 1e3f);
});
GPU_CHEAT(asks_for_too_many_threads,
          { gpu.launch({.block = {2048}}, honest, p.a, p.x, p.y, p.rows, p.cols); });
GPU_CHEAT(invalid_address, gpu.launch({}, store, reinterpret_cast<float*>(64), 1.0f));

#ifndef PARLAB_EMULATED
__global__ void spin(long long nanoseconds) {
  long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}

GPU_CHEAT(works_on_another_stream, {
  static cudaStream_t other = nullptr;
  if (other == nullptr) cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  honest<<<ceil_div(p.rows, 64), 64, 0, other>>>(p.a, p.x, p.y, p.rows, p.cols);
});
GPU_CHEAT(waits_for_the_device, {
  launch_honest(gpu, p, p.rows);
  cudaDeviceSynchronize();
});
GPU_CHEAT(faster_than_the_roof, {
  gpu.launch({.grid = {ceil_div(p.rows, 64)}, .block = {64}}, lazy, p.a, p.x, p.y, p.rows, p.cols);
});
GPU_CHEAT(sleeps, {
  launch_honest(gpu, p, p.rows);
  gpu.launch({}, spin, 200'000LL);
});
#endif

Record run(const std::string& name, const Size& size = {63, 65}) {
  const auto* dmv = Registry::instance().workload("dmv");
  for (const auto* variant : Registry::instance().variants("gpu_cheats")) {
    if (variant->name != name) continue;
    const auto records = testing::sweep(plan_for(*dmv, *variant, size));
    BOOST_REQUIRE_EQUAL(records.size(), 1U);
    return records.front();
  }
  BOOST_FAIL("no cheat named " + name);
  return {};
}

void expect(const std::string& name, const std::string& verdict, const std::string& words) {
  const Record record = run(name);
  BOOST_TEST(to_string(record.verdict) == verdict, name << ": " << record.detail);
  BOOST_TEST(record.detail.find(words) != std::string::npos, name << ": " << record.detail);
  BOOST_TEST(record.seconds.empty());
}

boost::test_tools::assertion_result gpu_usable(boost::unit_test::test_unit_id) {
#ifdef PARLAB_EMULATED
  return true;
#else
  return !why_no_gpu().has_value();
#endif
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gpu_cheats, *boost::unit_test::precondition(gpu_usable))

BOOST_AUTO_TEST_CASE(an_honest_variant_passes) {
  const Record record = run("honest_control");
  BOOST_TEST(to_string(record.verdict) == "passed", record.detail);
}

BOOST_AUTO_TEST_CASE(wrong_results_are_caught) {
  expect("does_nothing", "wrong_result", "y[0] is ");
  expect("skips_the_tail", "wrong_result", "y[60] is ");
  expect("right_only_at_the_first_call", "wrong_result", "expected");
  expect("changes_its_input", "wrong_result", "input");
}

BOOST_AUTO_TEST_CASE(an_impossible_launch_is_refused) {
  expect("asks_for_too_many_threads", "not_supported", "2048");
}

#ifdef PARLAB_EMULATED
// Emulation knows where memory ends: it stops the kernel before the guard words would tell.
BOOST_AUTO_TEST_CASE(a_stray_store_is_caught) {
  const Record record = run("writes_past_the_end");
  BOOST_TEST(to_string(record.verdict) != "passed");
}
#else
BOOST_AUTO_TEST_CASE(a_stray_store_is_caught) {
  expect("writes_past_the_end", "wrong_result", "wrote past the end of y");
}

BOOST_AUTO_TEST_CASE(work_out_of_sight_is_caught) {
  expect("works_on_another_stream", "wrong_result", "expected");
  expect("waits_for_the_device", "launch_failed", "waits for the device");
}

BOOST_AUTO_TEST_CASE(faster_than_the_roof_is_flagged) {
  const Record record = run("faster_than_the_roof", {8192, 8192});
  BOOST_TEST(to_string(record.verdict) == "passed", record.detail);
  BOOST_REQUIRE_EQUAL(record.flags.size(), 1U);
  BOOST_TEST(record.flags.front() == "above_roof");
}

BOOST_AUTO_TEST_CASE(a_known_duration_is_measured) {
  const Record record = run("sleeps");
  BOOST_REQUIRE(!record.seconds.empty());
  BOOST_TEST(record.summary().min >= 199e-6);
  BOOST_TEST(record.summary().median < 215e-6);  // two launches beside the 200 us
}

// The context dies with an invalid address, and some drivers give the process no new one: the
// sweep goes on all the same, with what is left. The last case: no GPU may be usable afterwards.
BOOST_AUTO_TEST_CASE(a_dead_context_does_not_end_the_sweep) {
  const auto* dmv = Registry::instance().workload("dmv");
  Plan plan;
  for (const std::string name : {"invalid_address", "honest_control"}) {
    for (const auto* variant : Registry::instance().variants("gpu_cheats")) {
      if (variant->name != name) continue;
      if (plan.variants.empty()) plan = plan_for(*dmv, *variant, {40, 40});
      if (plan.variants.front() != variant) plan.variants.push_back(variant);
    }
  }
  plan.variants.push_back(Registry::instance().variants("dmv").front());  // serial
  const auto records = testing::sweep(plan);
  BOOST_REQUIRE_EQUAL(records.size(), 3U);
  BOOST_TEST(to_string(records[0].verdict) == "launch_failed", records[0].detail);
  const bool went_on = records[1].verdict == Verdict::passed ||
                       (records[1].verdict == Verdict::no_device &&
                        records[1].detail.find("lost") != std::string::npos);
  BOOST_TEST(went_on, to_string(records[1].verdict) << ": " << records[1].detail);
  BOOST_TEST(to_string(records[2].verdict) == "passed", records[2].detail);
}
#endif

BOOST_AUTO_TEST_SUITE_END()
