// Ctrl-C, for work that ends in order.
#pragma once

#include <functional>

namespace parlab {

// Asked now and then: true when the work should end.
using Stop = std::function<bool()>;

// While one lives, Ctrl-C is only noted, once; a second one ends the
// program. An inner one does nothing.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  void (*before_)(int) = nullptr;
  bool outermost_;
};

bool was_interrupted();  // since the outermost of them was made

constexpr int exit_interrupted = 130;  // as a shell says it

}  // namespace parlab
