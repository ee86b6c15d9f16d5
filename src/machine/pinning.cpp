#include "machine/pinning.hpp"

#include <omp.h>
#include <sched.h>

#include <atomic>
#include <memory>
#include <new>

#include "machine/topology.hpp"

namespace parlab {
namespace {

constexpr int most_cpus = 1 << 16;

// A set of CPU numbers for the kernel, of any length. The kernel's own call:
// hwloc would read the topology anew for each thread that is bound.
class CpuSet {
 public:
  CpuSet() : set_(CPU_ALLOC(most_cpus)), bytes_(CPU_ALLOC_SIZE(most_cpus)) {
    if (!set_) throw std::bad_alloc();
    CPU_ZERO_S(bytes_, set_.get());
  }
  explicit CpuSet(const std::vector<int>& cpus) : CpuSet() {
    for (const int cpu : cpus)
      CPU_SET_S(cpu, bytes_, set_.get());
  }
  cpu_set_t* get() { return set_.get(); }
  std::size_t bytes() const { return bytes_; }
  std::vector<int> numbers() const {
    std::vector<int> cpus;
    const auto count =
        static_cast<std::size_t>(CPU_COUNT_S(bytes_, set_.get()));
    for (int cpu = 0; cpus.size() < count; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes_, set_.get())) cpus.push_back(cpu);
    }
    return cpus;
  }

 private:
  struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  std::unique_ptr<cpu_set_t, Free> set_;
  std::size_t bytes_;
};

void run_on(const std::vector<int>& cpus) {
  CpuSet set(cpus);
  sched_setaffinity(0, set.bytes(), set.get());
}

}  // namespace

std::vector<int> affinity() {
  CpuSet set;
  if (sched_getaffinity(0, set.bytes(), set.get()) != 0) return {};
  return set.numbers();
}

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
