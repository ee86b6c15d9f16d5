// A confined process: a compiler, or untrusted code that is graded. Fences
// limit the files and calls that it may use: Landlock (Linux 5.13), and a list
// of system calls that excludes all that could reach others. Process limits how
// long it runs and how much it takes.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "facts/cause.hpp"

namespace parlab::grade {

// ---- fences.cpp -------------------------------------------------------------

struct Confinement {
  // files and folders; no others can be opened
  std::vector<std::string> readable = {}, writable = {};
  std::string folder = "/";  // working folder
  // the process becomes this user; nullopt: it keeps its own
  std::optional<uid_t> user = {};
  double cpu_s = 60;
  // For a compiler, the address space of each process; otherwise all memory
  // that it holds, resident or not, watched by Process.
  double memory_bytes = 4e9;
  std::uint64_t file_bytes = 0;  // the largest file it may write
  bool may_start = false;        // may start processes and programs, as
                                 // compilers do
  bool uses_gpu = false;  // may use what its driver needs: names for threads, a
                          // socket
  // Our own program: it keeps its user, its libraries and access to all files.
  // All other fences stand, because some of them cost time.
  bool trusted = false;
};

// The folders that all programs need: the system's libraries and headers.
std::vector<std::string> system_folders();
// The files in which a running program reads about the machine.
std::vector<std::string> descriptions_of_machine();

// A sentence for each fence that this system lacks.
std::vector<std::string> missing_fences();
// A user ID that nobody has, for a process of a grader that may become another
// user, as root may. nullopt if it may not.
std::optional<uid_t> unused_user();

// For this process and all that it starts, permanently. False: it could not be
// done.
bool fence_files(const Confinement& confinement);
bool fence_calls(const Confinement& confinement);

// The descriptor of a process's program until it is started.
inline constexpr int program_descriptor = 4;

// The largest shared map without a file, in a program for the GPU. It may be
// held even if a part of it is unmapped.
inline constexpr std::size_t largest_shared_map = std::size_t{16} << 20;

// Names the refused system calls; empty if there are none.
Detail refusal_of(const std::vector<std::int64_t>& calls);

// ---- sandbox.cpp ------------------------------------------------------------

// Throws UsageError if a limit of this shell is below the needs of a compiler
// or of emulation, because its effect would look like a fault of the
// submission.
void require_limits(const Confinement& compiler);

// Throws UsageError if this process may not look into those of other users, as
// root in many containers may not. The shared memory of a program for the GPU
// would not be counted.
void require_sight_of_memory();

// Throws UsageError if the other user that submissions run as, where root
// grades, may not read `sources` or reach `builds`.
void require_reach(const std::filesystem::path& sources,
                   const std::filesystem::path& builds);

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
