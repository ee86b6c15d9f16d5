// GPU variants that cheat or fail; see cheats_test.cpp for the CPU's. Cheats
// that act only while they are timed run on a real device only, because
// emulation times nothing.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>

#include "again.hpp"
#include "folder.hpp"
#include "gpu/gpu.hpp"
#include "gpu/overlap.hpp"
#include "places/cheats.hpp"
#include "places/gpu_usable.hpp"
#include "places/honest.cuh"
#include "places/other_stream.cuh"
#include "places/places.hpp"
#include "record/store.hpp"
#include "support.hpp"
#include "sweep/supervisor.hpp"
#include "text.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;
using testing::plan_for;

namespace {

using Args = Dmv::Args<float>;

__global__ void store(float* where, float value) {
  *where = value;
}

__global__ void leave_dirty(int* scratch) {
  scratch[0] = 1;
}

__device__ float ten_bits(float value) {
  const unsigned bits =
      *reinterpret_cast<const unsigned*>(&value) & 0xffffe000u;
  return *reinterpret_cast<const float*>(&bits);
}

__global__ void rounded(const float* a, const float* x, float* y,
                        std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (std::int64_t col = 0; col < cols; ++col) {
    sum += ten_bits(a[row * cols + col]) * ten_bits(x[col]);
  }
  y[row] = sum;
}

void launch_honest(Gpu& gpu, const Args& p, std::int64_t rows) {
  gpu.launch({.grid = {ceil_div(rows, 64)}, .block = {64}}, honest, p.a, p.x,
             p.y, rows, p.cols);
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
GPU_CHEAT(throws_that_it_passed,
          throw PointError(Verdict::passed, "no failure"));
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
GPU_CHEAT(asks_for_too_many_threads, {
  gpu.launch({.block = {2048}}, honest, p.a, p.x, p.y, p.rows, p.cols);
});

GPU_CHEAT(leaves_its_zeroed_scratch_dirty, {
  launch_honest(gpu, p, p.rows);
  gpu.launch({}, leave_dirty, gpu.zeroed_scratch<int>(4));
});
GPU_CHEAT(rounds_to_ten_bits,
          gpu.launch({.grid = {ceil_div(p.rows, 64)}, .block = {64}}, rounded,
                     p.a, p.x, p.y, p.rows, p.cols));
bool saw_undeclared = false;
GPU_CHEAT(uses_a_layout_it_did_not_declare, {
  launch_honest(gpu, p, p.rows);
  saw_undeclared |= p.a_transposed != nullptr;
});

#ifndef PARLAB_EMULATED
// Computes only rows that are poisoned.
__global__ void lazy(const float* a, const float* x, float* y,
                     std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows || !isnan(y[row])) return;
  float sum = 0;
  for (std::int64_t col = 0; col < cols; ++col)
    sum += a[row * cols + col] * x[col];
  y[row] = sum;
}

// Leaves out rows if the last one is not poisoned.
__global__ void sparse(const float* a, const float* x, float* y,
                       std::int64_t rows, std::int64_t cols, int step,
                       int first) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  if (!isnan(y[rows - 1]) && row % step != first) return;
  float sum = 0;
  for (std::int64_t col = 0; col < cols; ++col)
    sum += a[row * cols + col] * x[col];
  if (row == rows - 1) __threadfence();
  y[row] = sum;
}

// Returns a remembered answer if the first words are the same as then.
__global__ void replay(const float* a, const float* x, float* y,
                       std::int64_t rows, std::int64_t cols, float* kept) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float* const key = kept + 3 * row;
  if (key[0] == a[0] && key[1] == x[0]) {
    y[row] = key[2];
    return;
  }
  float sum = 0;
  for (std::int64_t col = 0; col < cols; ++col)
    sum += a[row * cols + col] * x[col];
  y[row] = key[2] = sum;
  key[0] = a[0];
  key[1] = x[0];
}

GPU_CHEAT(works_on_another_stream, {
  static cudaStream_t other = nullptr;
  if (other == nullptr)
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  honest<<<ceil_div(p.rows, 64), 64, 0, other>>>(p.a, p.x, p.y, p.rows, p.cols);
});
GPU_CHEAT(waits_for_the_device, {
  launch_honest(gpu, p, p.rows);
  cudaDeviceSynchronize();
});
LaunchConfig one_thread_per_row(std::int64_t rows) {
  return {.grid = {ceil_div(rows, 64)}, .block = {64}};
}

