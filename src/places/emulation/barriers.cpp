// Barriers that count arrivals and the bytes of copies, and copies of boxes and
// bytes: mbarrier, cp.async.mbarrier.arrive, cp.async.bulk.tensor and
// cp.async.bulk of the PTX ISA, as far as gpu/bulk_copies.hpp uses them.
//
// A barrier that completes a phase orders everything its block did before. In
// truth it orders only the threads that arrived; this is simpler and never
// gives a false alarm. The copies of a phase are made when a thread finds the
// phase complete, or when the next phase begins. That is as late as possible,
// so that a thread that does not wait reads the old data or causes a race. A
// box that overwrites data in use is not reported as a race here: either the
// result is wrong, or the readers miss their phase.
#include "places/emulation/block.hpp"

namespace parlab::emulation {
namespace {

template <typename... Arguments>
void refuse(const InRuntime& here, Cause why, Arguments... arguments) {
  here.thread.fail(Verdict::launch_failed, because(why, arguments...));
}

// A failure if the address was never initialised as a barrier.
CopyBarrier& barrier_at(const void* address) {
  const InRuntime here;
  here.thread.judge_suspects();
  auto& barriers = here.block.copy_barriers;
  if (!barriers.contains(address)) refuse(here, Cause::barrier_not_initialised);
  return barriers[address];
}

// The running thread makes the copy, and the accesses count as its own. It
// copies pieces of 16 bytes, because the part outside the array is zero, and a
// swizzle pattern moves whole pieces.
void make_copy(const CopyBarrier::Copy& copy) {
  constexpr std::int64_t piece = 16;
  const Box& box = copy.box;
  const std::uintptr_t pattern =
      static_cast<std::uintptr_t>(box.swizzle) / piece;
  std::byte* to = copy.to;
  for (std::int64_t z = box.at[2]; z < box.at[2] + box.size[2]; ++z) {
    for (std::int64_t y = box.at[1]; y < box.at[1] + box.size[1]; ++y) {
      const bool there =
          z >= 0 && z < box.extent[2] && y >= 0 && y < box.extent[1];
      const std::byte* const row = static_cast<const std::byte*>(box.data) +
                                   z * box.pitch[1] + y * box.pitch[0];
      for (std::int64_t x = box.at[0]; x < box.at[0] + box.size[0];
           x += piece, to += piece) {
        const auto address = reinterpret_cast<std::uintptr_t>(to);
        const std::uintptr_t moved =
            pattern > 0 ? address ^ (address / 128 % pattern * piece) : address;
        auto* const place = reinterpret_cast<std::byte*>(moved);
        const auto bytes = there && x >= 0 ? std::clamp<std::int64_t>(
                                                 box.extent[0] - x, 0, piece)
                                           : 0;
        checked_copy(place, row + x, static_cast<std::size_t>(bytes));
        checked_clear(place + bytes, static_cast<std::size_t>(piece - bytes));
      }
    }
  }
}

// Makes the copies of a phase that all threads have arrived at, and ends it.
void complete(CopyBarrier& barrier) {
  Thread& thread = *running;
  Block& block = *thread.block;
  // The memory that the copies overwrite was used before them.
  {
    const InRuntime here;
    thread.clock.block_phase = block.next_phase(thread);
  }
  const bool is_alone = thread.is_alone;
  for (const auto& copy : barrier.copies) {
    thread.is_alone = copy.is_alone;
    make_copy(copy);
  }
  thread.is_alone = is_alone;
  for (const auto& [of, begun] : barrier.copiers) {
    make_copies(*of, [last = begun](const Thread::Copy& copy) {
      return copy.number < last;
    });
  }
  const InRuntime here;
  barrier.copies.clear();
  barrier.copiers.clear();
  barrier.known_from = block.next_phase(thread);
  barrier.missing = barrier.arrivals;
  ++barrier.completed;
  ++block.barrier_events;
}

bool is_due(const CopyBarrier& barrier) {
  return barrier.missing == 0 && barrier.bytes == 0;
}

bool has_copies(const CopyBarrier& barrier) {
  return !barrier.copies.empty() || !barrier.copiers.empty();
}

// The barrier in its current phase; a phase that is due ends first.
CopyBarrier& begun(const void* address) {
  CopyBarrier& barrier = barrier_at(address);
  // The arriving thread has not waited for the work of the others.
  const auto known_from = running->clock.block_phase;
  if (is_due(barrier)) complete(barrier);
  running->clock.block_phase = known_from;
  return barrier;
}

// copier: the thread whose copies must finish before the arrival, if any.
// Returns the parity of the phase.
unsigned arrive_at(const void* address, std::int64_t announced_bytes,
                   std::optional<CopyBarrier::Copier> copier) {
  CopyBarrier& barrier = begun(address);
  const auto known_from = running->clock.block_phase;
  const unsigned parity = barrier.completed % 2;
  {
    const InRuntime here;
    if (barrier.missing == 0) refuse(here, Cause::barrier_full);
    if (copier) barrier.copiers.push_back(*copier);
  }
  ++running->block->barrier_events;
  --barrier.missing;
  barrier.bytes += announced_bytes;
  // Without copies there is no reason to complete late.
  if (is_due(barrier) && !has_copies(barrier)) complete(barrier);
  running->clock.block_phase = known_from;
  return parity;
}

void add_copy(const InRuntime& here, CopyBarrier& barrier, void* shared,
              const Box& box) {
  ++here.block.barrier_events;
  barrier.bytes -= box.size[0] * box.size[1] * box.size[2];
  barrier.copies.push_back(
      {static_cast<std::byte*>(shared), box, here.thread.is_alone});
}

}  // namespace

void init_barrier(const void* barrier, int arrivals) {
  const InRuntime here;
  const auto before = here.block.copy_barriers.find(barrier);
  if (arrivals < 1) {
    refuse(here, Cause::barrier_of_nobody);
  } else if (before != here.block.copy_barriers.end() &&
             has_copies(before->second)) {
    refuse(here, Cause::barrier_in_use);
  }
  here.block.copy_barriers.insert_or_assign(
      barrier, CopyBarrier{.arrivals = arrivals, .missing = arrivals});
}

unsigned arrive(const void* address, std::int64_t announced_bytes) {
  return arrive_at(address, announced_bytes, {});
}

void delay_by_copies(const void* address) {
  CopyBarrier& barrier = begun(address);
  const InRuntime here;
  barrier.copiers.push_back({&here.thread, here.thread.copies_begun});
}

void drop_from_barrier(const void* address) {
  --barrier_at(address).arrivals;
}

unsigned arrive_after_copies(const void* address) {
  return arrive_at(address, 0,
                   CopyBarrier::Copier{running, running->copies_begun});
}

bool has_completed(const void* address, unsigned parity) {
  CopyBarrier& barrier = barrier_at(address);
  if (is_due(barrier)) complete(barrier);
  if (barrier.completed % 2 == parity) {
    const InRuntime here;
    check_progress(here);
    if (here.block.failed) return false;
    here.thread.asked = address;
    here.block.suspend(here.thread);
    here.thread.asked = nullptr;
    return false;
  }
  Clock& clock = running->clock;
  clock.block_phase = std::max(clock.block_phase, barrier.known_from);
  return true;
}

void copy_box(void* shared, const Box& box, const void* address) {
  CopyBarrier& barrier = barrier_at(address);
  const InRuntime here;
  if (box.size[0] % 16 != 0)
    return refuse(here, Cause::box_with_odd_rows, box.size[0]);
  if (box.at[0] % 16 != 0)
    return refuse(here, Cause::box_begins_oddly, box.at[0]);
  if (reinterpret_cast<std::uintptr_t>(shared) % 128 != 0)
    return refuse(here, Cause::box_to_odd_address);
  add_copy(here, barrier, shared, box);
}

void copy_bytes(void* shared, const void* from, std::int64_t bytes,
                const void* address) {
  CopyBarrier& barrier = barrier_at(address);
  const InRuntime here;
  if (bytes % 16 != 0 || reinterpret_cast<std::uintptr_t>(shared) % 16 != 0 ||
      reinterpret_cast<std::uintptr_t>(from) % 16 != 0) {
    return refuse(here, Cause::odd_bulk_copy, bytes);
  }
  add_copy(here, barrier, shared,
           {.data = from,
            .extent = {bytes, 1, 1},
            .pitch = {},
            .size = {bytes, 1, 1},
            .at = {},
            .swizzle = 0});
}

void lacks(const char* what) {
  const InRuntime here;
  here.thread.fail(Verdict::not_supported, because(Cause::not_emulated, what));
}

}  // namespace parlab::emulation
