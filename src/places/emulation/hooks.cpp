// Functions that the compiler calls from emulated kernels: before every memory
// access, instead of every atomic operation (-fsanitize=thread), and at
// undefined behaviour (-fsanitize=bounds and similar). Names and signatures are
// those of GCC's instrumentation. Host code in the same files calls them, too,
// outside of any kernel, and must not be affected.
//
// Accesses that are certainly right are recorded here; judge() handles the
// rest.
#include <err.h>

#include <cstdlib>
#include <exception>

#include "places/emulation/block.hpp"

namespace parlab::emulation {

void check_progress(const InRuntime& here) {
  const Launch& launch = *here.block.launch;
  if (launch.failed)
    here.thread.fail(Verdict::launch_failed, {.cause = Cause::was_stopped});
  if (std::chrono::steady_clock::now() > launch.deadline)
    here.thread.fail_of_time(calls_here());
}

void Thread::fail_of_time(const Calls& calls) const {
  const Launch& launch = *block->launch;
  const auto now = std::chrono::steady_clock::now();
  // It is endless if no block has ended for half of its time.
  if (now - launch.block_done_at.load() > (now - launch.begun) / 2) {
    fail(Verdict::timed_out, at_line_of(calls, {.cause = Cause::endless}));
  } else {
    const std::chrono::duration<double> taken = now - launch.begun;
    fail(Verdict::not_supported,
         because(Cause::too_slow_for_emulation, launch.blocks_done.load(),
                 launch.blocks.size(), quantity(taken.count(), Unit::second)));
  }
}

namespace {

// Structures are accessed in words of at most 16 bytes.
PARLAB_INLINE void count(Thread& thread, const Allocation& array,
                         const void* address, std::size_t length, bool writes,
                         bool atomic, const void* call) {
  const bool shared = array.kind == Kind::shared;
  const auto access = atomic ? shared ? Access::shared_atomic : Access::atomic
                      : writes
                          ? shared ? Access::shared_store : Access::global_store
                      : shared ? Access::shared_load
                               : Access::global_load;
  constexpr std::size_t most = 16;
  for (std::size_t done = 0; done < length; done += most) {
    const CallSite site{
        .call = call,
        .access = access,
        .bytes = static_cast<std::int64_t>(std::min(length - done, most))};
    thread.block->counts->add(thread.index, site, array,
                              static_cast<const std::byte*>(address) + done);
  }
}

// Whether a plain access is certainly right. If so, it is recorded here without
// leaving the kernel, which is fast.
PARLAB_INLINE bool is_right(Thread& thread, Allocation& array,
                            const void* address, std::size_t length,
                            bool writes) {
  const Block& block = *thread.block;
  const Launch& launch = *block.launch;
  const bool shared = array.kind == Kind::shared;
  if (!array.contains(address, length) ||
      (!shared && (array.freed || array.device != launch.device)))
    return false;
  if (array.kind == Kind::input) return !writes;
  const auto offset = array.offset(address);
  if (offset % word_bytes != 0 || length % word_bytes != 0) return false;
  const Stamp mine{
      .thread = thread.index, .phase = block.phase, .instance = block.instance};
  const auto came_before = [&](Stamp other) __attribute__((always_inline)) {
    return thread.clock.covers(other) ||
           (other.instance != block.instance &&
            (shared || other.instance == 0 ||
             (other.instance < launch.first_instance && thread.is_alone &&
              launch.streams == nullptr)));
  };
  Cell* const cells = &array.cells[offset / word_bytes];
  for (std::size_t i = 0; i < length / word_bytes; ++i) {
    Cell& cell = cells[i];
    const Stamp writer = load(cell.writer);
    if (!came_before(writer)) return false;
    if (writes) {
      for (Stamp& reader : cell.readers)
        if (!came_before(load(reader))) return false;
      store(cell.writer, mine);
      continue;
    }
    if (shared ? writer.instance != block.instance : writer == Stamp{})
      return false;
    for (Stamp& slot : cell.readers) {
      const Stamp reader = load(slot);
      if (reader == mine) break;
      if (!came_before(reader)) continue;
      store(slot, mine);
      break;
    }
  }
  if (!writes) {
    thread.last_read = address;
    thread.last_read_place = thread.last_access;
  }
  return true;
}

// Whether two other threads have read each of these words of shared memory
// since the last barrier. Then a third reader changes nothing, which is the
// case for most reads of a tile.
PARLAB_INLINE bool is_read_by_others(const Thread& thread, Allocation& array,
                                     const void* address, std::size_t length) {
  const Clock& clock = thread.clock;
  const auto offset = array.offset(address);
  if (array.kind != Kind::shared || !array.contains(address, length) ||
      offset % word_bytes != 0 || length % word_bytes != 0 ||
      clock.warp_phase > clock.block_phase)
    return false;
  const Stamp block_start{.instance = clock.instance};
  const auto first = block_start.bits();
  const auto last = Stamp{.phase = clock.block_phase}.bits();
  const Cell* const cells = &array.cells[offset / word_bytes];
  for (std::size_t i = 0; i < length / word_bytes; ++i) {
    if (cells[i].writer.bits() - first >= last) return false;
    for (const Stamp& reader : cells[i].readers) {
      if (reader.instance != clock.instance || reader.bits() - first < last ||
          reader.thread == thread.index)
        return false;
    }
  }
  return true;
}

constexpr std::uint64_t often = 1 << 20;

__attribute__((noinline)) void look_around() {
  const InRuntime here;
  here.thread.judge_suspects();
  if (here.block.accesses % often == 0) check_progress(here);
}

// The length and the kind of an access that the compiler knows.
template <std::size_t length_, bool writes_>
struct Known {
  static constexpr std::size_t length = length_;
  static constexpr bool writes = writes_, atomic = false;
};
struct Told {
  std::size_t length;
  bool writes, atomic;
};

// Both are called by a jump, so that the code before them needs none of the
// kernel's registers.
template <typename A>
__attribute__((noinline)) void check_words(Thread* thread, Allocation* array,
                                           const void* address,
                                           const A& access) {
  if (access.atomic ||
      !is_right(*thread, *array, address, access.length, access.writes))
    judge(address, access.length, access.writes, access.atomic);
}
template <typename A>
__attribute__((noinline)) void check_array(Thread* thread, const void* address,
                                           const A& access) {
  Block& block = *thread->block;
  Allocation* const array = block.array_of(address);
  if (array != nullptr) {
    if (access.writes || access.atomic ||
        !is_read_by_others(*thread, *array, address, access.length))
      return check_words(thread, array, address, access);
    thread->last_read = address;
    thread->last_read_place = thread->last_access;
    return;
  }
  if (!block.launch->gives(address))
    judge(address, access.length, access.writes, access.atomic);
}

template <typename A>
PARLAB_INLINE void check_all(Thread* thread, const void* address,
                             const A& access) {
  if (access.writes || access.atomic ||
      !thread->block->inputs.contain(address, access.length))
    check_array(thread, address, access);
}
template <typename A>
__attribute__((noinline)) void look_and_check(Thread* thread,
                                              const void* address,
                                              const A& access,
                                              const void* from) {
  Block& block = *thread->block;
  if (!thread->suspects.empty() || block.accesses % often == 0) look_around();
  block.look_around_at =
      block.counts ? 0 : (block.accesses / often + 1) * often;
  // A swap that failed because another thread changed the word is repeated. The
  // repetition comes from the emulated order and does not count.
  const bool again = std::exchange(thread->in_vain, nullptr) == address;
  if (block.counts && from != nullptr &&
      !(thread->is_copying && access.writes) &&
      (!access.atomic || (access.writes && !again))) {
    if (const auto* const array = block.array_of(address)) {
      running = nullptr;  // what counts is no kernel
      count(*thread, *array, address, access.length, access.writes,
            access.atomic, from);
      running = thread;
    }
  }
  check_all(thread, address, access);
}

template <typename A>
PARLAB_INLINE void check(const void* address, const A& access,
                         const void* from) {
  Thread* const thread = running;
  if (thread == nullptr || thread->owns(address)) return;
  if (!access.atomic) thread->last_access = from;
  Block& block = *thread->block;
  if (++block.accesses >= block.look_around_at)
    return look_and_check(thread, address, access, from);
  check_all(thread, address, access);
}

}  // namespace

void check_access(const void* address, std::size_t length, bool writes,
                  bool atomic, const void* from) {
  check(address, Told{length, writes, atomic}, from);
}

// Copies that the runtime makes for a kernel, checked like the kernel's own
// accesses.
void checked_copy(void* to, const void* from, std::size_t bytes,
                  const void* place) {
  if (bytes == 0) return;
  check_access(from, bytes, false, false, place);
  check_access(to, bytes, true, false, place);
  // AddressSanitizer's memmove goes byte by byte, so it is used only for
  // overlapping ranges.
  const auto distance = reinterpret_cast<std::uintptr_t>(to) -
                        reinterpret_cast<std::uintptr_t>(from);
  if (std::min(distance, -distance) < bytes)
    std::memmove(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

void checked_clear(void* to, std::size_t bytes) {
  if (bytes == 0) return;
  check_access(to, bytes, true);
  std::memset(to, 0, bytes);
}

}  // namespace parlab::emulation

namespace {

using namespace parlab::emulation;
using parlab::Cause, parlab::Detail;

// Surrounds an atomic operation. Before it takes effect, it releases what a
// fence has ordered. Afterwards the thread has seen everything released until
// then.
class AtomicAccess {
 public:
  AtomicAccess(const volatile void* address, std::size_t length, bool writes,
               const void* from) {
    check_access(const_cast<const void*>(address), length, writes, true, from);
    if (running == nullptr || !writes) return;
    if (!running->fence && !running->block_fence &&
        running->block->fences.empty())
      return;
    InRuntime here;
    auto releases = here.block.launch->releases.synchronize();
    if (here.thread.fence) releases->add(*std::exchange(here.thread.fence, {}));
    if (here.thread.block_fence)
      releases->add(*std::exchange(here.thread.block_fence, {}), true);
    for (const Clock& fence : here.block.fences)
      releases->add(fence);
    here.block.fences.clear();
  }
  ~AtomicAccess() {
    if (running == nullptr) return;
    InRuntime here;
    here.thread.acquired = here.block.launch->releases->count();
    if (++here.thread.atomics % 64 != 0) return;
    // it may be spinning on the value, so the others must get their turn
    check_progress(here);
    here.block.suspend(here.thread);
  }
};

// The data of every report of undefined behaviour begins with its source
// location.
struct Place {
  const char* file;
  unsigned line, column;
};

void undefined(const Place* place, Detail what) {
  if (running == nullptr) {
    errx(1, "in host code: %s, %s:%u", to_string(what).c_str(), place->file,
         place->line);
  }
  InRuntime().thread.fail(parlab::Verdict::wrong_result,
                          at_line(place->file, place->line, std::move(what)));
}

}  // namespace

extern "C" {

// Called by assert(). In a kernel it ends that kernel, in a variant's host code
// that code; elsewhere it ends the program, like the C library's.
void __assert_fail(const char* condition, const char* file, unsigned line,
                   const char*) noexcept {
  const auto why = [&] {
    return at_line(file, line, because(Cause::assertion_failed, condition));
  };
  if (running != nullptr)
    InRuntime().thread.fail(parlab::Verdict::launch_failed, why());
  end_host_code(why());
  try {
    throw parlab::PointError(parlab::Verdict::launch_failed, why());
  } catch (const parlab::PointError&) {
    std::terminate();  // which tells of it
  }
}

void __tsan_init() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

// Copies and clears that a kernel makes by calls, under the names that
// scripts/emulate-kernel.sh gives them; clang uses calls for each structure.
void* parlab_memcpy(void* to, const void* from, std::size_t bytes) {
  checked_copy(to, from, bytes, __builtin_return_address(0));
  return to;
}
void* parlab_memmove(void* to, const void* from, std::size_t bytes) {
  checked_copy(to, from, bytes, __builtin_return_address(0));
  return to;
}
void* parlab_memset(void* to, int value, std::size_t bytes) {
  if (bytes > 0)
    check_access(to, bytes, true, false, __builtin_return_address(0));
  return std::memset(to, value, bytes);
}

void __tsan_read_range(void* p, std::size_t bytes) {
  check_access(p, bytes, false, false, __builtin_return_address(0));
}
void __tsan_write_range(void* p, std::size_t bytes) {
  check_access(p, bytes, true, false, __builtin_return_address(0));
}

#define ACCESS(bytes, name, writes)                                \
  void __tsan_##name##bytes(void* p) {                             \
    check(p, Known<bytes, writes>{}, __builtin_return_address(0)); \
  }                                                                \
  void __tsan_unaligned_##name##bytes(void* p) {                   \
    check(p, Known<bytes, writes>{}, __builtin_return_address(0)); \
  }
#define READ_AND_WRITE(bytes) \
  ACCESS(bytes, read, false) ACCESS(bytes, write, true)
READ_AND_WRITE(1)
READ_AND_WRITE(2)
READ_AND_WRITE(4)
READ_AND_WRITE(8)
READ_AND_WRITE(16)

#define FETCH(bits, T, name)                                                  \
  T __tsan_atomic##bits##_fetch_##name(volatile T* p, T value, int) {         \
    const AtomicAccess noted(p, bits / 8, true, __builtin_return_address(0)); \
    return __atomic_fetch_##name(p, value, __ATOMIC_SEQ_CST);                 \
  }
