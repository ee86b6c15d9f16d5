// A signal in a kernel (stack overflow, an address no check has seen) names kernel, block, thread
// before the process ends.
#pragma once

#include <csignal>
#include <vector>

namespace parlab::emulation {

// Installs the handler for as long as it lives.
class FaultHandler {
 public:
  FaultHandler();
  ~FaultHandler();

 private:
  struct sigaction before_segv_ {
  }, before_bus_{};
};

// A stack for the handler on this OS thread.
class FaultStack {
 public:
  FaultStack();
  ~FaultStack();

 private:
  std::vector<char> memory_;
  stack_t before_{};
};

}  // namespace parlab::emulation
