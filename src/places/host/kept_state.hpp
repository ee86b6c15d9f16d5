// State of the process that a variant may change and the next variant would be
// blamed for.
#pragma once

#include <omp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <array>
#include <cfenv>
#include <locale>
#include <string>
#include <vector>

namespace parlab {

// The destructor restores this thread's floating-point environment, signal mask
// and signal stack, locale and CPUs. It also restores the process's timers,
// signal handlers, soft limits, folder, umask, environment, locale and OpenMP
// settings. A sweep's process may not change what cannot be restored: see
// sweep/system_calls.hpp.
class KeptState {
 public:
  KeptState();
  ~KeptState();
  KeptState(const KeptState&) = delete;
  KeptState& operator=(const KeptState&) = delete;

 private:
  std::fenv_t arithmetic_{};
  std::array<itimerval, 3> timers_{};  // ITIMER_REAL to ITIMER_PROF
  std::array<rlimit, RLIM_NLIMITS> limits_{};
  std::array<struct sigaction, NSIG> handlers_{};
  sigset_t blocked_{};
  stack_t signal_stack_{};
  mode_t mask_ = 0;
  std::string folder_, c_locale_;
  std::vector<std::string> environment_;
  std::locale locale_;
  locale_t thread_locale_{};
  std::vector<int> cpus_;
  int threads_, dynamic_, levels_, chunk_ = 0;  // of OpenMP
  omp_sched_t schedule_{};
};

}  // namespace parlab
