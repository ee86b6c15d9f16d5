// Submissions are judged side by side, and a verdict may be another one's
// fault.
#include <boost/test/unit_test.hpp>

#include "grade/grader.hpp"

namespace {

using namespace parlab;
using namespace parlab::grade;

Grade with(Verdict verdict, Detail detail) {
  return {.verdict = verdict, .detail = std::move(detail)};
}

bool alone(const Grade& grade) {
  return Judge::may_be_others_fault(grade, false);
}
bool beside(const Grade& grade) {
  return Judge::may_be_others_fault(grade, true);
}

BOOST_AUTO_TEST_SUITE(grading)

BOOST_AUTO_TEST_CASE(neighbours_may_take_time_and_memory) {
  const auto endless =
      with(Verdict::timed_out, {.cause = Cause::took_too_long,
                                .arguments = {Quantity{3, Unit::second}}});
  BOOST_TEST(beside(endless));
  BOOST_TEST(!alone(endless));
  const Detail no_room{.cause = Cause::emulation_memory_short};
  for (const auto& why :
       {no_room, Detail{.cause = Cause::only_on_gpu, .further = {no_room}}}) {
    BOOST_TEST(beside(with(Verdict::unverified, why)));
    BOOST_TEST(!alone(with(Verdict::unverified, why)));
  }
}

BOOST_AUTO_TEST_CASE(the_machine_may_be_at_fault_for_one_alone) {
  const Detail killed{.cause = Cause::ended_by_signal,
                      .arguments = {"Killed", "KILL"}};
  for (const auto& why : {killed, Detail{.cause = Cause::system_refused},
                          Detail{.cause = Cause::cannot_be_linked,
                          .further = {{.cause = Cause::disk_is_full}}}}) {
    BOOST_TEST(alone(with(Verdict::launch_failed, why)));
    BOOST_TEST(beside(with(Verdict::launch_failed, why)));
  }
}

BOOST_AUTO_TEST_CASE(mistakes_are_its_own) {
  const Detail crashed{.cause = Cause::ended_by_signal,
                       .arguments = {"Segmentation fault", "SEGV"}};
  for (const auto& grade :
       {with(Verdict::passed, {}), with(Verdict::wrong_result, {}),
        with(Verdict::launch_failed, crashed),
        with(Verdict::launch_failed, {.cause = Cause::took_too_much_memory}),
        with(Verdict::unverified, {.cause = Cause::only_on_gpu})}) {
    BOOST_TEST(!beside(grade));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
