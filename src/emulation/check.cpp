// The checks of one memory access: is the address the kernel's to use, was the word ever written,
// and is there an order between this access and those of other threads.
#include "core/types.hpp"
#include "emulation/runtime.hpp"

// Linker symbols around the program's own constants and variables.
extern "C" char __executable_start, _end;

namespace parlab::emulation {
namespace {

// A stamp, from the top: 29 bits instance of a block, 24 bits phase, 10 bits thread, 1 bit atomic.
constexpr unsigned phase_limit = 1u << 24;

Stamp stamp_of(std::uint32_t instance, std::uint32_t phase, std::uint32_t thread, bool atomic) {
  return Stamp{instance} << 35 | Stamp{phase} << 11 | Stamp{thread} << 1 | Stamp{atomic};
}
std::uint32_t instance_of(Stamp stamp) { return static_cast<std::uint32_t>(stamp >> 35); }
std::uint32_t phase_of(Stamp stamp) {
  return static_cast<std::uint32_t>(stamp >> 11) % phase_limit;
}
std::uint32_t thread_of(Stamp stamp) {
  return static_cast<std::uint32_t>(stamp >> 1) % max_threads;
}
bool atomic_of(Stamp stamp) { return stamp & 1; }

// Cells of global memory are shared by OS threads.
Stamp load(const Stamp& stamp) { return __atomic_load_n(&stamp, __ATOMIC_RELAXED); }
void store(Stamp& stamp, Stamp value) { __atomic_store_n(&stamp, value, __ATOMIC_RELAXED); }

bool writes(Access access) { return access == Access::write || access == Access::atomic; }
bool atomic(Access access) { return access == Access::atomic || access == Access::atomic_read; }

const char* verb(Access access) {
  switch (access) {
    case Access::read:
      return "reads ";
    case Access::write:
      return "writes ";
    default:
      return "accesses with an atomic ";
  }
}

struct Accessed {
  Thread& thread;
  Worker& worker;
  std::uintptr_t address;
  std::size_t length;
  Access access;
  bool shared;  // shared memory of the block

