// The clock of a submission compared with the grader's, on simulated machines:
// who has the CPU when, and what each clock shows.
#include "grade/clock_check.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <random>
#include <sstream>

#include "machine/run_queue.hpp"
#include "render/words.hpp"

namespace {

using namespace parlab;
using namespace parlab::grade;

// Executes the submission: executions of one length, a little time
// between them, a message first.
struct Machine {
  double execution_s = 1e-3;
  // of the submission: 0.125 is a slow clock
  double clock_rate = 1;
  // of the CPU: other programs, for which threads queue
  double share_of_others = 0;
  // how long others, or the host, have the CPU at a time
  double slice_s = 4e-3;
  bool says_who_waited = true;
  double others_leave_s = 1e9;
  // of the CPU: the host of a virtual machine, which no queue shows
  double stolen_share = 0;
  // most of each execution's time is reported for the first
  bool shifts_time = false;
  double between_s = 5e-6;  // two executions
  // a host that blocks the device: extra time, until then
  double delay_s = 0, delays_until_s = 0;

  double now_s = 0;
  std::mt19937 random{1};

  // Does this many seconds of work, with interruptions; returns how long it
  // waited for other programs.
  double work(double seconds) {
    const double waited =
        now_s < others_leave_s ? interruptions(seconds, share_of_others) : 0;
    const double stolen = interruptions(seconds, stolen_share);
    now_s += seconds + waited + stolen;
    return waited;
  }

  // How long something with this share of the CPU interrupts this much work, in
  // whole slices.
  double interruptions(double seconds, double share) {
    if (share == 0) return 0;
    std::poisson_distribution<int> slices(seconds * share / (1 - share) /
                                          slice_s);
    return slices(random) * slice_s;
  }

