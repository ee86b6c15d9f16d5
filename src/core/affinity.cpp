#include "core/affinity.hpp"

#include <sched.h>

#include <memory>
#include <new>

namespace parlab {
namespace {

constexpr int most_cpus = 1 << 16;

// A set of CPU numbers for the kernel, of any length. Uses the kernel's own
// call, because hwloc would read the topology again for each thread that is
// bound.
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

}  // namespace

std::vector<int> affinity() {
  CpuSet set;
  if (sched_getaffinity(0, set.bytes(), set.get()) != 0) return {};
  return set.numbers();
}

void run_on(const std::vector<int>& cpus) {
  CpuSet set(cpus);
  sched_setaffinity(0, set.bytes(), set.get());
}

}  // namespace parlab
