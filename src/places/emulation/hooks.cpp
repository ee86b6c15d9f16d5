// What the compiler calls from emulated kernels: before every access to memory,
// instead of every atomic operation (-fsanitize=thread), and where behaviour
// is undefined (-fsanitize=bounds and its kin). The names and signatures
// are those of GCC's instrumentation; the host code of the same files calls
// them too, outside of any kernel, and must not notice.
//
// An access is checked: is the address the kernel's to use, was the
// word ever written, and is there an order between this access and
// those of other threads.
#include <err.h>

#include <cstdio>
#include <cstdlib>

#include "places/emulation/block.hpp"

// Linker symbols around the program's own constants and variables.
extern "C" const std::byte __executable_start, _end;

namespace parlab::emulation {
namespace {

// Cells of global memory are shared by OS threads.
Stamp load(Stamp& stamp) {
  return std::atomic_ref(stamp).load(std::memory_order_relaxed);
}
void store(Stamp& stamp, Stamp value) {
  std::atomic_ref(stamp).store(value, std::memory_order_relaxed);
}

// One access of the thread that runs. array: what it meets
// or misses, or nullptr.
struct Check {
  Allocation* array;
  const void* address;
  std::size_t length;
  bool writes, atomic;
  InRuntime here{};
  Block& block = here.block;
  Launch& launch = *block.launch;
  bool shared = array != nullptr && array->kind == Kind::shared;

  void run() {
    if (array == nullptr) {
      if (address >= &__executable_start && address < &_end) return;
      // What starts a thread reads the kernel's arguments, on the host's stack.
      if (within(launch.arguments) ||
          within(std::as_bytes(std::span(&launch, 1))))
        return;
      const bool null = reinterpret_cast<std::uintptr_t>(address) < 4096;
      fail(Verdict::launch_failed,
           null ? Cause::null_pointer : Cause::host_memory,
           {static_cast<std::int64_t>(length)});
    } else if (array->kind != Kind::shared && array->device != launch.device) {
      fail(Verdict::launch_failed,
           array->device == host_memory ? Cause::array_of_host
                                        : Cause::array_of_other_gpu,
           {array->at(address), std::int64_t{launch.device}});
    } else if (array->freed) {
      fail(Verdict::launch_failed, Cause::freed_memory, {array->at(address)});
    } else if (!array->contains(address, length)) {
      fail(Verdict::launch_failed, array->outside(does(), address, length));
    } else if (array->kind != Kind::input) {
      if (!writes && !atomic) {
        here.thread.last_read = address;
        here.thread.last_read_place = here.thread.last_access;
      }
      check_words(&array->cells[array->offset(address) / word_bytes]);
    } else if (writes) {
      fail(Verdict::wrong_result, Cause::input_written, {where()});
    }
  }

  bool within(std::span<const std::byte> bytes) const {
    return address >= bytes.data() && address < bytes.data() + bytes.size();
  }

  // Words that an access touches in part (bytes, halves) are
  // not searched for races.
  void check_words(Cell* cell) {
    if (length >= word_bytes) {
      const auto words =
          (array->offset(address) % word_bytes + length + word_bytes - 1) /
          word_bytes;
      for (std::size_t i = 0; i < words && !block.failed; ++i)
        check_word(cell[i]);
    } else if (writes) {
      store(cell->writer, stamp(0));
    }
  }

  void check_word(Cell& cell) {
    const Stamp writer = load(cell.writer), mine = stamp(block.phase);
    if (shared ? writer.instance != block.instance : writer == Stamp{}) {
      if (!writes || atomic) {
        return fail(
            Verdict::wrong_result,
            shared ? Cause::never_written_in_block : Cause::never_written,
            {where()});
      }
    } else if (may_race(writer)) {
      if (writer.atomic && !writes && !atomic) {
        if (!doubt(cell, writer)) return report_race(writer, "wrote");
      } else if (!writes || atomic || writer.atomic) {
        return report_race(writer, "wrote");
      } else {
        suspect(cell, writer);
      }
    }
    for (Stamp& slot : cell.readers) {
      const Stamp reader = load(slot);
      if (writes && may_race(reader)) {
        if (!atomic || is_earlier(reader)) return report_race(reader, "read");
        launch.doubts.add_atomic(
            {static_cast<std::uint32_t>(reader.instance),
             static_cast<std::uint32_t>(reader.thread), word(cell)},
            told(race(reader, "read")));
        store(slot, {});
      }
      // Atomics on one word are a chain: who is ordered after the
      // last one is so after all.
      if (writes && atomic && reader.atomic) store(slot, {});
      if (!writes && (reader == mine || comes_before(reader)))
        return store(slot, mine);
    }
    if (writes) store(cell.writer, mine);
  }