GPU_CHEAT(only_rows_that_are_poisoned,
          gpu.launch(one_thread_per_row(p.rows), lazy, p.a, p.x, p.y, p.rows,
                     p.cols));
GPU_CHEAT(half_of_the_rows_when_not_poisoned,
          gpu.launch(one_thread_per_row(p.rows), sparse, p.a, p.x, p.y, p.rows,
                     p.cols, 2, 0));
GPU_CHEAT(every_eighth_row_when_not_poisoned, {
  static int calls = 0;
  gpu.launch(one_thread_per_row(p.rows), sparse, p.a, p.x, p.y, p.rows, p.cols,
             8, calls++ % 8);
});
GPU_CHEAT(replays_by_the_first_words,
          gpu.launch(one_thread_per_row(p.rows), replay, p.a, p.x, p.y, p.rows,
                     p.cols, gpu.scratch<float>(3 * p.rows)));
GPU_CHEAT(lazy_after_its_warm_up, {
  static int calls = 0;
  launch_honest(gpu, p, ++calls <= 12 ? p.rows : p.rows / 2);
});
// Results are not checked again soon after a pause in which a reference was
// computed.
GPU_CHEAT(lazy_after_a_pause, {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point last{};
  static int left = 0;
  if (Clock::now() - last > std::chrono::milliseconds(2)) left = 40;
  gpu.launch(one_thread_per_row(p.rows), sparse, p.a, p.x, p.y, p.rows, p.cols,
             left-- > 0 ? 2 : 1, 0);
  last = Clock::now();
});
// Detects a timer by the queued work that waits for it.
GPU_CHEAT(lazy_when_the_stream_is_held, {
  static int calls = 0;
  const bool held = cudaStreamQuery(static_cast<cudaStream_t>(gpu.stream())) ==
                    cudaErrorNotReady;
  launch_honest(gpu, p, held && ++calls > 2 ? p.rows / 2 : p.rows);
});
GPU_CHEAT(writes_past_the_end_when_timed, {
  static int calls = 0;
  launch_honest(gpu, p, p.rows);
  if (++calls > 6) gpu.launch({}, store, p.y + p.rows, 1.0f);
});

