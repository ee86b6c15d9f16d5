#include "places/host/kept_state.hpp"

#include <pthread.h>
#include <algorithm>

namespace parlab {

KeptState::KeptState() {
  std::fegetenv(&arithmetic_);
  for (int i = 0; i < std::ssize(timers_); ++i)
    getitimer(static_cast<__itimer_which>(i), &timers_[i]);
  for (int i = 0; i < std::ssize(limits_); ++i)
    getrlimit(static_cast<__rlimit_resource>(i), &limits_[i]);
  for (int i = 1; i < std::ssize(handlers_); ++i)
    sigaction(i, nullptr, &handlers_[i]);
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked_);
}

KeptState::~KeptState() {
  std::fesetenv(&arithmetic_);
  for (int i = 0; i < std::ssize(timers_); ++i)
    setitimer(static_cast<__itimer_which>(i), &timers_[i], nullptr);
  for (int i = 0; i < std::ssize(limits_); ++i) {
    const auto which = static_cast<__rlimit_resource>(i);
    rlimit now{};
    if (getrlimit(which, &now) != 0) continue;
    now.rlim_cur = std::min(limits_[i].rlim_cur, now.rlim_max);
    setrlimit(which, &now);
  }
  // those of the C library's own are refused, and stay as they are
  for (int i = 1; i < std::ssize(handlers_); ++i)
    sigaction(i, &handlers_[i], nullptr);
  pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
}

}  // namespace parlab
