// Attribution of CPU time: threads that worked before a variant began do not
// count as its own.
#include "places/host/cpu_time.hpp"

#include <time.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>
#include <vector>

using namespace parlab;

namespace {

double own_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

void spin(double seconds) {
  const double start = own_seconds();
  while (own_seconds() - start < seconds)
    continue;
}

void sleep_until_stopped(const std::stop_token& stop) {
  while (!stop.stop_requested())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cpu_time)

// While a library's thread still spins, other threads end and their time
// disappears. That must not hide the time that the library's thread goes on
// using.
BOOST_AUTO_TEST_CASE(a_spinning_thread_is_waited_for_though_others_end) {
  for (int repetition = 0; repetition < 5; ++repetition) {
    std::vector<std::jthread> ended;
    for (int i = 0; i < 4; ++i)
      ended.emplace_back([] { spin(0.005); });
    std::jthread library([](const std::stop_token& stop) {
      spin(0.015);
      sleep_until_stopped(stop);
    });
    const CpuTime time(1);
    const auto others = time.of_others();
    BOOST_TEST(!others, to_string(others.value_or(Detail{})));
  }
}

// All threads write inputs between executions of a variant with one thread.
BOOST_AUTO_TEST_CASE(what_is_left_out_is_not_counted) {
  const auto on_two_threads = [] {
#pragma omp parallel num_threads(2)
    spin(0.05);
  };
  CpuTime time(1);
  time.leave_out(on_two_threads);
  spin(0.01);
  const auto others = time.of_others();
  BOOST_TEST(!others, to_string(others.value_or(Detail{})));
  on_two_threads();
  BOOST_TEST(time.of_others().has_value());
}

BOOST_AUTO_TEST_CASE(a_thread_that_begins_to_spin_is_seen) {
  const CpuTime time(1);
  std::atomic<bool> done{false};
  const std::jthread another([&](const std::stop_token& stop) {
    spin(0.02);
    done = true;
    sleep_until_stopped(stop);
  });
  while (!done)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  BOOST_TEST(time.of_others().has_value());
}

BOOST_AUTO_TEST_SUITE_END()
