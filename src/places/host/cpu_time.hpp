// Did a variant keep more threads at work than it was asked to use?
#pragma once

#include <optional>

#include "facts/cause.hpp"

namespace parlab {

// Waits until all other threads of the process sleep: those of
// OpenMP and of libraries spin for a while after their work. Gives up
// after a tenth of a second.
void wait_for_rest();

class CpuTime {
 public:
  // Starts to count once the other threads of the process sleep. The OpenMP
  // pool is ended first: after a parallel region its threads spin for a
  // while, on a virtual machine for a third of a second.
  explicit CpuTime(int threads);

  // The CPU time that the process has used since then and that this many
  // threads cannot have used: one alone (its caller) uses its own, several
  // use no more than the time that passed for each, whoever started them:
  // Cause::threads_beyond; nothing when it is hardly any. Ends the pool again.
  std::optional<Detail> of_others() const;

  // Calls f, and does not count its CPU time. f may use threads of the pool,
  // which ends before and after the call.
  template <typename F>
  void leave_out(F&& f) {
    const Clocks before = without_pool();
    f();
    const Clocks after = without_pool();
    wall_before_ += after.wall - before.wall;
    own_before_ += after.own - before.own;
    process_before_ += after.process - before.process;
  }

 private:
  struct Clocks {
    double wall, own, process;
  };
  static Clocks without_pool();

  int threads_;
  double wall_before_ = 0, own_before_ = 0, process_before_ = 0;
};

}  // namespace parlab
