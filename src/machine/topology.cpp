#include "machine/topology.hpp"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace parlab {
namespace {

namespace fs = std::filesystem;

const fs::path cpu_folder = "/sys/devices/system/cpu";
constexpr int most_cpus = 1 << 16;

std::string first_line(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// A set of CPU numbers for the kernel, of any length.
class CpuSet {
 public:
  CpuSet() : set_(CPU_ALLOC(most_cpus)), bytes_(CPU_ALLOC_SIZE(most_cpus)) {
    if (!set_) throw std::bad_alloc();
    CPU_ZERO_S(bytes_, set_.get());
  }
  explicit CpuSet(const std::vector<int>& cpus) : CpuSet() {
    for (const int cpu : cpus) CPU_SET_S(cpu, bytes_, set_.get());
  }
  cpu_set_t* get() { return set_.get(); }
  std::size_t bytes() const { return bytes_; }
  std::vector<int> numbers() const {
    std::vector<int> cpus;
    for (int cpu = 0; cpu < most_cpus; ++cpu) {
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

std::vector<int> affinity() {
  CpuSet set;
  if (sched_getaffinity(0, set.bytes(), set.get()) != 0) return {};
  return set.numbers();
}

// With OMP_PLACES or OMP_PROC_BIND set the runtime has bound this thread before main(): its own
// affinity is one place, and the places together are what may be used.
std::vector<int> allowed_cpus() {
  std::set<int> all;
  for (const int cpu : affinity()) all.insert(cpu);
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    all.insert(ids.begin(), ids.end());
  }
  if (all.empty()) all.insert(0);
  return {all.begin(), all.end()};
}

const Cores& cores() {
  static const Cores found = order_cores(allowed_cpus(), cpu_folder);
  return found;
}

std::optional<double> number_in(const fs::path& path) {
  std::istringstream text(first_line(path));
  double value = 0;
  if (text >> value && value > 0) return value;
  return std::nullopt;
}

// CPUs' worth of time the container may use: cgroup 2, then 1. Nothing when there is no limit.
std::optional<double> cpu_quota() {
  std::istringstream text(first_line("/sys/fs/cgroup/cpu.max"));
  double quota = 0, period = 0;
  if (text >> quota >> period && quota > 0 && period > 0) return quota / period;
  const auto v1 = number_in("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  const auto v1_period = number_in("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (v1 && v1_period) return *v1 / *v1_period;
  return std::nullopt;
}

// A line of /proc/meminfo, in bytes.
double meminfo(const std::string& name) {
  std::ifstream in("/proc/meminfo");
  std::string key;
  double kilobytes = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream text(line);
    if (text >> key >> kilobytes && key == name + ":") return kilobytes * 1024;
  }
  return 0;
}

struct MemoryLimit {
  double limit = std::numeric_limits<double>::infinity();
  double used = 0;
};

MemoryLimit memory_limit() {
  const fs::path v2 = "/sys/fs/cgroup", v1 = "/sys/fs/cgroup/memory";
  if (const auto limit = number_in(v2 / "memory.max")) {
    return {*limit, number_in(v2 / "memory.current").value_or(0)};
  }
  if (const auto limit = number_in(v1 / "memory.limit_in_bytes")) {
    return {*limit, number_in(v1 / "memory.usage_in_bytes").value_or(0)};
  }
  return {};
}

// "32K", "107520K", "1M" as sysfs writes cache sizes; 0 when it is none.
std::size_t parse_cache_size(const std::string& text) {
  std::istringstream in(text);
  std::size_t value = 0;
  char unit = ' ';
  if (!(in >> value)) return 0;
  in >> unit;
  return value << (unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0);
}

// The highest level of one CPU's caches: which CPUs share it, and its size.
std::optional<std::pair<std::string, std::size_t>> last_cache(int cpu) {
  const fs::path caches = cpu_folder / ("cpu" + std::to_string(cpu)) / "cache";
  std::optional<std::pair<std::string, std::size_t>> last;
  double highest = 0;
  for (int index = 0;; ++index) {
    const fs::path cache = caches / ("index" + std::to_string(index));
    const auto level = number_in(cache / "level");
    if (!level) return last;
    const std::size_t size = parse_cache_size(first_line(cache / "size"));
    if (*level > highest && size > 0) {
      highest = *level;
      last = {first_line(cache / "shared_cpu_list"), size};
    }
  }
}

}  // namespace

std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> cpus;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    std::istringstream range(part);
    int first = 0, last = 0;
    char dash = 0;
    if (!(range >> first)) throw std::invalid_argument("not a list of CPUs: '" + text + "'");
    last = first;
    if (range >> dash && (dash != '-' || !(range >> last))) {
      throw std::invalid_argument("not a list of CPUs: '" + text + "'");
    }
    if (first < 0 || last < first || last >= most_cpus) {
      throw std::invalid_argument("not a list of CPUs: '" + text + "'");
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

Cores order_cores(const std::vector<int>& allowed, const fs::path& cpus) {
  std::map<std::string, std::vector<int>> threads_of_core;
  for (const int cpu : allowed) {
    const std::string name = "cpu" + std::to_string(cpu);
    const std::string siblings = first_line(cpus / name / "topology/thread_siblings_list");
    threads_of_core[siblings.empty() ? name : siblings].push_back(cpu);
  }
  // (how many threads of the same core come before it, its number)
  std::vector<std::pair<std::size_t, int>> ranked;
  for (auto& [siblings, threads] : threads_of_core) {
    std::sort(threads.begin(), threads.end());
    for (std::size_t i = 0; i < threads.size(); ++i) ranked.emplace_back(i, threads[i]);
  }
  std::sort(ranked.begin(), ranked.end());
  Cores found;
  found.count = static_cast<int>(threads_of_core.size());
  for (const auto& [rank, cpu] : ranked) found.order.push_back(cpu);
  return found;
}

const std::vector<int>& pinning_order() { return cores().order; }

int physical_cores() {
  const auto quota = cpu_quota();
  if (!quota) return cores().count;
  return std::clamp(static_cast<int>(std::min(std::ceil(*quota), 1e6)), 1, cores().count);
}

std::size_t last_level_cache_bytes() {
  std::map<std::string, std::size_t> caches;
  for (const int cpu : pinning_order()) {
    if (const auto cache = last_cache(cpu)) caches.insert(*cache);
  }
  std::size_t bytes = 0;
  for (const auto& [shared_by, size] : caches) bytes += size;
  if (bytes > 0) return bytes;
  const long level3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return level3 > 0 ? static_cast<std::size_t>(level3) : std::size_t{32} << 20;
}

int numa_nodes() {
  const std::set<int> ours(pinning_order().begin(), pinning_order().end());
  int nodes = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/sys/devices/system/node", error)) {
    const std::string list = first_line(entry.path() / "cpulist");
    if (list.empty()) continue;
    const auto cpus = parse_cpu_list(list);
    nodes += std::any_of(cpus.begin(), cpus.end(), [&](int cpu) { return ours.count(cpu) != 0; });
  }
  return std::max(nodes, 1);
}

double memory_bytes() { return std::min(meminfo("MemTotal"), memory_limit().limit); }

double available_memory_bytes() {
  const auto [limit, used] = memory_limit();
  return std::min(meminfo("MemAvailable"), std::max(limit - used, 0.0));
}

PinnedThread::PinnedThread(int cpu) : before_(affinity()) {
  pinning_order();  // read before this thread's own affinity becomes one CPU
  CpuSet one({cpu});
  sched_setaffinity(0, one.bytes(), one.get());
}

PinnedThread::~PinnedThread() {
  if (before_.empty()) return;
  CpuSet all(before_);
  sched_setaffinity(0, all.bytes(), all.get());
}

int parse_running(std::istream& stat) {
  for (std::string word; stat >> word;) {
    int running = 0;
    if (word == "procs_running" && stat >> running) return running;
  }
  return 0;
}

int others_at_work() {
  int fewest = std::numeric_limits<int>::max();
  for (int look = 0; look < 5; ++look) {
    if (look > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::ifstream stat("/proc/stat");
    fewest = std::min(fewest, parse_running(stat));
  }
  return std::max(fewest - 1, 0);
}

}  // namespace parlab
