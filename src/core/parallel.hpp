// Work on the program's own data, divided among the cores.
#pragma once

#include <cstddef>
#include <functional>

namespace parlab {

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
