// How a process ended, as waitpid() says it.
#pragma once

#include "facts/cause.hpp"

namespace parlab {

// ended_with_status or ended_by_signal.
Detail end_of_process(int wait_status);

}  // namespace parlab