// One of the two, which clang calls, returns the old value; the other stores it
// in `old`.
#define ATOMIC(bits, T)                                                        \
  T __tsan_atomic##bits##_load(const volatile T* p, int) {                     \
    const AtomicAccess noted(p, bits / 8, false, __builtin_return_address(0)); \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                               \
  }                                                                            \
  void __tsan_atomic##bits##_store(volatile T* p, T value, int) {              \
    const AtomicAccess noted(p, bits / 8, true, __builtin_return_address(0));  \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                              \
  }                                                                            \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* old,     \
                                                    T value, int, int) {       \
    const AtomicAccess noted(p, bits / 8, true, __builtin_return_address(0));  \
    const bool done = __atomic_compare_exchange_n(                             \
        p, old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);             \
    if (!done && running != nullptr)                                           \
      running->in_vain = const_cast<const T*>(p);                              \
    return done;                                                               \
  }                                                                            \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T old, T value,  \
                                               int, int) {                     \
    __tsan_atomic##bits##_compare_exchange_strong(p, &old, value, 0, 0);       \
    return old;                                                                \
  }                                                                            \
  int __tsan_atomic##bits##_compare_exchange_weak(                             \
      volatile T* p, T* old, T value, int done, int failed) {                  \
    return __tsan_atomic##bits##_compare_exchange_strong(p, old, value, done,  \
                                                         failed);              \
  }                                                                            \
  T __tsan_atomic##bits##_exchange(volatile T* p, T value, int) {              \
    const AtomicAccess noted(p, bits / 8, true, __builtin_return_address(0));  \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                    \
  }                                                                            \
  FETCH(bits, T, add)                                                          \
  FETCH(bits, T, sub)                                                          \
  FETCH(bits, T, and)                                                          \
  FETCH(bits, T, or) FETCH(bits, T, xor)
