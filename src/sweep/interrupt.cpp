#include "sweep/interrupt.hpp"

namespace parlab {
namespace {

// A signal handler may touch nothing else.
volatile std::sig_atomic_t interrupted = 0;

bool guarded = false;

}  // namespace

InterruptGuard::InterruptGuard(const std::vector<int>& signals)
    : outermost_(!guarded) {
  if (!outermost_) return;
  guarded = true;
  interrupted = 0;
  for (const int signal : signals) {
    const auto before = std::signal(signal, [](int number) {
      interrupted = 1;
      std::signal(number, SIG_DFL);
    });
    before_.emplace_back(signal, before);
    if (before == SIG_IGN && signal != SIGINT) std::signal(signal, SIG_IGN);
  }
}

InterruptGuard::~InterruptGuard() {
  if (!outermost_) return;
  guarded = false;
  for (const auto& [signal, before] : before_)
    std::signal(signal, before);
}

bool was_interrupted() {
  return interrupted != 0;
}

}  // namespace parlab
