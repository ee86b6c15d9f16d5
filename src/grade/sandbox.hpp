// A process that is confined: a compiler, or one that is graded, somebody
// else's code. fences.hpp says what it may see and do; this, how long it may
// go on and how much it may take.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

#include "facts/cause.hpp"
#include "grade/fences.hpp"

namespace parlab::grade {

// Throws UsageError where a limit of this shell would be taken for a fault of
// what is compiled or run: less than a compiler and emulation need.
void require_limits(const Confinement& compiler);

// A confined process that runs a program, until this goes out of scope.
// Its own end of a channel is descriptor 3 there.
class Process {
 public:
  // program: a path, then its arguments. channel: the descriptor that
  // becomes 3; -1: none. output: a file for what it prints; empty:
  // nowhere. Throws std::system_error.
  Process(const std::vector<std::string>& program,
          const Confinement& confinement, int channel = -1,
          const std::string& output = {});
  ~Process();  // ends it
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Nothing while it runs within its limits; otherwise it has ended, or is
  // ended now, for this reason.
  const Detail& why_ended();
  // Waits for its end, at most this long; then it is ended. Nothing after
  // exit(0).
  Detail wait(double seconds);
  pid_t id() const { return pid_; }
  // Ends it; why: what why_ended() says from now on.
  void end(Detail why);
  // All of its threads, between two questions to it.
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
