// The CPUs that this process was granted, and work on the program's own data
// that is divided among them.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace parlab {

// The CPUs that the calling thread may run on; empty when the system does not
// say. Only this number tells how many threads are worth starting.
std::vector<int> affinity();

// Lets the calling thread run on these CPUs only.
void run_on(const std::vector<int>& cpus);

// Calls f(i) for each i below count, in any order, on several threads if there
// is enough to do. f must be thread-safe. All threads have ended when it
// returns, so that none can disturb a measurement. If calls throw, it throws
// one of their exceptions, and the other calls may not have been made.
void on_all_cores(std::size_t count, const std::function<void(std::size_t)>& f);

// The same for long calls: on at most this many threads, or on as many as the
// system gives. Calls begin in the order of i.
void on_threads(std::size_t most, std::size_t count,
                const std::function<void(std::size_t)>& f);

}  // namespace parlab
