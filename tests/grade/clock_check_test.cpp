// The clock of a submission against that of the grader, on machines that are invented: who has a
// CPU when, and what each clock says of it.
#include "grade/clock_check.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <random>
#include <sstream>

#include "machine/run_queue.hpp"

namespace {

using namespace parlab;
using namespace parlab::grade;

// Executions of the same length, with a little between them and a message before and after.
struct Machine {
  double execution_s = 1e-3;
  double clock_rate = 1;       // of the submission: 0.125 is a clock that runs slowly
  double share_of_others = 0;  // of the CPU
  double slice_s = 4e-3;       // for which others have it
  bool says_who_waited = true;
  double others_leave_s = 1e9;  // after this time they are gone
  double stolen_share = 0;      // of the CPU, by the host of a virtual machine: no queue tells
  bool shifts_time = false;     // reports what most executions took as that of one of them

  double now_s = 0;
  std::mt19937 random{1};

  // Others get on when they have their share of what passes; returns for how long.
  double interrupted(double seconds) {
    double waited = 0;
    if (now_s < others_leave_s && share_of_others > 0) {
      const double slices = seconds * share_of_others / (1 - share_of_others) / slice_s;
      std::poisson_distribution<int> how_often(slices);
      waited = how_often(random) * slice_s;
    }
    double stolen = 0;
    if (stolen_share > 0) {
      const double slices = seconds * stolen_share / (1 - stolen_share) / slice_s;
      std::poisson_distribution<int> how_often(slices);
      stolen = how_often(random) * slice_s;
    }
    now_s += seconds + waited + stolen;
    return waited;
  }

  WatchedBatch take(int executions) {
    constexpr double message_s = 2e-4, between_s = 5e-6;
    const double start = now_s;
    double waited = interrupted(message_s);
    WatchedBatch batch;
    for (int i = 0; i < executions; ++i) {
      waited += interrupted(between_s);
      const double before = now_s;
      waited += interrupted(execution_s);
      batch.reported_s.push_back(clock_rate * (now_s - before));
    }
    if (shifts_time) shift(batch.reported_s);
    batch.elapsed_s = batch.watched.elapsed_s = now_s - start;
    if (!says_who_waited) batch.watched.waited_s.reset();
    if (batch.watched.waited_s) *batch.watched.waited_s += waited;
    return batch;
  }

  static void shift(std::vector<double>& seconds) {
    for (std::size_t i = 1; i < seconds.size(); ++i) {
      const double most = 0.875 * seconds[i];
      seconds[i] -= most;
      seconds[0] += most;
    }
  }

