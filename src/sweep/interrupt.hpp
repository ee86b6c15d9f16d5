// Ctrl-C for work that must end in order.
#pragma once

#include <csignal>
#include <functional>
#include <utility>
#include <vector>

namespace parlab {

// Asked repeatedly; true when the work should end.
using Stop = std::function<bool()>;

// While a guard exists, the first Ctrl-C is only noted and the second one ends
// the program. The same holds for the other signals that it names, unless the
// program was started to ignore them (nohup). A nested guard does nothing.
class InterruptGuard {
 public:
  explicit InterruptGuard(const std::vector<int>& signals = {SIGINT});
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  std::vector<std::pair<int, void (*)(int)>> before_;
  bool outermost_;
};

bool was_interrupted();  // since the outermost guard was made

constexpr int exit_interrupted = 130;  // as shells report it

}  // namespace parlab
