// The CPUs that this process was granted.
#pragma once

#include <vector>

namespace parlab {

// The CPUs that the calling thread may run on; empty when the system does not
// say. Only this number tells how many threads are worth starting.
std::vector<int> affinity();

// Lets the calling thread run on these CPUs only.
void run_on(const std::vector<int>& cpus);

}  // namespace parlab
