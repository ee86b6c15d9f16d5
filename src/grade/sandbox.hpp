// A process that is graded, somebody else's code: what it may see, take and do.
//
// Several fences, each of which holds alone: Landlock (Linux 5.13) for
// files, seccomp for starting processes and for the network, an empty
// network namespace, another user where the grader is root, and limits
// of time, memory and file sizes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "facts/cause.hpp"

namespace parlab::grade {

struct Confinement {
  // files and folders; nothing else can be opened
  std::vector<std::string> readable, writable;
  std::string folder = "/";  // to run in
  double cpu_s = 60;
  double memory_bytes = 4e9;     // resident, watched by Process
  std::uint64_t file_bytes = 0;  // the largest file it may write
  bool may_start = false;        // processes and programs: compilers do
  bool uses_gpu = false;  // its driver names its threads, and makes a socket
  // Our own program: it keeps its user, its libraries and all files, wherever
  // they are. All other fences stand, for some of them cost time.
  bool trusted = false;
};

// What all programs need: the system's libraries and its
// description of the machine.
std::vector<std::string> system_folders();

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

 private:
  double resident_bytes() const;
  void note_end(int status);

  pid_t pid_ = -1;
  double memory_bytes_;
  Detail why_;
  bool ended_ = false;
};

}  // namespace parlab::grade
