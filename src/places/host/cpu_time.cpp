#include "places/host/cpu_time.hpp"

#include <omp.h>
#include <strings.h>
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace parlab {
namespace {

// Of the time that passed: beside other programs a thread of the pool takes longer to fall asleep.
constexpr double share_to_speak_of = 0.15;
// Per thread: the clock of a process lags behind its running threads by up to a tick of the kernel.
constexpr double least_seconds = 4e-3;
constexpr auto nap = std::chrono::milliseconds(1);
constexpr int naps_at_most = 100;

double clock_seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Asked for by the user: what spins then cannot be told from what works.
bool threads_never_sleep() {
  const char* const policy = std::getenv("OMP_WAIT_POLICY");
  return policy != nullptr && strcasecmp(policy, "active") == 0;
}

}  // namespace

CpuTime::CpuTime(int threads) : threads_(threads) {
  others_before_ = others_until_now();
  for (int i = 0; i < naps_at_most; ++i) {
    std::this_thread::sleep_for(nap);
    const double now = others_until_now();
    const bool quiet = now - others_before_ < 1e-4;
    others_before_ = now;
    if (quiet) break;
  }
  wall_before_ = clock_seconds(CLOCK_MONOTONIC);
}

double CpuTime::others_until_now() const {
  double own = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : own)
  own += clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  return clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - own;
}

std::optional<std::string> CpuTime::of_others() const {
  if (threads_never_sleep()) return std::nullopt;
  const double wall = clock_seconds(CLOCK_MONOTONIC) - wall_before_;
  const double others = others_until_now() - others_before_;
  if (others < threads_ * least_seconds || others < share_to_speak_of * wall) return std::nullopt;
  char text[160];
  std::snprintf(text, sizeof text,
                "threads beyond the %d asked for worked %.3g s while %.3g s passed", threads_,
                others, wall);
  return text;
}

}  // namespace parlab
