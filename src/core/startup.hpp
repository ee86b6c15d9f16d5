// Corrects the state in which the process was started.
#pragma once

namespace parlab {

// Opens streams 0 to 2 if they are closed, because the next opened file would
// be taken for one of them. Resets signals that the parent ignored. Uses as
// many threads as CPUs were granted. As process 1 of a container, it stays
// behind and lets a child continue.
void start_well();

}  // namespace parlab
