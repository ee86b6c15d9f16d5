#include "machine/process_end.hpp"

#include <sys/wait.h>

#include <cstring>

namespace parlab {

Detail end_of_process(int wait_status) {
  if (WIFEXITED(wait_status)) {
    return {.cause = Cause::ended_with_status,
            .arguments = {std::int64_t{WEXITSTATUS(wait_status)}}};
  }
  const int signal = WTERMSIG(wait_status);
  const char* const name = sigabbrev_np(signal);
  return {.cause = Cause::ended_by_signal,
          .arguments = {strsignal(signal),
                        name != nullptr ? name : std::to_string(signal)}};
}

}  // namespace parlab
