// Work on the program's own data, shared among the cores.
#pragma once

#include <cstddef>
#include <functional>

namespace parlab {

// Calls f(i) for each i below count, in no order, on several threads where
// there is enough to do; f must stand that. The threads have ended when it
// returns: none is left to disturb what is timed. Throws what one of the
// calls threw; the others may then not have been made.
void on_all_cores(std::size_t count, const std::function<void(std::size_t)>& f);

// Calls work on so many threads, this one among them, or on as many as the
// system gives. They have ended when it returns.
void on_threads(std::size_t most, const std::function<void()>& work);

}  // namespace parlab