// Begins in its turn, but the timer does not wait for it.
GPU_CHEAT(forks_and_does_not_join, {
  static OtherStream other;
  other.after(gpu);
  spin<<<1, 1, 0, other.stream>>>(500'000LL);
  honest<<<ceil_div(p.rows, 64), 64, 0, other.stream>>>(p.a, p.x, p.y, p.rows,
                                                        p.cols);
});
GPU_CHEAT(joins_at_the_next_call, {
  static OtherStream other;
  const auto stream = static_cast<cudaStream_t>(gpu.stream());
  cudaStreamWaitEvent(stream, other.join);
  other.after(gpu);
  spin<<<1, 1, 0, other.stream>>>(500'000LL);
  honest<<<ceil_div(p.rows, 64), 64, 0, other.stream>>>(p.a, p.x, p.y, p.rows,
                                                        p.cols);
  cudaEventRecord(other.join, other.stream);
});
// Honest, but the rest is still running when its time ends.
GPU_CHEAT(leaves_work_behind, {
  static OtherStream other;
  launch_honest(gpu, p, p.rows);
  other.after(gpu);
  spin<<<1, 1, 0, other.stream>>>(5'000'000LL);
});
// No cheat: forks, joins, and is right.
GPU_CHEAT(forks_and_joins, {
  static OtherStream other;
  const auto stream = static_cast<cudaStream_t>(gpu.stream());
  other.after(gpu);
  honest<<<ceil_div(p.rows, 64), 64, 0, other.stream>>>(p.a, p.x, p.y, p.rows,
                                                        p.cols);
  cudaEventRecord(other.join, other.stream);
  cudaStreamWaitEvent(stream, other.join);
});
// Reserves lines of L2, and leaves other limits than it found.
GPU_CHEAT(changes_the_device, {
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20);
  cudaDeviceSetLimit(cudaLimitStackSize, 4096);
  cudaStreamAttrValue value{};
  value.accessPolicyWindow.base_ptr = const_cast<float*>(p.a);
  value.accessPolicyWindow.num_bytes = 1 << 12;
  value.accessPolicyWindow.hitRatio = 1;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  cudaStreamSetAttribute(static_cast<cudaStream_t>(gpu.stream()),
                         cudaStreamAttributeAccessPolicyWindow, &value);
  launch_honest(gpu, p, p.rows);
});
GPU_CHEAT(keeps_device_memory, {
  launch_honest(gpu, p, p.rows);
  std::size_t free = 0, all = 0;
  cudaMemGetInfo(&free, &all);
  void* kept = nullptr;
  for (; free > (1 << 16); free -= free / 8) {
    while (cudaMalloc(&kept, free) == cudaSuccess)
      continue;
    (void)cudaGetLastError();
  }
});
GPU_CHEAT(sleeps, {
  launch_honest(gpu, p, p.rows);
  gpu.launch({}, spin, 200'000LL);
});

// The next launch may begin at once; all the work is done after 300 us.
__global__ void late(const float* a, const float* x, float* y,
                     std::int64_t rows, std::int64_t cols) {
  let_next_launch_begin();
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  pass_time(300'000LL);
  if (row >= rows) return;
  float sum = 0;
  for (std::int64_t col = 0; col < cols; ++col)
    sum += a[row * cols + col] * x[col];
  y[row] = sum;
}

__global__ void waits_for_nothing() {}

GPU_CHEAT(hides_behind_a_launch_that_never_waits, {
  gpu.launch(one_thread_per_row(p.rows), late, p.a, p.x, p.y, p.rows, p.cols);
  gpu.launch({.overlaps = true}, waits_for_nothing);
});
#endif

Record run(const std::string& name, const Size& size = {63, 65}) {
  return testing::record_of_dmv("gpu_cheats/cuda/" + name, size);
}

void expect(const std::string& name, const std::string& verdict,
            const std::string& cause, const Size& size = {63, 65}) {
  testing::expect_caught(run(name, size), verdict, cause);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gpu_cheats,
                      *boost::unit_test::precondition(testing::gpu_usable))

BOOST_AUTO_TEST_CASE(an_honest_variant_passes) {
  testing::expect_passed(run("honest_control"));
}

BOOST_AUTO_TEST_CASE(wrong_results_are_caught) {
  expect("does_nothing", "wrong_result", "y[0]");
  expect("skips_the_tail", "wrong_result", "y[60]");
  expect("right_only_at_the_first_call", "wrong_result", "y[");
  expect("changes_its_input", "wrong_result", "input");
  expect("rounds_to_ten_bits", "wrong_result", "y[");
}

BOOST_AUTO_TEST_CASE(scratch_that_was_to_stay_zero_is_looked_at) {
  expect("leaves_its_zeroed_scratch_dirty", "wrong_result",
         "scratch_not_zero scratch 1");
}

BOOST_AUTO_TEST_CASE(arrays_that_were_not_declared_are_null) {
  testing::expect_passed(run("uses_a_layout_it_did_not_declare"));
  BOOST_TEST(!saw_undeclared);
}

BOOST_AUTO_TEST_CASE(an_impossible_launch_is_refused) {
  expect("throws_that_it_passed", "launch_failed", "no failure");
  expect("asks_for_too_many_threads", "not_supported", "cannot_launch");
}

#ifdef PARLAB_EMULATED
// Emulation knows the bounds of memory: it stops the kernel before the guard
// words would show it.
BOOST_AUTO_TEST_CASE(a_stray_store_is_caught) {
  const Record record = run("writes_past_the_end");
  BOOST_TEST(to_string(record.verdict) != "passed");
}
#else
BOOST_AUTO_TEST_CASE(a_stray_store_is_caught) {
  expect("writes_past_the_end", "wrong_result", "wrote_past_end y");
}

BOOST_AUTO_TEST_CASE(work_out_of_sight_is_caught) {
  expect("works_on_another_stream", "wrong_result", "y[");
  expect("waits_for_the_device", "launch_failed", "waits_for_device");
}

BOOST_AUTO_TEST_CASE(laziness_while_it_is_timed_is_caught) {
  expect("only_rows_that_are_poisoned", "wrong_result", "when_timed");
  expect("half_of_the_rows_when_not_poisoned", "wrong_result", "when_timed");
  expect("every_eighth_row_when_not_poisoned", "wrong_result", "when_timed");
  expect("replays_by_the_first_words", "wrong_result", "", {64, 4096});
  expect("lazy_after_its_warm_up", "wrong_result", "y[");
  expect("lazy_when_the_stream_is_held", "wrong_result", "y[");
  expect("lazy_after_a_pause", "wrong_result", "when_timed");
  expect("writes_past_the_end_when_timed", "wrong_result", "wrote_past_end y");
}

BOOST_AUTO_TEST_CASE(work_that_outlasts_its_time_is_caught) {
  testing::expect_wrong_or_at_work(run("forks_and_does_not_join"));
  testing::expect_wrong_or_at_work(run("joins_at_the_next_call"));
  expect("leaves_work_behind", "implausible", "left_work");
  testing::expect_passed(run("forks_and_joins"));
}

BOOST_AUTO_TEST_CASE(the_device_is_the_same_afterwards) {
  std::size_t persisting = 0, stack = 0, persisting_after = 1, stack_after = 1;
  cudaDeviceGetLimit(&persisting, cudaLimitPersistingL2CacheSize);
  cudaDeviceGetLimit(&stack, cudaLimitStackSize);
  const Record record = run("changes_the_device");
  cudaDeviceGetLimit(&persisting_after, cudaLimitPersistingL2CacheSize);
  cudaDeviceGetLimit(&stack_after, cudaLimitStackSize);
  BOOST_TEST_CONTEXT(to_string(record.verdict) << ": " << record.detail) {
    BOOST_TEST(persisting_after == persisting);
    BOOST_TEST(stack_after == stack);
  }
}

// A machine that would need an hour for it.
BOOST_AUTO_TEST_CASE(faster_than_the_roof_has_no_time) {
  Plan plan =
      plan_for("dmv", testing::variant_called("gpu_cheats/cuda/honest_control"),
               {63, 65});
  plan.device_ceilings = plan.host_ceilings;
  plan.device_ceilings->read = {{1e6, 1}};
  plan.device_ceilings->copy = {{1e6, 1}};
  testing::expect_caught(testing::only_record(plan), "implausible");
}

BOOST_AUTO_TEST_CASE(a_known_duration_is_measured) {
  const Record record = run("sleeps");
  BOOST_REQUIRE(!record.seconds.empty());
  BOOST_TEST(record.summary().min >= 199e-6);
}

// Work that overlaps a launch belongs to its time, even if its kernel does not
// wait for it.
BOOST_AUTO_TEST_CASE(an_overlapped_launch_is_timed_or_refused) {
  const Record record = run("hides_behind_a_launch_that_never_waits");
  BOOST_TEST_CONTEXT(to_string(record.verdict) << ": " << record.detail) {
    if (record.verdict == Verdict::passed) {
      BOOST_REQUIRE(!record.seconds.empty());
      BOOST_TEST(record.summary().min >= 299e-6);
    } else {
      BOOST_TEST(record.seconds.empty());
    }
  }
}
#endif

BOOST_AUTO_TEST_SUITE_END()

#ifndef PARLAB_EMULATED
// Without a precondition: a process that asks for a GPU cannot use it in
// workers.
BOOST_AUTO_TEST_SUITE(gpu_cheats_in_workers)

// The next variant still passes, in a worker that has the memory.
BOOST_AUTO_TEST_CASE(
    device_memory_that_is_kept_is_not_the_next_variants_fault) {
  const std::string self =
      "gpu_cheats_in_workers/"
      "device_memory_that_is_kept_is_not_the_next_variants_fault";
  const auto& honest =
      testing::variant_called("gpu_cheats/cuda/honest_control");
  if (const char* const file = std::getenv(testing::for_worker)) {
    Supervisor supervisor;
    if (const auto status = supervisor.start()) _exit(*status);
    Plan plan = plan_for(
        "dmv", testing::variant_called("gpu_cheats/cuda/keeps_device_memory"),
        {63, 65});
    plan.variants.push_back(&honest);
    plan.sizes.push_back({3000, 3001});
    plan.results = file;
    Places places(plan.variants, {0});
    testing::Collector collector;
    _exit(run_sweep(plan, collector, places, supervisor));
  }
  if (!testing::gpu_usable(0)) return;
  const testing::Folder folder;
  const auto file = (folder.path / "dmv.jsonl").string();
  testing::run_again(self, file);
  int timed = 0;
  for (const auto& record : load_records(file).records) {
    if (record.variant != "honest_control") continue;
    BOOST_TEST(record.timed(), testing::described(record));
    ++timed;
  }
  BOOST_TEST(timed == 2);
}

BOOST_AUTO_TEST_SUITE_END()
#endif
