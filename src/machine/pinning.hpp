// Threads bound to CPUs.
#pragma once

#include <optional>
#include <vector>

#include "facts/cause.hpp"

namespace parlab {

// Binds the calling thread to some CPUs, for as long as an object lives.
class BoundThread {
 public:
  explicit BoundThread(const std::vector<int>& cpus);
  ~BoundThread();
  BoundThread(const BoundThread&) = delete;
  BoundThread& operator=(const BoundThread&) = delete;

 private:
  std::vector<int> before_;
};

// Binds it to one.
struct PinnedThread : BoundThread {
  explicit PinnedThread(int cpu) : BoundThread({cpu}) {}
};

// Lets a pinned thread run everywhere: threads that it starts meanwhile inherit
// where it may run, and keep that.
struct UnpinnedThread : BoundThread {
  UnpinnedThread();
};

// Why the system does not let so many threads run beside each other, this one
// among them; nothing: it does.
Detail why_no_threads(int wanted);

// Why OpenMP has no team of so many; nothing: it has one, which stands ready.
// GCC's runtime ends the program where the system gives it no thread, so this
// is asked first.
Detail why_no_team(int threads);

// Ends the threads of the OpenMP pool, which the next parallel region
// starts anew. After a region they spin before they sleep, and may
// disturb what runs meanwhile.
void end_idle_threads();

// Binds the first n threads of the OpenMP pool to one CPU each, in
// pinning_order(); the calling one for as long as an object lives: a thread
// that a library starts afterwards must not inherit one CPU. The others keep
// theirs until they end, so that the next team of this size finds them in
// place: where all spin, to change places is to wait for each other.
class PinnedTeam {
 public:
  explicit PinnedTeam(int threads);

 private:
  std::optional<PinnedThread> caller_;
};

}  // namespace parlab
