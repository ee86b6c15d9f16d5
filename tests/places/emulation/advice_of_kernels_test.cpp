// The advice on wrong kernels: each kind of mistake has its own text that fits
// its cause, and for undefined behaviour it cites the section of the guide.
#include <boost/test/unit_test.hpp>
#include <string>

#include "grade/grading.hpp"
#include "grade/submission.hpp"
#include "places/emulation/planted.hpp"
#include "render/words.hpp"
#include "text.hpp"

namespace {

using namespace parlab;
using parlab::testing::contains;

std::string advice_on(Verdict verdict, const Detail& detail) {
  grade::Grade grade;
  grade.verdict = verdict;
  grade.detail = detail;
  return words(grade::advice(grade::Class(), grade));
}

// The advice on a planted kernel, by name.
std::string advice_on_kernel(const std::string& name) {
  for (const auto& one : planted::cases()) {
    if (one.name != name) continue;
    const auto machine = std::make_shared<EmulatedMachine>(7);
    machine->time_limit = std::chrono::milliseconds(500);
    EmulatedGpu gpu(machine);
    try {
      planted::run(gpu, one);
    } catch (const PointError& error) {
      return advice_on(error.verdict, error.detail);
    }
  }
  return "no fault is called " + name;
}

BOOST_AUTO_TEST_SUITE(advice_on_kernels)

BOOST_AUTO_TEST_CASE(advice_fits_the_cause) {
  const struct {
    const char *kernel, *advice;
  } mistakes[] = {
      {"volatile_sums", "__syncwarp()"},
      {"volatile_sums", "Independent Thread Scheduling"},
      {"missing_syncwarp", "__syncwarp()"},
      {"neighbour_in_warp", "__syncwarp()"},
      {"tile_barrier_for_block", "__syncthreads() between writing"},
      {"tile_barrier_for_block", "Synchronization Functions"},
      {"plain_add_by_blocks", "atomicAdd()"},
      {"plain_lock", "Two blocks use one element"},
      {"some_sync", "unless they have ended"},
      {"some_sync", "the same for the whole block"},
      {"group_syncs_in_branch", "keep it out of branches"},
      {"early_return_of_grid", "Programming Guide"},
      {"returns_before_shuffle", "let them carry 0"},
      {"too_few_arrive", "count the threads that arrive"},
      {"arrives_unprepared", "initialises the barrier"},
      {"group_never_waits", "begins undefined in every block"},
      {"barrier_never_asked", "begins undefined in every block"},
      {"fours_of_odd_rows", "multiple of 16 bytes"},
      {"fours_of_odd_rows", "Size and Alignment Requirement"},
      {"pairs_to_odd", "a float2 of 8"},
      {"tile_at_odd_place", "256-bit aligned"},
      {"tile_of_odd_rows", "pad rows"},
      {"fifth_weight", "smaller than the index"},
      {"plain_pointer_to_input", "Inputs must stay as they are"},
      {"own_too_short", "compare it with the extent"},
      {"own_never_written", "assign the first value"},
      {"used_after_free", "after cudaFree()"},
      {"frees_an_input", "not yours to free"},
      {"frees_twice", "Free once"},
      {"copies_from_host_memory", "in the GPU's memory already"},
      {"copies_to_device_memory", "cudaMemcpy(to, from, bytes, kind)"},
      {"host_reads_own", "which the host cannot read or write"},
      {"host_pointer_in_launch", "pointers to the host's variables"},
      {"shared_forgotten", ".shared_bytes"},
      {"no_blocks", "rounded down"},
      {"too_many_threads", "1024 threads"},
  };
  for (const auto& [kernel, advice] : mistakes) {
    const auto said = advice_on_kernel(kernel);
    BOOST_TEST(contains(said, advice), kernel << ": " << said);
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_element_is_told_by_how_wrong_it_is) {
  const auto wrong = [](double found, double expected, double off) {
    return Detail{
        .cause = Cause::wrong_element,
        .arguments = {"y[3]", quantity(found, Unit::none),
                      quantity(expected, Unit::none), quantity(off, Unit::none),
                      quantity(1e-6, Unit::none)}};
  };
  BOOST_TEST(contains(
      advice_on(Verdict::wrong_result, wrong(1000.5, 1000, 0.5)), "narrower"));
  BOOST_TEST(contains(advice_on(Verdict::wrong_result, wrong(500, 1000, 500)),
                      "from all its terms"));
  const auto inexact = [](double found, double expected) {
    return Detail{.cause = Cause::not_exact,
                  .arguments = {"y[3]", quantity(found, Unit::none),
                                quantity(expected, Unit::none)}};
  };
  BOOST_TEST(contains(
      advice_on(Verdict::wrong_result, inexact(10016539017216, 10016539328779)),
      "narrower"));
  BOOST_TEST(contains(advice_on(Verdict::wrong_result, inexact(100000, 100001)),
                      "from all its terms"));
  auto square = wrong(500, 1000, 500);
  square.further = {{.cause = Cause::passed_at_square}};
  BOOST_TEST(contains(advice_on(Verdict::wrong_result, square),
                      "rows and columns are taken for each other"));
  // A square size has nothing to do with alignment.
  const Detail odd{
      .cause = Cause::misaligned,
      .arguments = {"byte 4 of a", "'const float4'", std::int64_t{16}},
      .further = {{.cause = Cause::passed_at_square}}};
  BOOST_TEST(contains(advice_on(Verdict::wrong_result, odd), "float4"));
}

// Compilers' messages, and the explanations that we add.
BOOST_AUTO_TEST_CASE(errors_of_the_wrapper_say_what_to_write) {
  const struct {
    const char *said, *message, *advice;
  } errors[] = {
      {"/tmp/x/mine.cu:20:5: error: designator order for field "
       "\u2018parlab::Description::rung\u2019 does not match declaration order "
       "in \u2018const parlab::Description\u2019",
       "mine.cu:20:5: error: designator order", "in that order"},
      {"In file included from /tmp/x/mine.cu:2:\n"
       "src/gpu/gpu.hpp: In instantiation of \u2018void f()\u2019:\n"
       "/tmp/x/mine.cu:30:17:   required from here\n"
       "src/gpu/gpu.hpp:99:9: error: static assertion failed: launch() has "
       "more or fewer arguments than the kernel",
       "mine.cu:30:17: error: launch() has more or fewer",
       "one argument for each parameter"},
      {"/tmp/x/mine.cu:2:45: warning: unused parameter \u2018B\u2019\n"
       "/tmp/x/course-of-mine.cu:22:25: error: invalid conversion from "
       "\u2018int\u2019 to \u2018float*\u2019",
       "course-of-mine.cu:22:25: error: invalid conversion", ""},
      {"/tmp/x/mine.cu:9:1: error: \u2018Register\u2019 does not name a type",
       "mine.cu:9:1", "workloads/WORKLOAD.hpp"},
      {"/tmp/x/mine.cu:9:1: error: \u2018__shfl_down\u2019 was not declared in "
       "this scope",
       "__shfl_down", "__shfl_down_sync(0xffffffff"},
      {"/tmp/x/mine.cu:9:1: error: invalid conversion from \u2018const "
       "float*\u2019 to \u2018float*\u2019 [-fpermissive]",
       "an input is const", "const float*"},
      {"/tmp/x/mine.cu:3:10: fatal error: cub/cub.cuh: No such file or "
       "directory",
       "emulation does not have this header", "start from"},
      {"/tmp/x/mine.cu:10:49: error: output constraint 0 must specify a single "
       "register",
       "inline PTX", "start from"},
      {"/tmp/x/mine.cu:2:19: error: \u2018cudaReadModeElementType\u2019 was "
       "not "
       "declared in this scope",
       "emulation does not have this", "start from"},
      {"/tmp/x/mine.cu:4:17: error: variable or field \u2018k\u2019 declared "
       "void\n"
       "/tmp/x/mine.cu:4:19: error: \u2018cudaTextureObject_t\u2019 was not "
       "declared in this scope",
       "'cudaTextureObject_t' was not declared in this scope; emulation does "
       "not have this",
       "start from"},
      {"/tmp/x/mine.cu:6:9: error: there are no arguments to "
       "\u2018cudaGraphLaunch\u2019 that depend on a template parameter",
       "emulation does not have this", "start from"},
      {"/tmp/x/mine.cu:3:12: error: \u2018__noinline__\u2019 does not name a "
       "type",
       "emulation does not have this", "start from"},
      {"/tmp/x/mine.cu:6:9: error: \u2018__vadd4\u2019 was not declared in "
       "this scope",
       "emulation does not have this", "start from"},
      {"/tmp/x/mine.cu:6:9: error: \u2018atomic\u2019 is not a member of "
       "\u2018cuda\u2019; did you mean \u2018std::atomic\u2019?",
       "emulation does not have this", "start from"},
      {"/tmp/x/mine.cu:6:9: error: no match for \u2018operator+=\u2019 "
       "(operand "
       "types are \u2018cuda::atomic_ref<int>\u2019 and \u2018int\u2019)",
       "emulation does not have this", "start from"},
      {"/tmp/cc1.s:12: Error: no such instruction: `mov.u32 %eax,%laneid'",
       "inline PTX", "start from"},
  };
  for (const auto& [said, message, advice] : errors) {
    auto error = grade::explained_error(std::string(said), "mine.cu");
    error.cause = Cause::does_not_compile;
    BOOST_TEST(contains(words(error), message), words(error));
    BOOST_TEST(contains(advice_on(Verdict::not_supported, error), advice),
               words(error));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
