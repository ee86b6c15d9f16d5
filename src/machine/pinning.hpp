// Threads bound to CPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/cause.hpp"

namespace parlab {

// Binds the calling thread to some CPUs while the object lives. Threads that it
// starts inherit its affinity and keep it.
class BoundThread {
 public:
  explicit BoundThread(const std::vector<int>& cpus);
  ~BoundThread();
  BoundThread(const BoundThread&) = delete;
  BoundThread& operator=(const BoundThread&) = delete;

 private:
  std::vector<int> before_;
};

// Why the system does not allow this many threads at once, including the
// calling one; empty if it does.
Detail why_no_threads(int wanted);

// Why OpenMP cannot have a team of this size; empty if it can, and then the
// team is ready. Ask this first, because GCC's runtime ends the program if the
// system refuses a thread.
Detail why_no_team(int threads);

// How many threads this process has started, by any library.
std::int64_t threads_started();

// Ends the threads of the OpenMP pool; the next parallel region starts new
// ones. After a region they spin before they sleep and could disturb other
// work.
void end_idle_threads();

// Binds the first n threads of the OpenMP pool to one CPU each, in
// pinning_order(). The calling thread is bound only while the object lives,
// because threads that a library starts afterwards must not inherit one CPU.
// The others stay bound until they end. So the next team of this size finds
// them in place; moving threads would make spinning ones wait for each other.
class PinnedTeam {
 public:
  explicit PinnedTeam(int threads);

 private:
  std::optional<BoundThread> caller_;
};

}  // namespace parlab
