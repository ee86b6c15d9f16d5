// Ctrl-C for work that must end in order.
#pragma once

#include <functional>

namespace parlab {

// Asked repeatedly; true when the work should end.
using Stop = std::function<bool()>;

// While a guard exists, the first Ctrl-C is only noted and the second one ends
// the program. A nested guard does nothing.
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

bool was_interrupted();  // since the outermost guard was made

constexpr int exit_interrupted = 130;  // as shells report it

}  // namespace parlab
