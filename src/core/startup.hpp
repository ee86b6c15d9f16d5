// Puts right how a process was started, before it does anything.
#pragma once

namespace parlab {

// Opens streams 0 to 2 where they are closed, or the next file would be taken
// for one; has signals mean again what they mean where nobody ignored them;
// takes as many threads as CPUs were granted; and as process 1 of a container
// stays behind, so that a child goes on.
void start_well();

}  // namespace parlab