  WatchedBatch take(int executions) {
    constexpr double message_s = 2e-4;
    const double start = now_s;
    double waited = work(message_s);
    WatchedBatch batch;
    for (int i = 0; i < executions; ++i) {
      waited += work(between_s + (now_s < delays_until_s ? delay_s : 0));
      const double before = now_s;
      waited += work(execution_s);
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

  ClockCheck check(double around_s = usual_around_s,
                   const std::function<double()>& again = nullptr) {
    auto one = take(1);
    return check_clock([&](int executions) { return take(executions); },
                       one.reported_s[0], around_s, again);
  }
  ClockVerdict verdict() { return check().verdict; }
};

const char* word(ClockVerdict verdict) {
  constexpr const char* words[] = {"agrees", "differs", "busy"};
  return words[static_cast<int>(verdict)];
}

BOOST_AUTO_TEST_SUITE(clock_check)

BOOST_AUTO_TEST_CASE(an_idle_machine_tells_right_from_wrong) {
  for (const double execution_s : {1e-6, 5e-5, 1e-3, 0.05, 0.5}) {
    BOOST_TEST(word(Machine{.execution_s = execution_s}.verdict()) == "agrees",
               execution_s << " s");
  }
  for (const double execution_s : {5e-4, 1e-3, 0.05, 0.5}) {
    for (const double rate : {0.125, 0.5}) {
      const auto verdict =
          Machine{.execution_s = execution_s, .clock_rate = rate}.verdict();
      BOOST_TEST(word(verdict) == "differs",
                 execution_s << " s, a clock of " << rate);
    }
  }
}

BOOST_AUTO_TEST_CASE(other_programs_never_make_an_honest_clock_wrong) {
  for (const double execution_s : {1e-6, 5e-5, 1e-3, 0.05}) {
    for (const double share : {0.01, 0.1, 0.5, 0.9}) {
      for (const double slice_s : {1e-4, 4e-3, 0.1}) {
        for (unsigned seed = 1; seed <= 20; ++seed) {
          Machine machine{.execution_s = execution_s,
                          .share_of_others = share,
                          .slice_s = slice_s};
          machine.random.seed(seed);
          BOOST_TEST(word(machine.verdict()) != "differs",
                     execution_s << " s, others with " << share
                                 << " of the CPU for " << slice_s << " s each");
        }
      }
    }
  }
}

// On a shared host a few executions may take ten times as long as most.
BOOST_AUTO_TEST_CASE(
    time_stolen_by_the_host_never_makes_an_honest_clock_wrong) {
  int agrees = 0, all = 0;
  for (const double execution_s : {5e-5, 1e-3, 0.05}) {
    for (const double share : {0.05, 0.3, 0.6}) {
      for (const double slice_s : {1e-4, 4e-3, 0.05}) {
        for (unsigned seed = 1; seed <= 20; ++seed) {
          Machine machine{.execution_s = execution_s,
                          .slice_s = slice_s,
                          .stolen_share = share};
          machine.random.seed(seed);
          const auto verdict = machine.verdict();
          ++all;
          agrees += verdict == ClockVerdict::agrees;
          BOOST_TEST(word(verdict) != "differs",
                     execution_s << " s, the host takes " << share
                                 << " of the CPU, " << slice_s
                                 << " s at a time");
        }
      }
    }
  }
  BOOST_TEST(agrees > all / 2);  // "busy" is not the answer to everything
}

BOOST_AUTO_TEST_CASE(
    a_submission_that_reports_all_time_as_that_of_one_execution_is_not_timed) {
  for (const double execution_s : {1e-3, 0.02}) {
    BOOST_TEST(word(Machine{.execution_s = execution_s, .shifts_time = true}
                        .verdict()) == "busy");
  }
}

BOOST_AUTO_TEST_CASE(a_slow_clock_is_found_though_the_host_steals_time) {
  BOOST_TEST(
      word(Machine{.clock_rate = 0.125, .stolen_share = 0.3}.verdict()) ==
      "differs");
}

BOOST_AUTO_TEST_CASE(questions_are_as_long_as_those_of_the_reference) {
  const double around_s =
      Machine{.between_s = 5e-4}.check(1).around_s + usual_around_s;
  const auto verdict = [=](Machine machine) {
    return word(machine.check(around_s).verdict);
  };
  BOOST_TEST(word(Machine{.between_s = 5e-4}.verdict()) == "differs");
  BOOST_TEST(verdict({.between_s = 5e-4}) == "agrees");
  BOOST_TEST(verdict({.clock_rate = 0.125, .between_s = 5e-4}) == "differs");
  // most of the work is done outside the timed window
  BOOST_TEST(verdict({.execution_s = 2e-4, .between_s = 1.3e-3}) == "differs");
}

// The system places new threads worse than when the reference was asked: its
// questions last as long now.
BOOST_AUTO_TEST_CASE(the_reference_is_asked_again_before_a_clock_is_doubted) {
  int asked = 0;
  const auto again = [&] {
    ++asked;
    return 4e-3 + usual_around_s;
  };
  const double before_s = 5e-4;
  Machine honest{.execution_s = 6e-4, .between_s = 4e-3};
  BOOST_TEST(word(honest.check(before_s).verdict) == "differs");
  BOOST_TEST(word(honest.check(before_s, again).verdict) == "agrees");
  BOOST_TEST(asked == 2);
  Machine slow{.execution_s = 5e-3, .clock_rate = 0.125, .between_s = 4e-3};
  BOOST_TEST(word(slow.check(before_s, again).verdict) == "differs");
  BOOST_TEST(asked == 3);
  Machine usual{.execution_s = 6e-4};
  BOOST_TEST(word(usual.check(before_s, again).verdict) == "agrees");
  BOOST_TEST(asked == 3);
}

BOOST_AUTO_TEST_CASE(a_delay_of_the_host_that_ends_is_nobodys_fault) {
  const Machine honest{
      .execution_s = 2.5e-5, .delay_s = 5e-4, .delays_until_s = 0.3};
  BOOST_TEST(word(Machine{honest}.verdict()) == "agrees");
  Machine slow = honest;
  slow.execution_s = 1e-3;
  slow.clock_rate = 0.125;
  BOOST_TEST(word(slow.verdict()) == "differs");
  Machine endless = honest;
  endless.delays_until_s = 1e9;
  BOOST_TEST(word(endless.verdict()) == "differs");
}

BOOST_AUTO_TEST_CASE(a_machine_that_is_never_quiet_decides_nothing) {
  BOOST_TEST(word(Machine{.share_of_others = 0.7}.verdict()) == "busy");
  BOOST_TEST(
      word(Machine{.clock_rate = 0.125, .share_of_others = 0.7}.verdict()) ==
      "busy");
  BOOST_TEST(word(Machine{.says_who_waited = false}.verdict()) == "busy");
}

BOOST_AUTO_TEST_CASE(the_check_waits_until_the_others_are_done) {
  BOOST_TEST(
      word(Machine{.share_of_others = 0.7, .others_leave_s = 1}.verdict()) ==
      "agrees");
  Machine slow{
      .clock_rate = 0.125, .share_of_others = 0.7, .others_leave_s = 1};
  BOOST_TEST(word(slow.verdict()) == "differs");
}

BOOST_AUTO_TEST_CASE(waits_are_read_from_schedstat) {
  std::istringstream text("123456789 2500000000 17\n"), nothing("");
  const auto time = parse_schedstat(text);
  BOOST_REQUIRE(time.has_value());
  BOOST_TEST(time->waited_s == 2.5);
  BOOST_TEST(time->starts == 17);
  BOOST_TEST(!parse_schedstat(nothing).has_value());
}

BOOST_AUTO_TEST_CASE(the_thread_that_waited_longest_counts) {
  // Thread 2 has ended, thread 3 has started.
  const QueueTimes before{{1, {10, 5}}, {2, {50, 5}}},
      after{{1, {12, 5}}, {3, {0.5, 0}}};
  BOOST_TEST(longest_wait(before, after) == 2);
}

// In a virtual machine a sleeping thread waits for its CPU to wake, every time
// it starts.
BOOST_AUTO_TEST_CASE(what_a_cpu_takes_to_wake_is_no_wait) {
  const QueueTimes none;
  BOOST_TEST(longest_wait(none, {{1, {0.05, 1000}}}) == 0);
  BOOST_TEST(longest_wait(none, {{1, {0.15, 1000}}}) > 0.04);
  BOOST_TEST(longest_wait(none, {{1, {0.05, 1000}}, {2, {0.03, 10}}}) > 0.028);
}

BOOST_AUTO_TEST_CASE(the_wait_of_a_process_is_known_where_linux_tells_it) {
  const bool told = std::filesystem::exists("/proc/self/schedstat");
  BOOST_TEST(RunQueueWait(getpid()).seconds().has_value() == told);
  BOOST_TEST(!RunQueueWait(0).seconds().has_value());
}

BOOST_AUTO_TEST_CASE(batches_that_were_watched_add_up) {
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

// An unknown reason must not sound like somebody's fault.
BOOST_AUTO_TEST_CASE(students_are_told_why_nothing_is_timed) {
  BOOST_TEST(words(why_disturbed(Watched{10e-3, 2e-3})) ==
             "other programs kept this machine busy: threads waited 2.000 ms "
             "of 10.00 ms for a CPU");
  BOOST_TEST(words(why_disturbed(Watched{10e-3, 2e-3, 32}, 16)) ==
             "its 32 threads share 16 CPUs and waited 2.000 ms of 10.00 ms for "
             "one another: "
             "tunables[\"threads\"] says how many to use");
  BOOST_TEST(words(why_disturbed(Watched{10e-3, std::nullopt})) ==
             "this system does not say how long threads wait for a CPU");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
