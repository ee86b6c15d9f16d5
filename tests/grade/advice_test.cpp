// The advice that a student gets for the next step.
#include <boost/test/unit_test.hpp>

#include "grade/grading.hpp"
#include "grade/submission.hpp"
#include "render/words.hpp"
#include "text.hpp"

namespace {

using namespace parlab;
using namespace parlab::grade;
using parlab::testing::contains;

std::string advice_for(Verdict verdict, Detail detail) {
  const Class nobody;
  Grade grade;
  grade.verdict = verdict;
  grade.detail = std::move(detail);
  return words(advice(nobody, grade));
}

BOOST_AUTO_TEST_SUITE(advice_of_grading)

BOOST_AUTO_TEST_CASE(each_mistake_has_advice_of_its_own) {
  const struct {
    Verdict verdict;
    Detail detail;
    const char* advised;
  } mistakes[] = {
      {Verdict::not_supported,
       {.cause = Cause::does_not_compile},
       "to start from"},
      {Verdict::not_supported, {.cause = Cause::defined_twice}, "like main()"},
      {Verdict::launch_failed,
       {.cause = Cause::not_one_variant},
       "Register<...> variant"},
      {Verdict::wrong_result, {.cause = Cause::race_of_updates}, "atomicAdd()"},
      {Verdict::launch_failed,
       {.cause = Cause::took_too_much_memory},
       "more memory than"},
      {Verdict::launch_failed,
       {.cause = Cause::ended_by_signal,
        .arguments = {"Segmentation fault", "SEGV"}},
       "the extent"},
      {Verdict::launch_failed,
       {.cause = Cause::nothing_to_launch},
       "ceil_div()"},
      {Verdict::not_supported, {.cause = Cause::cannot_launch}, "65535 blocks"},
      {Verdict::launch_failed,
       {.cause = Cause::memory_of_before},
       "ends with the execution"},
      {Verdict::launch_failed, {.cause = Cause::past_the_end}, "the extent"},
      {Verdict::wrong_result,
       {.cause = Cause::race_in_block},
       "Two threads use one element"},
      {Verdict::launch_failed,
       {.cause = Cause::divergent_barrier},
       "must reach the same barrier"},
      {Verdict::timed_out, {.cause = Cause::took_too_long}, "does not end"},
      {Verdict::wrong_result, {.cause = Cause::left_out}, "incomplete block"},
      {Verdict::wrong_result, {.cause = Cause::not_a_number}, "begin as NaN"},
      {Verdict::wrong_result, other("y[0] is 2, expected 4 within 0"),
       "by hand"},
  };
  for (const auto& [verdict, detail, advised] : mistakes) {
    BOOST_TEST(contains(advice_for(verdict, detail), advised),
               "to \"" << words(detail) << "\"");
  }
}

BOOST_AUTO_TEST_CASE(a_cause_behind_a_cause_is_seen) {
  BOOST_TEST(contains(
      advice_for(Verdict::launch_failed,
                 {.cause = Cause::other,
                  .arguments = {"ended"},
                  .further = {{.cause = Cause::took_too_much_memory}}}),
      "more memory than"));
}

BOOST_AUTO_TEST_CASE(what_is_defined_twice_is_known_from_any_linker) {
  for (const char* said :
       {"/usr/bin/ld: /tmp/x/mine.o: in function `main':\n"
        "mine.cu:(.text+0x0): multiple definition of `main'; "
        "/tmp/x/grade.o:main.cpp:(.text+0x0): first defined here",
        "mold: error: duplicate symbol: build/grade.o: /tmp/x/mine.o: main",
        "/usr/bin/ld.gold: error: /tmp/x/mine.o: multiple definition of "
        "'main'"}) {
    const auto error = explained_error(std::string(said), "mine.cu");
    BOOST_REQUIRE(error.further.size() == 1U);
    BOOST_TEST((error.further[0].cause == Cause::defined_twice));
    BOOST_TEST(!contains(words(error), "/tmp/x/"), words(error));
  }
}

BOOST_AUTO_TEST_CASE(a_right_kernel_that_was_not_timed_is_said_to_be_right) {
  BOOST_TEST(contains(advice_for(Verdict::passed, {}), "right at every size"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
