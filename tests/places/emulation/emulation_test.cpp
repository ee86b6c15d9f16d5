// The emulation: finds every planted fault and names where it is, and finds none where there is
// none, in every order of threads and blocks.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "places/emulation/emulation_faults.hpp"

using namespace parlab;
using emulation::Order;

namespace {

struct Outcome {
  Verdict verdict = Verdict::passed;
  std::string text;
  double sum = 0;
};

Outcome outcome_of(const std::string& name, int n, int block, Order order, std::uint64_t seed = 7) {
  EmulatedGpu gpu(seed, order);
  gpu.set_time_limit(std::chrono::seconds(2));
  try {
    return {Verdict::passed, "", planted::run(gpu, name, n, block)};
  } catch (const PointError& error) {
    return {error.verdict, error.what(), 0};
  }
}

constexpr Order orders[] = {Order::ascending, Order::descending, Order::shuffled};

// The message has every one of these words, in whatever order threads run.
void expect_found(const std::string& name, Verdict verdict, std::vector<std::string> words,
                  int n = 100, int block = 32) {
  words.push_back("kernel " + name + ", block (");
  for (const auto order : orders) {
    const auto outcome = outcome_of(name, n, block, order);
    BOOST_TEST(to_string(outcome.verdict) == to_string(verdict), name << ": " << outcome.text);
    for (const auto& word : words) {
      BOOST_TEST(outcome.text.find(word) != std::string::npos,
                 "'" << word << "' is not in: " << outcome.text);
    }
  }
}

void expect_clean(const std::string& name, double sum, int n = 100, int block = 32) {
  for (const auto order : orders) {
    const auto outcome = outcome_of(name, n, block, order);
    BOOST_TEST(outcome.text == "", name);
    BOOST_TEST(outcome.sum == sum, name << " computed " << outcome.sum << ", not " << sum);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(emulation_of_cuda)

// The inputs are 0, 1, 2, 3, 0, 1, ...: 100 of them add up to 150.
BOOST_AUTO_TEST_CASE(clean_kernels_are_clean) {
  expect_clean("clean_copy", 150);
  expect_clean("clean_shared", 150);
  expect_clean("clean_shared", 147, 99, 33);
  expect_clean("clean_warp_sum", 150);
  expect_clean("clean_warp_sum", 150, 100, 96);
  expect_clean("clean_syncwarp", 150);
  expect_clean("clean_last_block", 150);
  expect_clean("clean_last_block", 1500, 1000, 64);
  expect_clean("clean_grid_sync", 150);
  expect_clean("clean_histogram", 100);
  expect_clean("clean_groups", 150);
  expect_clean("clean_pipeline", 150);
  expect_clean("clean_vectors", 150);
  expect_clean("clean_spin", 31);
  expect_clean("clean_spin", 1023, 2048, 1024);
}

BOOST_AUTO_TEST_CASE(wrong_addresses) {
  expect_found(
      "off_by_one", Verdict::launch_failed,
      {"block (3,0), thread (4,0)", "writes 4 bytes, just past the end of out (400 bytes)"});
  expect_found("tail_not_handled", Verdict::launch_failed, {"block (3,0)", "past the end of in"});
  expect_found("wild_index", Verdict::launch_failed, {"reads 4 bytes, ", "before the start of in"});
  expect_found("host_pointer", Verdict::launch_failed, {"reads 4 bytes of host memory"});
  expect_found("writes_input", Verdict::wrong_result, {"writes in[", "an input"});
  expect_found("shared_index", Verdict::wrong_result, {"is outside the array at line"}, 100, 64);
  expect_found("dynamic_shared_too_small", Verdict::launch_failed,
               {"thread (31,0)", "just past the end of dynamic shared memory (128 bytes)"});
  expect_found("misaligned_vector", Verdict::wrong_result, {"not aligned", "thread ("});
}

BOOST_AUTO_TEST_CASE(memory_nobody_has_written) {
  expect_found("unwritten_shared", Verdict::wrong_result,
               {"reads static shared memory, which nothing has written in this block"});
  expect_found("unwritten_output", Verdict::wrong_result, {"reads out[", "nothing has written"});
  expect_found("missing_pipeline_wait", Verdict::wrong_result, {"nothing has written"});
}

BOOST_AUTO_TEST_CASE(races) {
  expect_found("missing_barrier", Verdict::wrong_result,
               {"static shared memory", "with no barrier between them: possible race"});
  expect_found("missing_syncwarp", Verdict::wrong_result,
               {"dynamic shared memory", "with no barrier between them: possible race"});
  expect_found("plain_add", Verdict::wrong_result, {"reads out[0]", "possible race"});
  expect_found("plain_add_by_blocks", Verdict::wrong_result, {"out[0]", "possible race"});
  expect_found("last_block_without_fence", Verdict::wrong_result, {"scratch 1[", "possible race"});
  expect_found("last_block_fence_too_late", Verdict::wrong_result, {"scratch 1[", "possible race"});
}

// Found as a race, or as memory not yet written when the other block had no turn so far.
BOOST_AUTO_TEST_CASE(blocks_that_do_not_wait_for_each_other) {
  expect_found("missing_grid_barrier", Verdict::wrong_result, {"reads scratch 1["});
  expect_found("grid_barrier_missed", Verdict::launch_failed, {"grid barrier"});
}

BOOST_AUTO_TEST_CASE(divergent_barriers_name_who_waits) {
  expect_found("divergent_barrier", Verdict::launch_failed,
               {"divergent barrier: threads (0,0) to (15,0) waiting at __syncthreads at line",
                "threads (16,0) to (31,0) waiting at __syncthreads at line"});
  expect_found("barrier_in_a_branch", Verdict::launch_failed,
               {"threads (0,0) to (15,0) waiting at __syncthreads at line"});
  expect_found(
      "barrier_and_shuffle", Verdict::launch_failed,
      {"threads (0,0) to (2,0) waiting at __shfl_sync", "; thread (3,0) waiting at __syncthreads",
       "; threads (4,0) to (31,0) waiting at __shfl_sync"});
}

BOOST_AUTO_TEST_CASE(warp_operations) {
  expect_found("inactive_lane", Verdict::wrong_result,
               {"block (3,0)", "__shfl_down_sync at line", "which does not take part"});
  expect_found("lane_not_in_mask", Verdict::wrong_result, {"does not name the calling lane"});
}

BOOST_AUTO_TEST_CASE(a_kernel_that_never_ends_is_stopped) {
  const auto outcome = outcome_of("never_ends", 32, 32, Order::shuffled);
  BOOST_TEST(to_string(outcome.verdict) == "timed_out", outcome.text);
}

BOOST_AUTO_TEST_CASE(a_gpu_works_after_a_fault) {
  EmulatedGpu gpu(3);
  for (int i = 0; i < 3; ++i) {
    BOOST_CHECK_THROW(planted::run(gpu, "divergent_barrier", 100, 32), PointError);
    BOOST_CHECK_THROW(planted::run(gpu, "missing_barrier", 100, 32), PointError);
    BOOST_TEST(planted::run(gpu, "clean_shared", 100, 32) == 150);
  }
}

BOOST_AUTO_TEST_CASE(the_seed_is_told_and_repeats_the_order) {
  const auto first = outcome_of("divergent_barrier", 3200, 32, Order::shuffled, 11);
  BOOST_TEST(first.text.find("PARLAB_SEED=11") != std::string::npos, first.text);
}

BOOST_AUTO_TEST_CASE(launches_a_device_cannot_take_are_refused) {
  for (const auto& [block, verdict] :
       {std::pair{1025, Verdict::not_supported}, {0, Verdict::launch_failed}}) {
    EmulatedGpu gpu(1);
    try {
      planted::launch_with_block(gpu, block);
      BOOST_ERROR("a block of " << block << " threads was accepted");
    } catch (const PointError& error) {
      BOOST_TEST(to_string(error.verdict) == to_string(verdict), error.what());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