ATOMIC(8, unsigned char)
ATOMIC(16, unsigned short)
ATOMIC(32, unsigned)
ATOMIC(64, unsigned long)
void __tsan_atomic_thread_fence(int) {
  if (running != nullptr) fence();
}
void __tsan_atomic_signal_fence(int) {}

#define UNDEFINED(name, why, ...)                                     \
  void __ubsan_handle_##name(Place* place,                            \
                             [[maybe_unused]] std::intptr_t number) { \
    undefined(place, because(Cause::why __VA_OPT__(, ) __VA_ARGS__)); \
  }
UNDEFINED(out_of_bounds, index_outside, number)
UNDEFINED(shift_out_of_bounds, shift_too_far)
UNDEFINED(divrem_overflow, division_by_zero)

// GCC's and clang's description of a type, and of how a place is used.
struct Type {
  std::uint16_t kind, info;
  char name[];
};
struct Use {
  Place place;
  const Type* type;
  unsigned char log_alignment, kind;
};
void __ubsan_handle_type_mismatch_v1(Use* use, std::uintptr_t address) {
  const auto* const at = reinterpret_cast<const void*>(address);
  const Allocation* const array =
      running == nullptr ? nullptr : running->block->array_of(at);
  undefined(&use->place,
            because(Cause::misaligned,
                    array == nullptr ? "an address" : array->at(at),
                    std::string(use->type->name),
                    std::int64_t{1} << use->log_alignment));
}

}  // extern "C"
