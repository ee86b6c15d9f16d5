#include "machine/pinning.hpp"

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <thread>

#include "core/parallel.hpp"
#include "machine/topology.hpp"

namespace {
std::atomic<std::int64_t> started = 0;
}

// This function stands before the system's, to count. It is weak, because the
// detector of races (places/races) has one as well.
extern "C" [[gnu::weak]] int pthread_create(pthread_t* thread,
                                            const pthread_attr_t* attributes,
                                            void* (*code)(void*),
                                            void* data) noexcept {
  static const auto system = reinterpret_cast<decltype(&pthread_create)>(
      dlsym(RTLD_NEXT, "pthread_create"));
  ++started;
  return system(thread, attributes, code, data);
}

namespace parlab {

std::int64_t threads_started() {
  return started;
}

BoundThread::BoundThread(const std::vector<int>& cpus) : before_(affinity()) {
  // read the order before this thread's own affinity becomes one CPU
  pinning_order();
  run_on(cpus);
}

BoundThread::~BoundThread() {
  if (!before_.empty()) run_on(before_);
}

namespace {

// Stack size in bytes from OMP_STACKSIZE, such as "64M" (without a letter:
// kilobytes); nothing if it is not set.
std::optional<std::size_t> stack_of_openmp() {
  const char* text = std::getenv("OMP_STACKSIZE");
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text, &end);
  const auto letter = std::string_view("BKMGT").find(
      static_cast<char>(std::toupper(static_cast<unsigned char>(*end))));
  if (end == text || !(number > 0)) return std::nullopt;
  const int power = letter == std::string_view::npos ? 1 : int(letter);
  return static_cast<std::size_t>(std::ldexp(number, 10 * power));
}

// While it lives, new threads get stacks like those of OpenMP. They test
// whether there is memory, because libgomp ends the program if it finds none
// for a stack.
class StacksOfOpenmp {
 public:
  StacksOfOpenmp() {
    pthread_getattr_default_np(&before_);
    auto stack = before_;
    if (const auto bytes = stack_of_openmp();
        bytes && pthread_attr_setstacksize(&stack, *bytes) == 0)
      pthread_setattr_default_np(&stack);
  }
  ~StacksOfOpenmp() { pthread_setattr_default_np(&before_); }
  StacksOfOpenmp(const StacksOfOpenmp&) = delete;
  StacksOfOpenmp& operator=(const StacksOfOpenmp&) = delete;

 private:
  pthread_attr_t before_{};
};

}  // namespace

Detail why_no_threads(int wanted) {
  if (wanted <= 1) return {};
  const StacksOfOpenmp stacks;
  std::atomic<bool> enough = false;
  std::vector<std::atomic<pid_t>> ids(static_cast<std::size_t>(wanted));
  std::vector<std::jthread> threads;
  try {
    while (std::ssize(threads) + 1 < wanted) {
      threads.emplace_back([&enough, &id = ids[threads.size()]] {
        id = gettid();
        enough.wait(false);
      });
    }
  } catch (const std::exception&) {  // no thread, or no memory for one
  }
  const auto started = static_cast<int>(threads.size()) + 1;
  enough = true;
  enough.notify_all();
  threads.clear();
  // A joined thread still counts until the system has removed it.
  for (const auto& id : ids) {
    while (id != 0 && tgkill(getpid(), id, 0) == 0)
      sched_yield();
  }
  if (started == wanted) return {};
  return because(Cause::threads_not_started, wanted, started);
}

Detail why_no_team(int threads) {
  end_idle_threads();
  if (const auto why = why_no_threads(threads)) return why;
  // OMP_DYNAMIC and OMP_MAX_ACTIVE_LEVELS=0 could make a team smaller than its
  // record says.
  omp_set_dynamic(0);
  omp_set_max_active_levels(std::max(omp_get_max_active_levels(), 1));
  int team = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  team = omp_get_num_threads();
  if (team == threads) return {};
  return because(Cause::team_smaller, threads, team);
}

void end_idle_threads() {
  omp_pause_resource_all(omp_pause_soft);
}

PinnedTeam::PinnedTeam(int threads) {
  // A team of several threads ends surplus threads itself. Next to a team of
  // one they would keep spinning.
  if (threads == 1) end_idle_threads();
  const auto& order = pinning_order();
  std::atomic<int> in_place{0};
#pragma omp parallel num_threads(threads)
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    if (thread == 0) {
      caller_.emplace(std::vector{order[0]});
    } else {
      run_on({order[thread % order.size()]});
    }
    // A thread that spins at the region's end may occupy the CPU that another
    // thread is bound to, which would then wait for milliseconds.
    ++in_place;
    while (in_place < omp_get_num_threads())
      sched_yield();
  }
}

}  // namespace parlab
