// Wrappers around libgomp's entry points. They record what a call orders and
// then call the library. A task is executed when it is created.
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "core/at_end.hpp"
#include "places/races/detector.hpp"
#include "places/races/real.hpp"

using namespace parlab::races;

namespace {

using Code = void (*)(void*);

struct Team : Region {
  std::atomic<int> entered = 0;
};

// Runs in each thread of a region, in place of the region's code. All threads
// begin together, so that none does everything before another starts.
void run_in_team(void* of) {
  auto& team = *static_cast<Team*>(of);
  auto actor = enter(team);
  ++team.entered;
  while (team.entered < omp_get_num_threads())
    sched_yield();
  auto* const around = std::exchange(self, &actor);
  team.code(team.data);
  self = around;
  leave(team, actor);
}

template <typename F, typename... More>
auto in_region(F* real, Code code, void* data, More... more) {
  // Regions in regions use one stack for actors that nothing orders.
  if (self != nullptr) give_up();
  Team team;
  team.code = code;
  team.data = data;
  open(team);
  const parlab::AtEnd closing([&] { close(team); });
  return real(run_in_team, &team, more...);
}

template <typename F, typename... More>
auto at_barrier(F* real, More... more) {
  arrive();
  const parlab::AtEnd going_on([] { go_on(); });
  return real(more...);
}

const char all_atomics = 0, all_ordered = 0, unnamed = 0, copied = 0;

}  // namespace

