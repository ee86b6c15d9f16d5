// Detects variants that use more threads than they were asked to.
#pragma once

#include <optional>

#include "facts/cause.hpp"

namespace parlab {

// Waits until all other threads of the process sleep, because those of OpenMP
// and of libraries spin for a while after their work. Gives up after a tenth of
// a second.
void wait_for_rest();

// CPU time of all threads that this process ever had, without the caller's.
double seconds_of_other_threads();

class CpuTime {
 public:
  // Starts counting once the other threads of the process sleep. The OpenMP
  // pool is ended first, because after a parallel region its threads spin for a
  // while, on a virtual machine for a third of a second.
  explicit CpuTime(int threads);

  // CPU time that the process has used since then beyond what this many threads
  // can use: Cause::threads_beyond, or nothing if it is negligible. A single
  // thread (the caller) can use its own CPU time. Several threads can use at
  // most the elapsed time each, no matter which code started them. Ends the
  // pool again.
  std::optional<Detail> of_others() const;

  // Calls f without counting its CPU time. f may use threads of the pool, which
  // is ended before and after the call.
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
