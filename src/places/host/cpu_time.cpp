#include "places/host/cpu_time.hpp"

#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "machine/pinning.hpp"
#include "machine/run_queue.hpp"

namespace parlab {
namespace {

constexpr double share_to_speak_of = 0.1;
constexpr double least_seconds = 1e-3;
constexpr auto nap = std::chrono::microseconds(200);
constexpr double work_in_a_nap = 1e-5;  // of all threads but the one that naps
constexpr int naps_at_most = 500;

// Nothing for a thread that has just ended.
std::optional<double> seconds_if_any(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return std::nullopt;
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_on(clockid_t clock) {
  return seconds_if_any(clock).value_or(0);
}

// Linux's encoding of "the CPU time of this thread" as a clock.
// pthread_getcpuclockid needs a handle, which is unknown for a library's
// threads.
clockid_t clock_of(pid_t thread) {
  constexpr unsigned one_thread = 4, scheduler = 2;
  return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) |
                                one_thread | scheduler);
}

using Threads = std::map<pid_t, double>;  // CPU seconds of each

Threads seconds_of_threads() {
  Threads all;
  for (const auto thread : thread_ids(getpid())) {
    if (const auto seconds = seconds_if_any(clock_of(thread)))
      all[thread] = *seconds;
  }
  return all;
}

// Whether it is running, or would run if it had a CPU.
bool is_runnable(pid_t thread) {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(stat, text);  // fails if the thread has just ended
  const auto end_of_name = text.rfind(')');  // "17 (any name) R ..."
  return end_of_name != std::string::npos &&
         text.compare(end_of_name, 3, ") R") == 0;
}

// Whether the threads slept in between and none ended, because the last work of
// an ended thread would be missed.
bool rested(const Threads& before, const Threads& after) {
  double work = 0;
  for (const auto& [thread, seconds] : after) {
    const auto then = before.find(thread);
    work += seconds - (then == before.end() ? 0 : then->second);
    if (is_runnable(thread)) return false;
  }
  const auto is_there = [&](const auto& one) {
    return after.count(one.first) > 0;
  };
  return work < work_in_a_nap &&
         std::all_of(before.begin(), before.end(), is_there);
}

// While threads run on other cores, the process's clock lags behind by up to a
// tick for each. When they sleep it is exact.
double process_seconds_at_rest() {
  wait_for_rest();
  return seconds_on(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace

double seconds_of_other_threads() {
  return seconds_on(CLOCK_PROCESS_CPUTIME_ID) -
         seconds_on(CLOCK_THREAD_CPUTIME_ID);
}

void wait_for_rest() {
  const auto of_others = [self = gettid()] {
    auto all = seconds_of_threads();
    all.erase(self);
    return all;
  };
  auto before = of_others();
  if (before.empty()) return;
  for (int i = 0; i < naps_at_most; ++i) {
    std::this_thread::sleep_for(nap);
    auto after = of_others();
    if (rested(before, after)) return;
    before = std::move(after);
  }
}

CpuTime::CpuTime(int threads) : threads_(threads) {
  end_idle_threads();
  process_before_ = process_seconds_at_rest();
  own_before_ = seconds_on(CLOCK_THREAD_CPUTIME_ID);
  wall_before_ = seconds_on(CLOCK_MONOTONIC);
}

CpuTime::Clocks CpuTime::without_pool() {
  end_idle_threads();
  return {seconds_on(CLOCK_MONOTONIC), seconds_on(CLOCK_THREAD_CPUTIME_ID),
          seconds_on(CLOCK_PROCESS_CPUTIME_ID)};
}

std::optional<Detail> CpuTime::of_others() const {
  end_idle_threads();
  const auto now = seconds_of_threads();
  const double wall = seconds_on(CLOCK_MONOTONIC) - wall_before_;
  const double own = seconds_on(CLOCK_THREAD_CPUTIME_ID) - own_before_;
  // Only the process's clock includes threads that have ended. Time that the
  // others have used since, such as a library's spinning before it sleeps, is
  // subtracted again.
  double process = process_seconds_at_rest() - process_before_;
  for (const auto& [thread, seconds] : seconds_of_threads()) {
    const auto before = now.find(thread);
    if (before != now.end()) process -= seconds - before->second;
  }
  const double allowed = threads_ == 1 ? own : threads_ * wall;
  const double others = process - allowed;
  if (others < least_seconds || others < share_to_speak_of * threads_ * wall)
    return std::nullopt;
  return because(Cause::threads_beyond, threads_,
                 quantity(others, Unit::second), quantity(wall, Unit::second));
}

}  // namespace parlab
