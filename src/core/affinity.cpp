#include "core/affinity.hpp"

#include <sched.h>

#include <array>

namespace parlab {
namespace {

constexpr int most_cpus = 1 << 16;

// A set of CPU numbers for the kernel. Uses the kernel's own call, because
// hwloc would read the topology again for each thread that is bound.
struct CpuSet {
  std::array<unsigned long, most_cpus / 64> words{};
  cpu_set_t* get() { return reinterpret_cast<cpu_set_t*>(words.data()); }
};

}  // namespace

std::vector<int> affinity() {
  CpuSet set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, set.get()) != 0) return cpus;
  const int count = CPU_COUNT_S(sizeof set, set.get());
  for (int cpu = 0; std::ssize(cpus) < count; ++cpu) {
    if (CPU_ISSET_S(cpu, sizeof set, set.get())) cpus.push_back(cpu);
  }
  return cpus;
}

void run_on(const std::vector<int>& cpus) {
  CpuSet set;
  for (const int cpu : cpus)
    CPU_SET_S(cpu, sizeof set, set.get());
  sched_setaffinity(0, sizeof set, set.get());
}

}  // namespace parlab
