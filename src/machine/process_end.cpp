#include "machine/process_end.hpp"

#include <sys/wait.h>

#include <cstring>

namespace parlab {

Detail end_of_process(int wait_status) {
  if (WIFEXITED(wait_status))
    return because(Cause::ended_with_status, WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  const char* const name = sigabbrev_np(signal);
  return because(Cause::ended_by_signal, strsignal(signal),
                 name != nullptr ? name : std::to_string(signal));
}

}  // namespace parlab
