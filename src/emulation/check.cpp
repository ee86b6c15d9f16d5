// The checks of a kernel's accesses to memory: is the address the kernel's to use, was the word
// ever written, and is there an order between this access and those of other threads.
#include "emulation/block.hpp"

// Linker symbols around the program's own constants and variables.
extern "C" const std::byte __executable_start, _end;

namespace parlab::emulation {
namespace {

std::uint64_t bits(Stamp stamp) { return std::bit_cast<std::uint64_t>(stamp); }

// Cells of global memory are shared by OS threads.
Stamp load(Stamp& stamp) { return std::atomic_ref(stamp).load(std::memory_order_relaxed); }
void store(Stamp& stamp, Stamp value) {
  std::atomic_ref(stamp).store(value, std::memory_order_relaxed);
}

// One access of the thread that runs. array: what it meets or misses, or nullptr.
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
    const auto bytes = [&] { return std::to_string(length) + " bytes"; };
    if (array == nullptr) {
      if (address >= &__executable_start && address < &_end) return;
      // The kernel's arguments: on the host's stack above the launch.
      const auto above = static_cast<const char*>(address) - reinterpret_cast<const char*>(&launch);
      if (static_cast<std::size_t>(above) < 16384) return;
      const bool null = reinterpret_cast<std::uintptr_t>(address) < 4096;
      fail(Verdict::launch_failed, bytes() + (null ? " at a null pointer" : " of host memory"));
    } else if (!array->contains(address, length)) {
      fail(Verdict::launch_failed, bytes() + ", " + array->outside(address));
    } else if (array->kind != Kind::input) {
      check_words(&array->cells[array->offset(address) / word_bytes]);
    } else if (writes) {
      fail(Verdict::wrong_result, where() + ", an input");
    }
  }

  // Words that an access touches in part (bytes, halves) are not searched for races.
  void check_words(Cell* cell) {
    if (length >= word_bytes) {
      const auto words =
          (array->offset(address) % word_bytes + length + word_bytes - 1) / word_bytes;
      for (std::size_t i = 0; i < words && !block.failed; ++i) check_word(cell[i]);
    } else if (writes) {
      store(cell->writer, stamp(0));
    }
  }

  void check_word(Cell& cell) {
    const Stamp writer = load(cell.writer), mine = stamp(block.phase);
    if (shared ? writer.instance != block.instance : bits(writer) == 0) {
      if (!writes || atomic) {
        return fail(Verdict::wrong_result,
                    where() + ", which nothing has written" + (shared ? " in this block" : ""));
      }
    } else if (may_race(writer)) {
      return report_race(writer, " wrote");
    }
    for (Stamp& slot : cell.readers) {
      const Stamp reader = load(slot);
      if (writes && may_race(reader)) return report_race(reader, " read");
      if (!writes && (bits(reader) == bits(mine) || comes_before(reader))) return store(slot, mine);
    }
    if (writes) store(cell.writer, mine);
  }

  // Whether that access certainly came before this one.
  bool comes_before(Stamp other) const {
    const Thread& thread = here.thread;
    if (other.instance == block.instance) {
      return other.thread == thread.index ||
             thread.clock.covers(thread.index, other.thread, other.phase);
    }
    return shared || !launch.has(other.instance) || other.phase < block.grid_phase ||
           launch.published(other, thread.acquired);
  }
  bool may_race(Stamp other) const { return !(atomic && other.atomic) && !comes_before(other); }
  Stamp stamp(std::uint32_t phase) const {
    return {block.instance, phase, here.thread.index, atomic};
  }

  std::string where() const {
    return array == &block.static_shared ? array->name : array->element(address, length);
  }
  void report_race(Stamp other, const char* did) {
    const bool same_block = other.instance == block.instance;
    fail(Verdict::wrong_result,
         where() + ", which " + launch.name(other.instance - launch.first_instance, other.thread) +
             did + " with no " + (same_block ? "barrier" : "order") +
             " between them: possible race");
  }
  void fail(Verdict verdict, const std::string& what) {
    here.fail(verdict, (atomic   ? "accesses with an atomic "
                        : writes ? "writes "
                                 : "reads ") +
                           what);
  }
};

// Every now and then: is the launch still alive?
void check_progress() {
  InRuntime here;
  if (here.block.launch->failed) return here.fail(Verdict::launch_failed, "was stopped");
  if (std::chrono::steady_clock::now() > here.block.launch->deadline) {
    here.fail(Verdict::timed_out, "still runs after the time limit of emulation");
  }
}

}  // namespace

void check_access(const void* address, std::size_t length, bool writes, bool atomic) {
  if (running == nullptr || running->fiber->holds(address)) return;
  Block& block = *running->block;
  if ((++block.accesses & 0xfffff) == 0) check_progress();
  Allocation* const array = block.array_of(address);
  // The most frequent case, made short.
  if (!writes && array != nullptr && array->kind == Kind::input &&
      array->contains(address, length)) {
    return;
  }
  Check{array, address, length, writes, atomic}.run();
}

AtomicAccess::AtomicAccess(const volatile void* address, std::size_t length, bool writes) {
  check_access(const_cast<const void*>(address), length, writes, true);
  if (running == nullptr || !running->fence || !writes) return;
  InRuntime here;
  here.block.launch->publish({here.block.instance, here.thread.index, *here.thread.fence});
  here.thread.fence.reset();
}

AtomicAccess::~AtomicAccess() {
  if (running == nullptr) return;
  running->acquired = running->block->launch->releases;
  if (++running->atomics % 64 != 0) return;
  check_progress();  // it may spin on the value, and the others must get their turn
  InRuntime here;
  here.block.yield(here.thread);
}

}  // namespace parlab::emulation
