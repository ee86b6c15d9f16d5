// Cores, caches and memory of the host, as far as this process may use them. Linux: sysfs and proc.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace parlab {

// Numbers of the CPUs this process may use (its affinity, and the places of OMP_PLACES), in the
// order threads should be pinned to them: one hardware thread of each physical core first, then the
// second ones. Read once: pinning a thread changes what it may use.
const std::vector<int>& pinning_order();

// Physical cores among them, no more than the CPU time a container is given; at least 1.
int physical_cores();

// The last-level caches of these CPUs, together, in bytes. When the system does not say: 32 MiB.
std::size_t last_level_cache_bytes();

// NUMA nodes that have one of these CPUs; at least 1.
int numa_nodes();

// Main memory in bytes, no more than a container is given: all of it, and what is free to use.
double memory_bytes();
double available_memory_bytes();

// Threads other than this one that run on a CPU or wait for one: the fewest seen within 20 ms; 0
// when the system does not say. More than a few make measurements on the CPU worthless.
int others_at_work();

// Parts of the above that need no machine; throw std::invalid_argument.
std::vector<int> parse_cpu_list(const std::string& text);  // "0-3,8": {0, 1, 2, 3, 8}
int parse_running(std::istream& stat);  // threads at work, by the text of /proc/stat; 0: not said
// cpus: folder with cpuN/topology; a CPU that it says nothing about counts as a core.
struct Cores {
  std::vector<int> order;  // as pinning_order()
  int count = 0;           // physical
};
Cores order_cores(const std::vector<int>& allowed, const std::filesystem::path& cpus);

// Binds the calling thread to one CPU for as long as this lives.
class PinnedThread {
 public:
  explicit PinnedThread(int cpu);
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

 private:
  std::vector<int> before_;
};

}  // namespace parlab