extern "C" {

// ---- regions
#define REGION(name, parameters, ...)               \
  void name parameters {                            \
    in_region(REAL(name), code, data, __VA_ARGS__); \
  }
REGION(GOMP_parallel, (Code code, void* data, unsigned n, unsigned flags), n,
       flags)
REGION(GOMP_parallel_sections,
       (Code code, void* data, unsigned n, unsigned count, unsigned flags), n,
       count, flags)
#define LOOP(kind)                                                           \
  REGION(GOMP_parallel_loop_##kind,                                          \
         (Code code, void* data, unsigned n, long first, long last, long by, \
          long chunk, unsigned flags),                                       \
         n, first, last, by, chunk, flags)
#define LOOP_AT_RUN_TIME(kind)                                               \
  REGION(GOMP_parallel_loop_##kind,                                          \
         (Code code, void* data, unsigned n, long first, long last, long by, \
          unsigned flags),                                                   \
         n, first, last, by, flags)
LOOP(static)
LOOP(dynamic)
LOOP(guided)
LOOP(nonmonotonic_dynamic)
LOOP(nonmonotonic_guided)
LOOP_AT_RUN_TIME(runtime)
LOOP_AT_RUN_TIME(nonmonotonic_runtime)
LOOP_AT_RUN_TIME(maybe_nonmonotonic_runtime)
unsigned GOMP_parallel_reductions(Code code, void* data, unsigned n,
                                  unsigned flags) {
  give_up();  // `data` holds more than the region's own variables
  return REAL(GOMP_parallel_reductions)(code, data, n, flags);
}

// ---- barriers
#define BARRIER(T, name)           \
  T name() {                       \
    return at_barrier(REAL(name)); \
  }
BARRIER(void, GOMP_barrier)
BARRIER(bool, GOMP_barrier_cancel)
BARRIER(void, GOMP_loop_end)
BARRIER(bool, GOMP_loop_end_cancel)
BARRIER(void, GOMP_sections_end)
BARRIER(bool, GOMP_sections_end_cancel)
void GOMP_single_copy_end(void* data) {
  release(&copied);
  REAL(GOMP_single_copy_end)(data);
}
void* GOMP_single_copy_start() {
  void* const data = REAL(GOMP_single_copy_start)();
  if (data != nullptr) acquire(&copied);
  return data;
}

// ---- one at a time
#define LOCKED(begin, end, object) \
  void begin() {                   \
    REAL(begin)();                 \
    acquire(object);               \
  }                                \
  void end() {                     \
    release(object);               \
    REAL(end)();                   \
  }
LOCKED(GOMP_critical_start, GOMP_critical_end, &unnamed)
LOCKED(GOMP_atomic_start, GOMP_atomic_end, &all_atomics)
LOCKED(GOMP_ordered_start, GOMP_ordered_end, &all_ordered)
#define LOCK(T, R, set, test, unset)                      \
  R set(T* lock) noexcept {                               \
    const parlab::AtEnd acquired([&] { acquire(lock); }); \
    return REAL(set)(lock);                               \
  }                                                       \
  int test(T* lock) noexcept {                            \
    const int got = REAL(test)(lock);                     \
    acquire(lock);                                        \
    return got;                                           \
  }                                                       \
  R unset(T* lock) noexcept {                             \
    release(lock);                                        \
    return REAL(unset)(lock);                             \
  }
LOCK(omp_lock_t, void, omp_set_lock, omp_test_lock, omp_unset_lock)
LOCK(omp_nest_lock_t, void, omp_set_nest_lock, omp_test_nest_lock,
     omp_unset_nest_lock)
void GOMP_critical_name_start(void** name) {
  REAL(GOMP_critical_name_start)(name);
  acquire(name);
}
void GOMP_critical_name_end(void** name) {
  release(name);
  REAL(GOMP_critical_name_end)(name);
}

// ---- tasks
void GOMP_task(Code code, void* data, void (*copy)(void*, void*), long bytes,
               long alignment, bool deferred, unsigned flags, void** depends,
               int priority, void* detached) {
  constexpr unsigned has_dependences = 1 << 3, is_detached = 1 << 13;
  // So do tasks of tasks.
  const bool in_task = self != nullptr && self->region == nullptr;
  if (self == nullptr || in_task || (flags & is_detached) != 0) {
    give_up();
    return REAL(GOMP_task)(code, data, copy, bytes, alignment, deferred, flags,
                           depends, priority, detached);
  }
  const auto unit = static_cast<std::size_t>(alignment);
  // The creator may reuse its own data at once.
  std::vector<char> own(static_cast<std::size_t>(bytes) + unit);
  const auto at = reinterpret_cast<std::uintptr_t>(own.data());
  void* const aligned = own.data() + (unit - at % unit) % unit;
  if (copy != nullptr)
    copy(aligned, data);
  else
    std::memcpy(aligned, data, static_cast<std::size_t>(bytes));
  auto task = begin_task((flags & has_dependences) != 0);
  auto* const parent = std::exchange(self, &task);
  code(aligned);
  self = parent;
  end_task(*parent, task, !deferred);
}
void GOMP_taskwait() {
  REAL(GOMP_taskwait)();
  wait_for_tasks();
}
void GOMP_taskwait_depend(void** depends) {
  REAL(GOMP_taskwait_depend)(depends);
  wait_for_tasks();
}
void GOMP_taskgroup_end() {
  REAL(GOMP_taskgroup_end)();
  wait_for_tasks();
}

// ---- what is not understood
void GOMP_taskloop(Code code, void* data, void (*copy)(void*, void*),
                   long bytes, long alignment, unsigned flags,
                   unsigned long tasks, int priority, long first, long last,
                   long by) {
  give_up();
  REAL(GOMP_taskloop)
  (code, data, copy, bytes, alignment, flags, tasks, priority, first, last, by);
}
void GOMP_taskloop_ull(Code code, void* data, void (*copy)(void*, void*),
                       long bytes, long alignment, unsigned flags,
                       unsigned long tasks, int priority,
                       unsigned long long first, unsigned long long last,
                       unsigned long long by) {
  give_up();
  REAL(GOMP_taskloop_ull)
  (code, data, copy, bytes, alignment, flags, tasks, priority, first, last, by);
}
void GOMP_doacross_post(long* counts) {
  give_up();
  REAL(GOMP_doacross_post)(counts);
}

}  // extern "C"
