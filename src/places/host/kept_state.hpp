// State of the process that a variant may leave behind, and that the next one
// would be blamed for.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <array>
#include <cfenv>

namespace parlab {

// The floating-point environment of this thread, timers, signal handlers and
// the mask, soft limits: as they were, once this goes out of scope. A hard
// limit that was lowered stays, and so does what it forbids.
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
};

}  // namespace parlab
