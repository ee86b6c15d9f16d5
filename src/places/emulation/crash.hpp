// Faults and aborts become failures of the kernel, or of the host code
// of a variant, that made them.
#pragma once

#include <array>
#include <csignal>
#include <functional>
#include <memory>
#include <string>

#include "places/emulation/source_lines.hpp"

namespace parlab::emulation {

class Arena;

struct Crash {
  int signal = 0;  // 0: none
  const void* address = nullptr;
  Calls calls{};

  bool at_address() const;  // address is where memory was touched
  Detail detail() const;    // Cause::crashed or crashed_at, with its line
};

// While it lives, a fault in a kernel ends that kernel, and one in
// run_host_code() ends that; any other one ends the program as ever.
class CatchCrashes {
 public:
  CatchCrashes();
  ~CatchCrashes();
  CatchCrashes(const CatchCrashes&) = delete;
  CatchCrashes& operator=(const CatchCrashes&) = delete;

 private:
  static constexpr std::array faults{SIGSEGV, SIGBUS,  SIGFPE,
                                     SIGILL,  SIGTRAP, SIGABRT};
  std::array<struct sigaction, faults.size()> before_;
};

// Where this OS thread handles a fault: a stack that has
// overflowed has no room for that.
class SignalStack {
 public:
  void enter();  // lends it to the calling OS thread, until leave()
  void leave();

 private:
  static constexpr std::size_t bytes_ = 64 * 1024;
  std::unique_ptr<std::byte[]> memory_;
  stack_t before_{};
};

// Runs the host code of a variant, which may not touch the arrays of the
// arena: that is left to kernels. Throws PointError(launch_failed) when it
// does, or crashes; then nothing of it is unwound.
void run_host_code(const std::function<void()>& code, const Arena& arena);

}  // namespace parlab::emulation