  std::string where() const {
    return shared ? worker.describe_shared(address)
                  : worker.launch().arena->describe(address, length);
  }
};

bool ordered_between_blocks(const Accessed& a, Stamp before) {
  const Block& block = a.worker.block();
  for (const Acquire& acquire : block.acquires) {
    const bool mine = acquire.thread == a.thread.index || acquire.phase < a.thread.block_phase ||
                      (acquire.thread / warp_size == a.thread.warp() &&
                       acquire.phase < a.thread.seen[acquire.thread % warp_size]);
    if (mine && block.launch->releases.covers(acquire.address, acquire.count, instance_of(before),
                                              thread_of(before), phase_of(before))) {
      return true;
    }
  }
  return false;
}

// Whether that access certainly came before this one.
bool ordered(const Accessed& a, Stamp before, std::uint32_t instance, std::uint32_t base) {
  const auto other = instance_of(before);
  if (other != instance && a.shared) return true;  // another block's, before this one had it
  if (other < base) return true;
  if (other != instance) return ordered_between_blocks(a, before);
  const auto thread = thread_of(before), phase = phase_of(before);
  if (thread == a.thread.index || phase < a.thread.block_phase) return true;
  return thread / warp_size == a.thread.warp() && phase < a.thread.seen[thread % warp_size];
}

[[noreturn]] void report_race(const Accessed& a, Stamp before, bool before_wrote) {
  const Block& block = a.worker.block();
  const Launch& launch = *block.launch;
  const bool same_block = a.shared || instance_of(before) == block.instance;
  const auto other_block = same_block ? block.index : instance_of(before) - block.base;
  a.worker.fail(a.thread, Verdict::wrong_result,
                verb(a.access) + a.where() + ", which " +
                    launch.name_thread(other_block, thread_of(before)) +
                    (before_wrote ? " wrote" : " read") + " with no " +
                    (same_block ? "barrier" : "order") + " between them: possible race");
}

void check_cell(const Accessed& a, Cell& cell, std::uint32_t instance, std::uint32_t base) {
  const Block& block = a.worker.block();
  const Stamp mine = stamp_of(instance, block.phase, a.thread.index, atomic(a.access));
  const Stamp writer = load(cell.writer);
  const bool written = a.shared ? instance_of(writer) == instance : writer != 0;
  if (!written && a.access != Access::write) {
    a.worker.fail(a.thread, Verdict::wrong_result,
                  verb(a.access) + a.where() + ", which nothing has written" +
                      (a.shared ? " in this block" : ""));
  }
  if (written && !(atomic(a.access) && atomic_of(writer)) && !ordered(a, writer, instance, base)) {
    report_race(a, writer, true);
  }
  if (writes(a.access)) {
    for (const Stamp& slot : cell.readers) {
      const Stamp reader = load(slot);
      if (reader != 0 && !(atomic(a.access) && atomic_of(reader)) &&
          !ordered(a, reader, instance, base)) {
        report_race(a, reader, false);
      }
    }
    store(cell.writer, mine);
    return;
  }
  for (Stamp& slot : cell.readers) {
    const Stamp reader = load(slot);
    if (reader == mine) return;
    const bool between_blocks = instance_of(reader) >= base && instance_of(reader) != instance;
    if ((a.shared || !between_blocks) && ordered(a, reader, instance, base)) {
      store(slot, mine);
      return;
    }
  }
}

// Words that an access touches in part (bytes, halves) are not searched for races.
void check_cells(const Accessed& a, Cell* cells, std::size_t offset, std::uint32_t instance,
                 std::uint32_t base) {
  if (a.length < word_bytes) {
    Cell& cell = cells[offset / word_bytes];
    if (a.access == Access::write) {
      store(cell.writer, a.shared ? stamp_of(instance, 0, a.thread.index, true) : written_by_host);
    }
    return;
  }
  for (auto word = offset / word_bytes; word <= (offset + a.length - 1) / word_bytes; ++word) {
    check_cell(a, cells[word], instance, base);
  }
}

void check_global(const Accessed& a) {
  Arena& arena = *a.worker.launch().arena;
  Allocation* const array = arena.owner(a.address);
  if (array == nullptr || !array->contains(a.address, a.length)) {
    a.worker.fail(
        a.thread, Verdict::launch_failed,
        verb(a.access) + std::to_string(a.length) + " bytes, " + arena.describe_outside(a.address));
  }
  if (array->read_only) {
    if (writes(a.access)) {
      a.worker.fail(a.thread, Verdict::wrong_result, verb(a.access) + a.where() + ", an input");
    }
    return;
  }
  const Block& block = a.worker.block();
  check_cells(a, array->cells(), a.address - reinterpret_cast<std::uintptr_t>(array->data),
              block.instance, block.base);
}

void check_shared(const Accessed& a, Cell* cell) {
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(a.worker.dynamic_shared());
  if (a.worker.in_dynamic(a.address) &&
      a.address - first + a.length > a.worker.launch().shared_bytes) {
    a.worker.fail(a.thread, Verdict::launch_failed,
                  verb(a.access) + a.where() + ", past the end of the " +
                      std::to_string(a.worker.launch().shared_bytes) +
                      " bytes of dynamic shared memory of the launch");
  }
  const auto instance = a.worker.block().shared_instance;
  check_cells(a, cell, a.address % word_bytes, instance, instance);
}

// Neither device nor shared memory nor the stack of a thread.
void check_other(const Accessed& a) {
  const Launch& launch = a.worker.launch();
  const auto program = reinterpret_cast<std::uintptr_t>(&__executable_start);
  if (a.address - program < static_cast<std::size_t>(&_end - &__executable_start)) return;
  if (a.address >= launch.arguments_begin && a.address < launch.arguments_end) return;
  const auto what = a.address < 4096 ? "through a null pointer" : "of host memory";
  a.worker.fail(a.thread, Verdict::launch_failed,
                verb(a.access) + std::to_string(a.length) + " bytes " + what);
}

// Every now and then: is the launch still alive, is another block's failure reason to stop.
void check_progress(Thread& thread, Worker& worker) {
  if (worker.launch().failed) worker.fail(thread, Verdict::launch_failed, "was stopped");
  if (std::chrono::steady_clock::now() > worker.launch().deadline) {
    worker.fail(thread, Verdict::timed_out, "still runs after the time limit of emulation");
  }
}

}  // namespace

void check_access(std::uintptr_t address, std::size_t length, Access access) {
  if (current.thread == nullptr || current.worker->on_stack(address)) return;
  InRuntime here;
  Accessed accessed{here.thread, here.worker, address, length, access, false};
  if ((++here.worker.block().accesses & 0xfffff) == 0) check_progress(here.thread, here.worker);
  if (here.worker.launch().arena->contains(address)) {
    check_global(accessed);
  } else if (Cell* const cell = here.worker.shared_cell(address)) {
    accessed.shared = true;
    check_shared(accessed, cell);
  } else {
    check_other(accessed);
  }
}

// An atomic after a fence publishes what came before; noted before it takes effect.
void before_atomic(std::uintptr_t address) {
  if (current.thread == nullptr || current.thread->fence_phase == 0) return;
  InRuntime here;
  const Block& block = here.worker.block();
  if (here.worker.launch().arena->contains(address)) {
    here.worker.launch().releases.release(
        address, {block.instance, here.thread.index, here.thread.fence_phase,
                  here.thread.block_phase, here.thread.seen});
  }
}

// Afterwards this thread has seen all that was published there; and if it spins on the value, the
// others must get their turn.
void after_atomic(std::uintptr_t address) {
  if (current.thread == nullptr) return;
  InRuntime here;
  Block& block = here.worker.block();
  const auto count = here.worker.launch().arena->contains(address)
                         ? here.worker.launch().releases.count(address)
                         : 0;
  if (count > 0) {
    constexpr std::size_t remembered = 4096;
    if (block.acquires.size() == remembered) block.acquires.erase(block.acquires.begin());
    block.acquires.push_back({address, count, here.thread.index, block.phase});
  }
  if (++here.thread.atomics % 64 == 0) {
    check_progress(here.thread, here.worker);
    here.worker.yield(here.thread);
  }
}

}  // namespace parlab::emulation
