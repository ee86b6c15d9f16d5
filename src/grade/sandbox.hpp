// A confined process: a compiler, or untrusted code that is graded. fences.hpp
// limits which files and calls it may use; this limits how long it runs and how
// much it takes.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

#include "facts/cause.hpp"
#include "grade/fences.hpp"

namespace parlab::grade {

// Throws UsageError if a limit of this shell is below the needs of a compiler
// or of emulation, because its effect would look like a fault of the
// submission.
void require_limits(const Confinement& compiler);

// Throws UsageError if this process may not look into those of other users, as
// root in many containers may not. The shared memory of a program for the GPU
// would not be counted.
void require_sight_of_memory();

// A confined process that runs a program until this goes out of scope. Its end
// of the channel is descriptor 3 there.
class Process {
 public:
  // program: a path, then its arguments. channel: the descriptor that becomes
  // 3; -1: none. output: a file for its output; empty: discarded. Throws
  // std::system_error.
  Process(const std::vector<std::string>& program,
          const Confinement& confinement, int channel = -1,
          const std::string& output = {});
  ~Process();  // ends it
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Empty while it runs within its limits; otherwise it has ended, or is ended
  // now, for this reason.
  const Detail& why_ended();
  // Waits for its end for at most this long, then ends it. Empty after exit(0).
  Detail wait(double seconds);
  pid_t id() const { return pid_; }
  // Ends it; why: the answer of why_ended() from now on.
  void end(Detail why);
  // Stops and continues all its threads, between two questions.
  void pause() const { kill(pid_, SIGSTOP); }
  void go_on() const { kill(pid_, SIGCONT); }

 private:
  struct Held {
    double bytes;
    std::int64_t threads;
  };
  Held held() const;
  void note_end(int status);

  pid_t pid_ = -1;
  Confinement confinement_;
  Detail why_;
  bool ended_ = false;
};

}  // namespace parlab::grade
