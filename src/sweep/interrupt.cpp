#include "sweep/interrupt.hpp"

#include <csignal>

namespace parlab {
namespace {

// A signal handler may touch nothing else.
volatile std::sig_atomic_t interrupted = 0;

bool guarded = false;

}  // namespace

InterruptGuard::InterruptGuard() : outermost_(!guarded) {
  if (!outermost_) return;
  guarded = true;
  interrupted = 0;
  before_ = std::signal(SIGINT, [](int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);
  });
}

InterruptGuard::~InterruptGuard() {
  if (!outermost_) return;
  guarded = false;
  std::signal(SIGINT, before_);
}

bool was_interrupted() {
  return interrupted != 0;
}

}  // namespace parlab