  ClockVerdict verdict() {
    auto one = take(1);
    return check_clock([&](int executions) { return take(executions); }, one.reported_s[0]).verdict;
  }
};

const char* word(ClockVerdict verdict) {
  constexpr const char* words[] = {"agrees", "differs", "busy"};
  return words[static_cast<int>(verdict)];
}

BOOST_AUTO_TEST_SUITE(clock_check)

BOOST_AUTO_TEST_CASE(an_idle_machine_tells_right_from_wrong) {
  for (const double execution_s : {1e-6, 5e-5, 1e-3, 0.05, 0.5}) {
    BOOST_TEST(word(Machine{.execution_s = execution_s}.verdict()) == "agrees");
  }
  for (const double execution_s : {5e-4, 1e-3, 0.05, 0.5}) {
    for (const double rate : {0.125, 0.5}) {
      const auto verdict = Machine{.execution_s = execution_s, .clock_rate = rate}.verdict();
      BOOST_TEST(word(verdict) == "differs", execution_s << " s, a clock of " << rate);
    }
  }
}

BOOST_AUTO_TEST_CASE(others_at_work_never_make_an_honest_clock_wrong) {
  for (const double execution_s : {1e-6, 5e-5, 1e-3, 0.05}) {
    for (const double share : {0.01, 0.1, 0.5, 0.9}) {
      for (const double slice_s : {1e-4, 4e-3, 0.1}) {
        for (unsigned seed = 1; seed <= 20; ++seed) {
          Machine machine{.execution_s = execution_s, .share_of_others = share, .slice_s = slice_s};
          machine.random.seed(seed);
          BOOST_TEST(word(machine.verdict()) != "differs",
                     execution_s << " s, others with " << share << " of the CPU for " << slice_s
                                 << " s each");
        }
      }
    }
  }
}

// On a shared host a few executions may take ten times as long as most.
BOOST_AUTO_TEST_CASE(what_a_host_steals_never_makes_an_honest_clock_wrong) {
  int agrees = 0, in_all = 0;
  for (const double execution_s : {5e-5, 1e-3, 0.05}) {
    for (const double share : {0.05, 0.3, 0.6}) {
      for (const double slice_s : {1e-4, 4e-3, 0.05}) {
        for (unsigned seed = 1; seed <= 20; ++seed) {
          Machine machine{.execution_s = execution_s, .slice_s = slice_s, .stolen_share = share};
          machine.random.seed(seed);
          const auto verdict = machine.verdict();
          ++in_all;
          agrees += verdict == ClockVerdict::agrees;
          BOOST_TEST(word(verdict) != "differs", execution_s << " s, the host takes " << share
                                                             << " of the CPU, " << slice_s
                                                             << " s at a time");
        }
      }
    }
  }
  BOOST_TEST(agrees > in_all / 2);  // it is not for want of a verdict
}

BOOST_AUTO_TEST_CASE(who_reports_the_time_of_all_as_that_of_one_is_not_timed) {
  for (const double execution_s : {1e-3, 0.02}) {
    BOOST_TEST(word(Machine{.execution_s = execution_s, .shifts_time = true}.verdict()) == "busy");
  }
  const Machine slow{.clock_rate = 0.125, .stolen_share = 0.3};
  BOOST_TEST(word(Machine{slow}.verdict()) == "differs");
}

BOOST_AUTO_TEST_CASE(a_machine_that_is_never_quiet_decides_nothing) {
  BOOST_TEST(word(Machine{.share_of_others = 0.7}.verdict()) == "busy");
  BOOST_TEST(word(Machine{.clock_rate = 0.125, .share_of_others = 0.7}.verdict()) == "busy");
  BOOST_TEST(word(Machine{.says_who_waited = false}.verdict()) == "busy");
}

BOOST_AUTO_TEST_CASE(it_waits_until_the_others_are_done) {
  BOOST_TEST(word(Machine{.share_of_others = 0.7, .others_leave_s = 1}.verdict()) == "agrees");
  const Machine slow{.clock_rate = 0.125, .share_of_others = 0.7, .others_leave_s = 1};
  BOOST_TEST(word(Machine{slow}.verdict()) == "differs");
}

BOOST_AUTO_TEST_CASE(who_waited_is_read_from_linux) {
  std::istringstream text("123456789 2500000000 17\n"), nothing("");
  const auto time = parse_schedstat(text);
  BOOST_REQUIRE(time.has_value());
  BOOST_TEST(time->waited_s == 2.5);
  BOOST_TEST(time->starts == 17);
  BOOST_TEST(!parse_schedstat(nothing).has_value());
  // 2 has ended, 3 has begun.
  const QueueTimes before{{1, {10, 5}}, {2, {50, 5}}}, after{{1, {12, 5}}, {3, {0.5, 0}}};
  BOOST_TEST(longest_wait(before, after) == 2);
}

// In a virtual machine a thread that slept waits for its CPU to wake; behind others it waits for
// their time slices.
BOOST_AUTO_TEST_CASE(to_wake_is_not_to_wait) {
  const QueueTimes none;
  BOOST_TEST(longest_wait(none, {{1, {0.05, 1000}}}) == 0);
  BOOST_TEST(longest_wait(none, {{1, {0.15, 1000}}}) > 0.04);
  BOOST_TEST(longest_wait(none, {{1, {0.05, 1000}}, {2, {0.03, 10}}}) > 0.028);
}

BOOST_AUTO_TEST_CASE(who_waited_can_be_asked_of_a_process) {
  BOOST_TEST(RunQueueWait(getpid()).seconds().value_or(0) >= 0);
  BOOST_TEST(!RunQueueWait(0).seconds().has_value());
}

BOOST_AUTO_TEST_CASE(what_was_watched_adds_up) {
  Watched all{1, 0.05};
  all.add({1, 0.05});
  BOOST_TEST(all.elapsed_s == 2);
  BOOST_TEST(!disturbed(all));
  all.add({0, 0.2});
  BOOST_TEST(disturbed(all));
  Watched unknown{1, 0.0};
  unknown.add({1, std::nullopt});
  BOOST_TEST(disturbed(unknown));
}

// A student reads it: what is not known must not sound like somebody's fault.
BOOST_AUTO_TEST_CASE(why_nothing_is_timed_is_said_in_words) {
  BOOST_TEST(
      to_string(Watched{10e-3, 2e-3}) ==
      "other programs kept this machine busy: threads waited 2.000 ms of 10.00 ms for a CPU");
  BOOST_TEST(to_string(Watched{10e-3, 2e-3, 32}, 16) ==
             "its 32 threads share 16 CPUs and waited 2.000 ms of 10.00 ms for one another: "
             "tunables[\"threads\"] says how many to use");
  BOOST_TEST(to_string(Watched{10e-3, std::nullopt}) ==
             "this system does not say how long threads wait for a CPU");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
