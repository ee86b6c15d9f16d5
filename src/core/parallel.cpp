#include "core/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace parlab {
namespace {

constexpr int most_cpus = 1 << 16;

// A set of CPU numbers for the kernel. Uses the kernel's own call, because
// hwloc would read the topology again for each thread that is bound.
struct CpuSet {
  std::array<unsigned long, most_cpus / 64> words{};
  cpu_set_t* get() { return reinterpret_cast<cpu_set_t*>(words.data()); }
};

// Number of indices that a thread takes at once. With fewer the threads would
// contend too often; with more one thread would finish late.
constexpr std::size_t portion = 16;
constexpr std::size_t most_threads = 8;

// Calls work on at most this many threads, including the calling one.
void start(std::size_t most, const std::function<void()>& work) {
  std::vector<std::jthread> others;
  try {
    while (others.size() + 1 < most)
      others.emplace_back(work);
  } catch (const std::system_error&) {
  }
  work();
}

// at_once: number of indices that a thread takes.
void share_out(std::size_t most, std::size_t at_once, std::size_t count,
               const std::function<void(std::size_t)>& f) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  const auto work = [&] {
    try {
      for (;;) {
        const std::size_t begin = next.fetch_add(at_once);
        if (begin >= count) return;
        for (std::size_t i = begin; i < std::min(count, begin + at_once); ++i)
          f(i);
      }
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  start(std::min(most, (count + at_once - 1) / at_once), work);
  if (failure) std::rethrow_exception(failure);
}

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

void on_all_cores(std::size_t count,
                  const std::function<void(std::size_t)>& f) {
  share_out(std::clamp<std::size_t>(affinity().size(), 1, most_threads),
            portion, count, f);
}

void on_threads(std::size_t most, std::size_t count,
                const std::function<void(std::size_t)>& f) {
  share_out(most, 1, count, f);
}

}  // namespace parlab
