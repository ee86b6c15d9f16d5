// What a student is told to do next.
#include <boost/test/unit_test.hpp>

#include "grade/grading.hpp"
#include "text.hpp"

namespace {

using namespace parlab;
using namespace parlab::grade;
using parlab::testing::contains;

std::string advice_for(Verdict verdict, const std::string& detail) {
  const Class nobody;
  Grade grade;
  grade.verdict = verdict;
  grade.detail = detail;
  return advice(nobody, grade);
}

BOOST_AUTO_TEST_SUITE(advice_of_grading)

BOOST_AUTO_TEST_CASE(each_mistake_has_advice_of_its_own) {
  const struct {
    Verdict verdict;
    const char *detail, *advised;
  } mistakes[] = {
      {Verdict::not_supported,
       "does not compile: a.cu:3:1: error: expected ';'", "to start from"},
      {Verdict::not_supported,
       "cannot be linked: multiple definition of `main'", "like main()"},
      {Verdict::launch_failed, "one Register<...> is needed, there are 0",
       "Register<...> variant"},
      {Verdict::launch_failed,
       "cannot launch 0x1x1 blocks of 256x1x1 threads and 0 bytes of shared "
       "memory",
       "ceil_div()"},
      {Verdict::launch_failed, "took more than 2 GB of memory",
       "more memory than"},
      {Verdict::launch_failed,
       "reads 4 bytes, 16 bytes past the end of a (4 bytes)", "the extent"},
      {Verdict::wrong_result,
       "writes y[0], ... with no barrier between them: possible race",
       "Two threads use one element"},
      {Verdict::launch_failed,
       "divergent barrier: thread (0,0) waiting at __syncthreads",
       "must reach the same barrier"},
      {Verdict::timed_out, "ended: took more than 10 s", "does not end"},
      {Verdict::wrong_result, "y[0] is 2, expected 4 within 0", "by hand"},
  };
  for (const auto& [verdict, detail, advised] : mistakes) {
    BOOST_TEST(contains(advice_for(verdict, detail), advised),
               "to \"" << detail << "\"");
  }
}

BOOST_AUTO_TEST_CASE(a_right_kernel_that_was_not_timed_is_said_to_be_right) {
  BOOST_TEST(contains(advice_for(Verdict::passed, ""), "right at every size"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
