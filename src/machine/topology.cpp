#include "machine/topology.hpp"

#include <hwloc.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include "core/file.hpp"
#include "core/parallel.hpp"
#include "machine/cgroup.hpp"

namespace parlab {
namespace {

struct FreeTopology {
  void operator()(hwloc_topology_t topology) const {
    hwloc_topology_destroy(topology);
  }
};
using Topology =
    std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, FreeTopology>;

Topology load_topology(const std::string& synthetic) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0)
    throw std::runtime_error("hwloc cannot be initialised");
  Topology topology(raw);
  if (!synthetic.empty() &&
      hwloc_topology_set_synthetic(raw, synthetic.c_str()) != 0) {
    throw std::runtime_error("not a machine in hwloc's words: '" + synthetic +
                             "'");
  }
  if (hwloc_topology_load(raw) != 0)
    throw std::runtime_error("hwloc cannot read the topology");
  return topology;
}

// If OMP_PLACES or OMP_PROC_BIND is set, the runtime has bound this thread
// before main(). Its own affinity is then just one place, and all places
// together may be used.
std::vector<int> allowed_cpus() {
  const auto own = affinity();
  std::set<int> all(own.begin(), own.end());
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(
        static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    all.insert(ids.begin(), ids.end());
  }
  if (all.empty()) all.insert(0);
  return {all.begin(), all.end()};
}

const Cores& cores() {
  static const Cores found = cores_of(allowed_cpus());
  return found;
}

hwloc_obj_t last_cache(hwloc_obj_t at) {
  hwloc_obj_t last = nullptr;
  for (; at != nullptr; at = at->parent) {
    if (hwloc_obj_type_is_dcache(at->type)) last = at;
  }
  return last;
}

// Number of CPUs that the control groups allow; nothing when there is no limit.
std::optional<double> cpu_quota() {
  std::optional<double> least;
  for (const auto& folder : control_groups("cpu")) {
    double quota = 0, period = 0;
    if (std::ifstream both(folder / "cpu.max"); !(both >> quota >> period)) {
      quota = number_of_file(folder / "cpu.cfs_quota_us").value_or(0);
      period = number_of_file(folder / "cpu.cfs_period_us").value_or(0);
    }
    if (quota > 0 && period > 0)
      least = std::min(least.value_or(quota / period), quota / period);
  }
  return least;
}

}  // namespace

Cores cores_of(const std::vector<int>& allowed, const std::string& synthetic) {
  const Topology topology = load_topology(synthetic);
  const std::set<int> ours(allowed.begin(), allowed.end());
  std::vector<std::vector<int>> threads_of_core;
  std::set<hwloc_obj_t> seen, caches;
  Cores found;
  for (hwloc_obj_t pu = nullptr;
       (pu = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_PU, pu)) !=
       nullptr;) {
    const auto cpu = static_cast<int>(pu->os_index);
    if (!ours.empty() && ours.count(cpu) == 0) continue;
    // If the system does not tell the cores, each hardware thread counts as
    // one.
    const hwloc_obj_t core =
        hwloc_get_ancestor_obj_by_type(topology.get(), HWLOC_OBJ_CORE, pu);
    if (core == nullptr || seen.insert(core).second)
      threads_of_core.emplace_back();
    threads_of_core.back().push_back(cpu);
    if (const auto cache = last_cache(pu)) caches.insert(cache);
  }
  found.count = static_cast<int>(threads_of_core.size());
  for (std::size_t rank = 0, added = 1; added > 0; ++rank) {
    added = 0;
    for (const auto& threads : threads_of_core) {
      if (rank >= threads.size()) continue;
      found.order.push_back(threads[rank]);
      ++added;
    }
  }
  for (const auto cache : caches)
    found.cache_bytes += cache->attr->cache.size;
  // If the system knows none of the CPUs, the list is used as it is.
  if (found.order.empty()) {
    found.order = allowed.empty() ? std::vector<int>{0} : allowed;
    found.count = static_cast<int>(found.order.size());
  }
  return found;
}

const std::vector<int>& pinning_order() {
  return cores().order;
}

int cpus_allowed() {
  static const auto quota = cpu_quota();
  const int all = static_cast<int>(cores().order.size());
  return quota ? std::clamp(static_cast<int>(std::min(std::ceil(*quota), 1e6)),
                            1, all)
               : all;
}

int physical_cores() {
  return std::min(cores().count, cpus_allowed());
}

std::size_t last_level_cache_bytes() {
  if (cores().cache_bytes > 0) return cores().cache_bytes;
  const long level3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return level3 > 0 ? static_cast<std::size_t>(level3) : std::size_t{32} << 20;
}

int others_at_work() {
  double fewest = std::numeric_limits<double>::infinity();
  for (int look = 0; look < 5; ++look) {
    if (look > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    fewest = std::min(
        fewest, number_of_file("/proc/stat", "procs_running").value_or(0));
  }
  return std::max(static_cast<int>(fewest) - 1, 0);
}

}  // namespace parlab
