// The CPUs that this process was granted.
#pragma once

#include <vector>

namespace parlab {

// The CPUs the calling thread may run on; empty when the system does not say.
// How many threads are worth starting is their number, and no other's.
std::vector<int> affinity();

// Lets the calling thread run on these alone.
void run_on(const std::vector<int>& cpus);

}  // namespace parlab
