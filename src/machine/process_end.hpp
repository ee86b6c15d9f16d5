// How a process ended, from the status of waitpid().
#pragma once

#include "facts/cause.hpp"

namespace parlab {

// Returns ended_with_status or ended_by_signal.
Detail end_of_process(int wait_status);

}  // namespace parlab
