#include "emulation/faults.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "emulation/runtime.hpp"

namespace parlab::emulation {
namespace {

// The process is lost: a message is worth more than the rules for signal handlers.
void report(int signal, siginfo_t* info, void*) {
  const auto running = current;
  current = {};
  std::string text = "parlab: signal " + std::to_string(signal) + " in emulation";
  if (running.thread != nullptr) {
    auto& launch = running.worker->launch();
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    text += ", kernel " + launch.kernel + ", " +
            launch.name_thread(running.worker->block().index, running.thread->index) +
            (running.worker->on_stack(address)
                 ? ": its local variables need more than the stack of 256 KB"
                 : ": invalid address");
  }
  text += "\n";
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(2);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

FaultHandler::FaultHandler() {
  struct sigaction action {};
  action.sa_sigaction = report;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &before_segv_);
  sigaction(SIGBUS, &action, &before_bus_);
}

FaultHandler::~FaultHandler() {
  sigaction(SIGSEGV, &before_segv_, nullptr);
  sigaction(SIGBUS, &before_bus_, nullptr);
}

FaultStack::FaultStack() : memory_(64 * 1024) {
  stack_t stack{};
  stack.ss_sp = memory_.data();
  stack.ss_size = memory_.size();
  sigaltstack(&stack, &before_);
}

FaultStack::~FaultStack() { sigaltstack(&before_, nullptr); }

}  // namespace parlab::emulation
