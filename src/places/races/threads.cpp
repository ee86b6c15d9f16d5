// Wrappers around the system's threads, which std::thread and std::async use,
// and around what orders them.
#include <cxxabi.h>
#include <pthread.h>
#include <semaphore.h>

#include <memory>

#include "core/at_end.hpp"
#include "places/races/detector.hpp"
#include "places/races/real.hpp"

using namespace parlab::races;

namespace {

using ThreadCode = void* (*)(void*);

struct Started {
  ThreadCode code;
  void* data;
  Actor actor;
};

const void* object_of(pthread_t thread) {
  return reinterpret_cast<const void*>(thread);
}

// Another thread, which nothing orders before this one, may have had its stack.
void forget_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* at = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &at, &bytes);
  pthread_attr_destroy(&attributes);
  forget(at, bytes);
}

void* run_thread(void* of) {
  const std::unique_ptr<Started> started(static_cast<Started*>(of));
  self = &started->actor;
  forget_stack();
  const parlab::AtEnd ended([] {
    release(object_of(pthread_self()));
    self = nullptr;
  });
  return started->code(started->data);
}

// The initialiser that this thread is about to call.
struct Once {
  pthread_once_t* control;
  void (*code)();
};
thread_local Once once{};

void run_once() {
  const auto [control, code] = once;
  code();
  release(control);
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                   ThreadCode code, void* data) {
  auto actor = begin_thread();
  if (!actor) return REAL(pthread_create)(thread, attributes, code, data);
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &state);
  if (state != PTHREAD_CREATE_JOINABLE) give_up();
  auto started = std::make_unique<Started>(Started{code, data, *actor});
  const int error =
      REAL(pthread_create)(thread, attributes, run_thread, started.get());
  if (error == 0) started.release();
  return error;
}
int pthread_join(pthread_t thread, void** result) {
  const int error = REAL(pthread_join)(thread, result);
  if (error == 0) acquire(object_of(thread));
  return error;
}
// How its end is told is not always seen.
int pthread_detach(pthread_t thread) noexcept {
  give_up();
  return REAL(pthread_detach)(thread);
}
int pthread_once(pthread_once_t* control, void (*code)()) {
  const auto around = once;
  once = {control, code};
  const int error = REAL(pthread_once)(control, run_once);
  once = around;
  acquire(control);
  return error;
}

// ---- locks
#define ACQUIRES(name, parameters, ...)        \
  int name parameters noexcept {               \
    const int error = REAL(name)(__VA_ARGS__); \
    if (error == 0) acquire(lock);             \
    return error;                              \
  }
#define RELEASES(name, parameters, ...) \
  int name parameters noexcept {        \
    release(lock);                      \
    return REAL(name)(__VA_ARGS__);     \
  }
#define SYSTEM_LOCK(T, set, test, unset) \
  ACQUIRES(set, (T * lock), lock)        \
  ACQUIRES(test, (T * lock), lock)       \
  RELEASES(unset, (T * lock), lock)
SYSTEM_LOCK(pthread_mutex_t, pthread_mutex_lock, pthread_mutex_trylock,
            pthread_mutex_unlock)
SYSTEM_LOCK(pthread_spinlock_t, pthread_spin_lock, pthread_spin_trylock,
            pthread_spin_unlock)
SYSTEM_LOCK(pthread_rwlock_t, pthread_rwlock_wrlock, pthread_rwlock_trywrlock,
            pthread_rwlock_unlock)
ACQUIRES(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), lock)
ACQUIRES(pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), lock)
ACQUIRES(pthread_mutex_timedlock,
         (pthread_mutex_t * lock, const timespec* until), lock, until)
ACQUIRES(pthread_mutex_clocklock,
         (pthread_mutex_t * lock, clockid_t clock, const timespec* until), lock,
         clock, until)
ACQUIRES(pthread_rwlock_timedrdlock,
         (pthread_rwlock_t * lock, const timespec* until), lock, until)
ACQUIRES(pthread_rwlock_timedwrlock,
         (pthread_rwlock_t * lock, const timespec* until), lock, until)
ACQUIRES(pthread_rwlock_clockrdlock,
         (pthread_rwlock_t * lock, clockid_t clock, const timespec* until),
         lock, clock, until)
ACQUIRES(pthread_rwlock_clockwrlock,
         (pthread_rwlock_t * lock, clockid_t clock, const timespec* until),
         lock, clock, until)
ACQUIRES(sem_trywait, (sem_t * lock), lock)
RELEASES(sem_post, (sem_t * lock), lock)

// ---- waits: these may be cancelled, so they may throw
#define WAITS(name, parameters, ...)           \
  int name parameters {                        \
    release(lock);                             \
    const int error = REAL(name)(__VA_ARGS__); \
    acquire(lock);                             \
    return error;                              \
  }
WAITS(pthread_cond_wait, (pthread_cond_t * all, pthread_mutex_t* lock), all,
      lock)
WAITS(pthread_cond_timedwait,
      (pthread_cond_t * all, pthread_mutex_t* lock, const timespec* until), all,
      lock, until)
WAITS(pthread_cond_clockwait,
      (pthread_cond_t * all, pthread_mutex_t* lock, clockid_t clock,
       const timespec* until),
      all, lock, clock, until)
int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  release(barrier);
  const int last = REAL(pthread_barrier_wait)(barrier);
  acquire(barrier);
  return last;
}
#define WAITS_FOR_POST(name, parameters, ...)  \
  int name parameters {                        \
    const int error = REAL(name)(__VA_ARGS__); \
    if (error == 0) acquire(lock);             \
    return error;                              \
  }
WAITS_FOR_POST(sem_wait, (sem_t * lock), lock)
WAITS_FOR_POST(sem_timedwait, (sem_t * lock, const timespec* until), lock,
               until)
WAITS_FOR_POST(sem_clockwait,
               (sem_t * lock, clockid_t clock, const timespec* until), lock,
               clock, until)

}  // extern "C"

// Threads meet at the guard of a static variable.
namespace __cxxabiv1 {
extern "C" {
int __cxa_guard_acquire(__guard* guard) {
  const int begins = REAL(__cxa_guard_acquire)(guard);
  acquire(guard);
  return begins;
}
void __cxa_guard_release(__guard* guard) noexcept {
  release(guard);
  REAL(__cxa_guard_release)(guard);
}
}
}  // namespace __cxxabiv1
