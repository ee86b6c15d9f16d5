// Cores, caches and NUMA nodes of the host, as far as this process
// may use them; by hwloc.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace parlab {

// Numbers of the CPUs this process may use (its affinity, and the places of
// OMP_PLACES), in the order threads should be pinned to them: one hardware
// thread of each physical core first, then the second ones. Read once:
// pinning a thread changes what it may use.
const std::vector<int>& pinning_order();

// Physical cores among them, no more than the CPU time a
// container is given; at least 1.
int physical_cores();

// CPUs that this process may use at the same time, by its affinity
// and its control group.
int cpus_allowed();

// The last-level caches of these CPUs, together, in bytes. When the
// system does not say: 32 MiB.
std::size_t last_level_cache_bytes();

// NUMA nodes that have one of these CPUs; at least 1.
int numa_nodes();

// Threads other than this one that run on a CPU or wait for one: the
// fewest seen within 20 ms; 0 when the system does not say. More than a
// few make measurements on the CPU worthless.
int others_at_work();

// Parts of the above that need no machine.

// threads at work, by the text of /proc/stat; 0: not said
int parse_running(std::istream& stat);
struct Cores {
  std::vector<int> order;       // as pinning_order()
  int count = 0;                // physical
  std::size_t cache_bytes = 0;  // of the last-level caches; 0: not known
  int numa_nodes = 1;
};
// The cores of these CPUs; of all when none is named. synthetic: a
// machine in hwloc's own words, "pack:2 l3:1 core:4 pu:2", in place of
// this one. Throws std::runtime_error.
Cores cores_of(const std::vector<int>& allowed,
               const std::string& synthetic = {});

}  // namespace parlab
