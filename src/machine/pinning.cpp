#include "machine/pinning.hpp"

#include <omp.h>
#include <sched.h>

#include <atomic>

#include "core/affinity.hpp"
#include "machine/topology.hpp"

namespace parlab {

BoundThread::BoundThread(const std::vector<int>& cpus) : before_(affinity()) {
  pinning_order();  // read before this thread's own affinity becomes one CPU
  run_on(cpus);
}

BoundThread::~BoundThread() {
  if (!before_.empty()) run_on(before_);
}

UnpinnedThread::UnpinnedThread() : BoundThread(pinning_order()) {}

void end_idle_threads() {
  omp_pause_resource_all(omp_pause_soft);
}

PinnedTeam::PinnedTeam(int threads) {
  // A larger team than one ends those beyond it by itself; beside one
  // alone they would spin.
  if (threads == 1) end_idle_threads();
  const auto& order = pinning_order();
  std::atomic<int> in_place{0};
#pragma omp parallel num_threads(threads)
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    if (thread == 0) {
      caller_.emplace(order[0]);
    } else {
      run_on({order[thread % order.size()]});
    }
    // Who spins at the region's end may be on the CPU that another one is
    // bound to, and that one would wait for milliseconds.
    ++in_place;
    while (in_place < omp_get_num_threads())
      sched_yield();
  }
}

}  // namespace parlab
