// Confines a process that runs untrusted code: Landlock (Linux 5.13) limits
// files, and a list of system calls excludes all that could reach others.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "facts/cause.hpp"

namespace parlab::grade {

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

}  // namespace parlab::grade
