// State of the process that a variant may leave behind, and that the next one
// would be blamed for.
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

// As they were, once this goes out of scope: of this thread the floating-point
// environment, the mask and the stack of signals, the locale, the CPUs; of the
// process timers, handlers, soft limits, folder, umask, environment, locale,
// and the settings of OpenMP. What cannot be put back a sweep's process may
// not do: see sweep/system_calls.hpp.
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