  // Whether that access certainly came before this one.
  bool comes_before(Stamp other) const {
    if (other.instance == block.instance)
      return here.thread.clock.covers(other);
    // 0: before any launch, or nobody
    if (shared || other.instance == 0) return true;
    if (is_earlier(other)) {
      return here.thread.is_alone &&
             (launch.ordering == nullptr ||
              launch.ordering->comes_before(other.instance));
    }
    return launch.releases->cover(other, here.thread.acquired);
  }
  bool is_earlier(Stamp other) const {
    return other.instance < launch.first_instance;
  }
  bool may_race(Stamp other) const {
    return !(atomic && other.atomic) && !comes_before(other);
  }
  Stamp stamp(std::uint32_t phase) const {
    return {block.instance, phase, here.thread.index, atomic};
  }

  std::string where() const {
    return array == &block.static_shared ? array->name
                                         : array->element(address, length);
  }
  Detail race(Stamp other, const char* did) const {
    Detail race{.arguments = {does(), where()}};
    const auto say = [&](Cause cause, std::vector<std::string> more) {
      race.cause = cause;
      race.arguments.insert(race.arguments.end(), more.begin(), more.end());
      return race;
    };
    if (is_earlier(other) && !here.thread.is_alone)
      return say(Cause::race_of_launches, {did});
    if (is_earlier(other)) {
      return say(Cause::race_of_streams,
                 {launch.ordering->stream_of(other.instance), did});
    }
    const bool in_warp =
        other.thread / warp_size == here.thread.index / warp_size;
    return say(
        other.instance != block.instance ? Cause::race_of_blocks
        : in_warp                        ? Cause::race_in_warp
                                         : Cause::race_in_block,
        {launch.name(other.instance - launch.first_instance, other.thread),
         did});
  }
  void report_race(Stamp other, const char* did) {
    fail(Verdict::wrong_result, race(other, did));
  }
  const std::uint32_t* word(const Cell& cell) const {
    const auto* const words =
        reinterpret_cast<const std::uint32_t*>(array->data);
    return words + (&cell - array->cells.data());
  }
  void suspect(const Cell& cell, Stamp writer) {
    here.thread.suspects.push_back(
        {word(cell), *word(cell), race(writer, "wrote"), calls_here()});
  }
  // False: the read of what an atomic wrote is a race in any case.
  bool doubt(const Cell& cell, Stamp writer) const {
    return !is_earlier(writer) &&
           launch.doubts.add_read(
               {block.instance, here.thread.index, word(cell)},
               here.thread.last_access, told(race(writer, "wrote")));
  }
  Detail told(Detail what) const {
    return here.thread.in_kernel(at_line_of(calls_here(), std::move(what)));
  }
  std::string does() const {
    return atomic ? "accesses with an atomic" : writes ? "writes" : "reads";
  }
  void fail(Verdict verdict, Cause cause, std::vector<Argument> arguments) {
    arguments.emplace(arguments.begin(), does());
    fail(verdict, {.cause = cause, .arguments = std::move(arguments)});
  }
  void fail(Verdict verdict, Detail what) {
    here.thread.fail(verdict, at_line_of(calls_here(), std::move(what)));
  }
};

}  // namespace

void check_progress(const InRuntime& here) {
  const Launch& launch = *here.block.launch;
  if (launch.failed)
    here.thread.fail(Verdict::launch_failed, {.cause = Cause::was_stopped});
  if (std::chrono::steady_clock::now() > launch.deadline) {
    here.thread.fail(Verdict::timed_out,
                     at_line_of(calls_here(), {.cause = Cause::endless}));
  }
}

namespace {

// Structures are accessed in words of 16 bytes at the most.
void count(const Allocation& array, const void* address, std::size_t length,
           bool writes, bool atomic, const void* call) {
  InRuntime here;
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
    here.block.counts->add(here.thread.index, site, array,
                           static_cast<const std::byte*>(address) + done);
  }
}

}  // namespace

void check_access(const void* address, std::size_t length, bool writes,
                  bool atomic, const void* from) {
  if (running == nullptr || running->owns(address)) return;
  if (!atomic) running->last_access = from;
  if (!running->suspects.empty()) InRuntime().thread.judge_suspects();
  Block& block = *running->block;
  if ((++block.accesses & 0xfffff) == 0) check_progress(InRuntime());
  Allocation* const array = block.array_of(address);
  // What another thread changes meanwhile is tried again: that is emulation's.
  if (block.counts && from != nullptr && array != nullptr &&
      (writes || !atomic))
    count(*array, address, length, writes, atomic, from);
  // The most frequent case, made short.
  if (!writes && array != nullptr && array->kind == Kind::input &&
      array->device == block.launch->device &&
      array->contains(address, length)) {
    return;
  }
  Check{array, address, length, writes, atomic}.run();
}

