// Turns faults and aborts into failures of the kernel, or the variant's host
// code, that caused them.
#pragma once

#include <array>
#include <csignal>
#include <functional>
#include <memory>

#include "places/emulation/source_lines.hpp"

namespace parlab::emulation {

class Arena;

struct Crash {
  int signal = 0;  // 0: none
  const void* address = nullptr;
  Calls calls{};

  bool at_address() const;  // whether address is where memory was touched
  Detail detail() const;    // Cause::crashed or crashed_at with its line
};

// While it lives, a fault in a kernel ends that kernel, and a fault in
// run_host_code() ends that code. Any other fault ends the program as usual.
// SIGPROF ends a kernel that takes too long, for loops without accesses.
class CatchCrashes {
 public:
  CatchCrashes();
  ~CatchCrashes();
  CatchCrashes(const CatchCrashes&) = delete;
  CatchCrashes& operator=(const CatchCrashes&) = delete;

 private:
  static constexpr std::array faults{SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                     SIGTRAP, SIGABRT, SIGPROF};
  std::array<struct sigaction, faults.size()> before_;
};

// The stack on which this OS thread handles faults, because an overflowed stack
// has no room for that.
class SignalStack {
 public:
  void enter();  // lends it to the calling OS thread until leave()
  void leave();

 private:
  static constexpr std::size_t bytes_ = 64 * 1024;
  std::unique_ptr<std::byte[]> memory_;
  stack_t before_{};
};

// Runs a variant's host code, which may not touch the arrays of the arena,
// because only kernels may. Throws PointError(launch_failed) if it does, or if
// it crashes; then its stack is not unwound.
void run_host_code(const std::function<void()>& code, const Arena& arena);
// Ends the host code that this OS thread runs by PointError(launch_failed).
// Returns if there is none.
void end_host_code(const Detail& why);

}  // namespace parlab::emulation
