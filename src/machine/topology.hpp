// Cores and caches of the host that this process may use; by hwloc.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace parlab {

// Numbers of the CPUs that this process may use (its affinity, and the places
// of OMP_PLACES), in the order in which threads should be pinned: first one
// hardware thread of each physical core, then the second ones. Read once,
// because pinning a thread changes its affinity.
const std::vector<int>& pinning_order();

// Number of their physical cores, at most the CPU time that a container is
// given; at least 1.
int physical_cores();

// Number of CPUs that this process may use at the same time, by its affinity
// and its control group.
int cpus_allowed();

// Total bytes of the last-level caches of these CPUs; 32 MiB when the system
// does not say.
std::size_t last_level_cache_bytes();

// Threads other than this one that run on a CPU or wait for one; the minimum
// within 20 ms. 0 when the system does not say. More than a few make
// measurements on the CPU worthless.
int others_at_work();

struct Cores {
  std::vector<int> order;       // like pinning_order()
  int count = 0;                // physical
  std::size_t cache_bytes = 0;  // of the last-level caches; 0: unknown
};
// The cores of these CPUs, or of all if none is named. synthetic: a machine in
// hwloc's notation instead of this one, "pack:2 l3:1 core:4 pu:2". Throws
// std::runtime_error.
Cores cores_of(const std::vector<int>& allowed,
               const std::string& synthetic = {});

}  // namespace parlab