void note_swap(const void* address, std::size_t bytes) {
  if (running == nullptr || running->owns(address)) return;
  const InRuntime here;
  Allocation* const array = here.block.array_of(address);
  if (array == nullptr || !array->contains(address, bytes)) return;
  const auto first = array->offset(address) / word_bytes;
  const auto& thread = here.thread;
  for (auto i = first; i < first + bytes / word_bytes; ++i) {
    here.block.launch->doubts.settle(
        {here.block.instance, thread.index,
         reinterpret_cast<const std::uint32_t*>(array->data) + i},
        thread.last_read == address ? thread.last_read_place : nullptr);
    // What it had read is checked.
    for (Stamp& slot : array->cells[i].readers) {
      const Stamp reader = load(slot);
      if (!reader.atomic && reader.instance == here.block.instance &&
          reader.thread == here.thread.index)
        store(slot, {});
    }
  }
}

// What the runtime does for a kernel, checked like the kernel's own accesses.
void checked_copy(void* to, const void* from, std::size_t bytes,
                  const void* place) {
  if (bytes == 0) return;
  check_access(from, bytes, false, false, place);
  check_access(to, bytes, true, false, place);
  // AddressSanitizer's memmove goes byte by byte: for what overlaps alone.
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

// Surrounds an atomic operation. It releases what a fence has ordered
// before it takes effect; afterwards the thread has seen all that
// was released until then.
class AtomicAccess {
 public:
  AtomicAccess(const volatile void* address, std::size_t length, bool writes,
               const void* from) {
    check_access(const_cast<const void*>(address), length, writes, true, from);
    if (running == nullptr || !writes) return;
    if (!running->fence && running->block->fences.empty()) return;
    InRuntime here;
    auto releases = here.block.launch->releases.synchronize();
    if (here.thread.fence) releases->add(*std::exchange(here.thread.fence, {}));
    for (const Clock& fence : here.block.fences)
      releases->add(fence);
    here.block.fences.clear();
  }
  ~AtomicAccess() {
    if (running == nullptr) return;
    InRuntime here;
    here.thread.acquired = here.block.launch->releases->count();
    if (++here.thread.atomics % 64 != 0) return;
    // it may spin on the value, and the others must get their turn
    check_progress(here);
    here.block.suspend();
  }
};

// The data of every report of undefined behaviour begins with
// where it is in the source.
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

// Of assert(): in a kernel it ends that kernel, elsewhere the program,
// as the C library's would.
void __assert_fail(const char* condition, const char* file, unsigned line,
                   const char*) noexcept {
  if (running != nullptr) {
    InRuntime().thread.fail(
        parlab::Verdict::launch_failed,
        at_line(file, line,
                {.cause = Cause::assertion_failed, .arguments = {condition}}));
  }
  warnx("assertion '%s' fails at %s", condition,
        name_place(file, line).c_str());
  std::abort();
}

void __tsan_init() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

// What a kernel copies and clears by calls, under the names that
// scripts/emulate-kernel.sh gives them: clang calls them for each structure.
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

#define ACCESS(bytes, name, writes)                                     \
  void __tsan_##name##bytes(void* p) {                                  \
    check_access(p, bytes, writes, false, __builtin_return_address(0)); \
  }                                                                     \
  void __tsan_unaligned_##name##bytes(void* p) {                        \
    check_access(p, bytes, writes, false, __builtin_return_address(0)); \
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
// What was there is returned by one of the two, which clang calls, and
// left in `old` by the other.
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
    return __atomic_compare_exchange_n(p, old, value, false, __ATOMIC_SEQ_CST, \
                                       __ATOMIC_SEQ_CST);                      \
  }                                                                            \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T old, T value,  \
                                               int, int) {                     \
    __tsan_atomic##bits##_compare_exchange_strong(p, &old, value, 0, 0);       \
    return old;                                                                \
  }                                                                            \
  FETCH(bits, T, add) FETCH(bits, T, sub) FETCH(bits, T, and) FETCH(bits, T, or)
ATOMIC(8, unsigned char)
ATOMIC(16, unsigned short)
ATOMIC(32, unsigned)
ATOMIC(64, unsigned long)

#define UNDEFINED(name, why, ...)                                        \
  void __ubsan_handle_##name(Place* place,                               \
                             [[maybe_unused]] std::intptr_t number) {    \
    undefined(place, {.cause = Cause::why, .arguments = {__VA_ARGS__}}); \
  }
UNDEFINED(out_of_bounds, index_outside, std::int64_t{number})
UNDEFINED(shift_out_of_bounds, shift_too_far)
UNDEFINED(divrem_overflow, division_by_zero)

// GCC's and clang's description of a type, and how a place is used.
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
            {.cause = Cause::misaligned,
             .arguments = {array == nullptr ? "an address" : array->at(at),
                           std::string(use->type->name),
                           std::int64_t{1} << use->log_alignment}});
}

}  // extern "C"
