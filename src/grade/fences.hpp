// What a process of somebody else's code may see and do: Landlock (Linux 5.13)
// for files, a list of system calls for all that could reach others.
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
  // files and folders; nothing else can be opened
  std::vector<std::string> readable = {}, writable = {};
  std::string folder = "/";  // to run in
  // the process becomes this user; nothing: it stays the one it is
  std::optional<uid_t> user = {};
  double cpu_s = 60;
  // Of a compiler the addresses of each process; else all memory that it
  // holds, resident or not, watched by Process.
  double memory_bytes = 4e9;
  std::uint64_t file_bytes = 0;  // the largest file it may write
  bool may_start = false;        // processes and programs: compilers do
  bool uses_gpu = false;  // its driver names its threads, and makes a socket
  // Our own program: it keeps its user, its libraries and all files, wherever
  // they are. All other fences stand, for some of them cost time.
  bool trusted = false;
};

// What all programs need: the system's libraries, and its headers.
std::vector<std::string> system_folders();
// And what a running one asks of the machine.
std::vector<std::string> descriptions_of_machine();

// A sentence for each of them that this system does not have.
std::vector<std::string> missing_fences();
// Users that nobody is, for processes of a grader that may become another
// user, as root may. Nothing where it may not.
std::optional<uid_t> unused_user();

// For this process and all that it starts, for good. False: it is not done.
bool fence_files(const Confinement& confinement);
bool fence_calls(const Confinement& confinement);

// The program of a process stands here until it is started.
inline constexpr int program_descriptor = 4;

// A shared map without a file may have so many bytes, in a program for the
// GPU. A part of it that is unmapped may be held all the same.
inline constexpr std::size_t largest_shared_map = std::size_t{16} << 20;

// Names of system calls; nothing for none.
Detail refusal_of(const std::vector<std::int64_t>& calls);

}  // namespace parlab::grade
