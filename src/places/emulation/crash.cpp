#include "places/emulation/crash.hpp"

#include <cctype>
#include <cstdio>
#include <cstring>

#include "core/at_end.hpp"
#include "facts/cause.hpp"
#include "places/emulation/block.hpp"

namespace parlab::emulation {
namespace {

struct HostCode {
  void* way_out[5]{};
  Crash crash{};
  Detail why{};
};
// the host code that this OS thread runs
thread_local HostCode* host_code = nullptr;

// Only records what happened; the text is made later, where memory can be
// allocated.
void catch_crash(int signal, siginfo_t* info, void*) {
  if (signal == SIGPROF && running == nullptr) return;
  if (running != nullptr) {
    Thread& thread = *std::exchange(running, nullptr);
    thread.block->crash = {signal, info->si_addr, calls_here()};
    __builtin_longjmp(thread.way_out, 1);
  }
  if (host_code != nullptr) {
    host_code->crash = {signal, info->si_addr, calls_here()};
    __builtin_longjmp(host_code->way_out, 1);
  }
  std::signal(signal, SIG_DFL);  // the fault recurs at once
}

// Not inlined, because a second return from setjmp finds no variables.
__attribute__((noinline)) void run(HostCode& self,
                                   const std::function<void()>& code) {
  if (__builtin_setjmp(self.way_out) == 0) code();
}

}  // namespace

Detail Crash::detail() const {
  std::string text = strsignal(signal);
  // the text continues a sentence
  text[0] = static_cast<char>(std::tolower(text[0]));
  if (!at_address()) return at_line_of(calls, because(Cause::crashed, text));
  char where[40];
  std::snprintf(where, sizeof where, "%p", address);
  return at_line_of(calls, because(Cause::crashed_at, text, where));
}

bool Crash::at_address() const {
  return signal == SIGSEGV || signal == SIGBUS;
}

CatchCrashes::CatchCrashes() {
  struct sigaction action {};
  action.sa_sigaction = catch_crash;
  // the handler is left by a jump
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (std::size_t i = 0; i < faults.size(); ++i)
    sigaction(faults[i], &action, &before_[i]);
}

CatchCrashes::~CatchCrashes() {
  for (std::size_t i = 0; i < faults.size(); ++i)
    sigaction(faults[i], &before_[i], nullptr);
}

void SignalStack::enter() {
  if (!memory_) memory_ = std::make_unique<std::byte[]>(bytes_);
  const stack_t own{.ss_sp = memory_.get(), .ss_flags = 0, .ss_size = bytes_};
  sigaltstack(&own, &before_);
}

void SignalStack::leave() {
  sigaltstack(&before_, nullptr);
}

void end_host_code(const Detail& why) {
  if (host_code == nullptr) return;
  host_code->why = why;
  __builtin_longjmp(host_code->way_out, 1);
}

void run_host_code(const std::function<void()>& code, const Arena& arena) {
  const CatchCrashes catching;
  HostCode self;
  {
    const Arena::Access access(arena, true);
    const AtEnd left([] { host_code = nullptr; });
    host_code = &self;
    run(self, code);
  }
  if (self.why) throw PointError(Verdict::launch_failed, self.why);
  if (self.crash.signal == 0) return;
  const Allocation* const array =
      self.crash.at_address() ? arena.owner(self.crash.address) : nullptr;
  if (array != nullptr) {
    throw PointError(
        Verdict::launch_failed,
        at_line_of(self.crash.calls, because(Cause::host_touches_device,
                                             array->at(self.crash.address))));
  }
  Detail crash = self.crash.detail();
  crash.further.push_back({.cause = Cause::in_host_code});
  throw PointError(Verdict::launch_failed, std::move(crash));
}

}  // namespace parlab::emulation
