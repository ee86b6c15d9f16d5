// Judges an access. May the kernel use the address? Was the word ever written?
// Is there an order between this access and those of other threads?
#include "places/emulation/block.hpp"

// Linker symbols around the program's own constants and variables.
extern "C" const std::byte __executable_start, _end;

namespace parlab::emulation {
namespace {

// One access of the running thread. array: the one that it hits or misses, or
// nullptr.
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
      const bool null = reinterpret_cast<std::uintptr_t>(address) < 4096;
      fail(Verdict::launch_failed,
           null                              ? Cause::null_pointer
           : launch.arena->reserves(address) ? Cause::memory_of_before
                                             : Cause::host_memory,
           length);
    } else if (array->kind != Kind::shared && array->device != launch.device) {
      fail(Verdict::launch_failed,
           array->device == host_memory ? Cause::array_of_host
                                        : Cause::array_of_other_gpu,
           array->at(address), launch.device);
    } else if (array->freed) {
      fail(Verdict::launch_failed, Cause::freed_memory, array->at(address));
    } else if (!array->contains(address, length)) {
      fail(Verdict::launch_failed, array->outside(does(), address, length));
    } else if (array->kind != Kind::input) {
      if (!writes && !atomic) {
        here.thread.last_read = address;
        here.thread.last_read_place = here.thread.last_access;
      }
      check_words(&array->cells[array->offset(address) / word_bytes]);
    } else if (writes) {
      fail(Verdict::wrong_result, Cause::input_written, where());
    }
  }

  // Words that an access touches only in part (bytes, halves) are not checked
  // for races.
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
    if (writes && block.held && block.held->word == word(cell))
      return tell_held();
    if (shared ? writer.instance != block.instance : writer == Stamp{}) {
      const auto cause =
          shared ? Cause::never_written_in_block : Cause::never_written;
      if (atomic) return fail(Verdict::wrong_result, cause, where());
      if (!writes && !hold(cell, because(cause, does(), where()), true)) return;
    } else if (may_race(writer)) {
      if (writer.atomic && !writes && !atomic) {
        if (!doubt(cell, writer)) return report_race(writer, "wrote");
      } else if (atomic || writer.atomic || (!writes && is_earlier(writer))) {
        return report_race(writer, "wrote");
      } else if (!writes) {
        if (!hold(cell, race(writer, "wrote"), false)) return;
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
            told(race(reader, "read")), [&] { return load(slot) == reader; });
        store(slot, {});
      }
      // Atomics on one word form a chain, so a thread ordered after the last
      // one is ordered after all.
      if (writes && atomic && reader.atomic) store(slot, {});
      if (!writes && (reader == mine || comes_before(reader)))
        return store(slot, mine);
    }
    if (writes) store(cell.writer, mine);
  }

  // Whether the other access certainly came before this one.
  bool comes_before(Stamp other) const {
    const auto acquired = here.thread.acquired;
    if (other.instance == block.instance) {
      return here.thread.clock.covers(other) ||
             (acquired != 0 &&
              launch.releases->cover(other, acquired, block.instance));
    }
    // 0: before any launch, or by no thread
    if (shared || other.instance == 0) return true;
    if (is_earlier(other)) {
      return here.thread.is_alone &&
             (launch.streams == nullptr ||
              launch.streams->comes_before(other.instance, launch.stream));
    }
    return launch.releases->cover(other, acquired, block.instance);
  }
  bool is_earlier(Stamp other) const {
    return other.instance < launch.first_instance;
  }
  bool may_race(Stamp other) const {
    return !(atomic && other.atomic) && !comes_before(other);
  }
  Stamp stamp(std::uint32_t phase) const {
    return {.atomic = atomic,
            .thread = here.thread.index,
            .phase = phase,
            .instance = block.instance};
  }

  std::string where() const {
    return array == &block.static_shared ? array->name
                                         : array->element(address, length);
  }
  Detail race(Stamp other, const char* did) const {
    if (is_earlier(other) && !here.thread.is_alone)
      return because(Cause::race_of_launches, does(), where(), did);
    if (is_earlier(other)) {
      return because(Cause::race_of_streams, does(), where(),
                     launch.streams->name_of(other.instance), did);
    }
    const bool in_warp =
        other.thread / warp_size == here.thread.index / warp_size;
    const bool both_write =
        writes && !atomic && !other.atomic && did == std::string_view("wrote");
    return because(
        both_write                         ? Cause::race_of_updates
        : other.instance != block.instance ? Cause::race_of_blocks
        : in_warp                          ? Cause::race_in_warp
                                           : Cause::race_in_block,
        does(), where(),
        launch.name(other.instance - launch.first_instance, other.thread), did);
  }
  void report_race(Stamp other, const char* did) {
    fail(Verdict::wrong_result, race(other, did));
  }
  // The thread goes on with what it read. False if another read is held.
  bool hold(const Cell& cell, Detail what, bool unwritten) {
    if (block.held) return false;
    block.held = {.word = word(cell),
                  .unwritten = unwritten,
                  .what = at_line_of(calls_here(), std::move(what)),
                  .reader = &here.thread};
    return true;
  }
  // This is the next write to the word.
  void tell_held() {
    auto& [read_word, unwritten, what, reader] = *block.held;
    const bool same_thread = reader == &here.thread;
    if (unwritten && !same_thread) {
      what.further.push_back(because(
          Cause::written_later, launch.name(block.index, here.thread.index)));
    } else if (!unwritten && same_thread) {
      what.cause = Cause::race_of_updates;
      what.arguments.front() = "updates";
    }
    block.report_held();
  }
  const std::uint32_t* word(const Cell& cell) const {
    const auto* const words =
        reinterpret_cast<const std::uint32_t*>(array->data);
    return words + (&cell - array->cells.data());
  }
  void suspect(const Cell& cell, Stamp writer) {
    block.look_around_at = 0;
    here.thread.suspects.push_back(
        {word(cell), *word(cell), race(writer, "wrote"), calls_here()});
  }
  // False if reading what an atomic wrote is a race in any case.
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
  template <typename... Arguments>
  void fail(Verdict verdict, Cause cause, Arguments... arguments) {
    fail(verdict, because(cause, does(), arguments...));
  }
  void fail(Verdict verdict, Detail what) {
    here.thread.fail(verdict, at_line_of(calls_here(), std::move(what)));
  }
};

}  // namespace

void judge(const void* address, std::size_t length, bool writes, bool atomic) {
  Block& block = *running->block;
  Allocation* const array = block.array_of(address);
  if (array == nullptr && block.launch->gives(address)) return;
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
    // The swap checks the value that this thread had read. The read goes before
    // doubts about it do: see Doubts::add_atomic().
    for (Stamp& slot : array->cells[i].readers) {
      const Stamp reader = load(slot);
      if (!reader.atomic && reader.instance == here.block.instance &&
          reader.thread == here.thread.index)
        store(slot, {});
    }
    here.block.launch->doubts.settle(
        {here.block.instance, thread.index,
         reinterpret_cast<const std::uint32_t*>(array->data) + i},
        thread.last_read == address ? thread.last_read_place : nullptr);
  }
}

}  // namespace parlab::emulation
