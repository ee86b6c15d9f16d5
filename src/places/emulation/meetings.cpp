// Decides where the threads of a block wait for each other, and when they
// continue.
#include <cstring>
#include <utility>

#include "places/emulation/block.hpp"

namespace parlab::emulation {
namespace {

// Copies each lane's value to the lanes that ask for all values. The first such
// lane gets them one by one, the others copy its list.
void tell_of_lanes(const std::vector<Thread*>& here,
                   const std::array<const Meeting*, warp_size>& lanes) {
  std::byte* first = nullptr;
  for (const Thread* thread : here) {
    const Meeting& meeting = *thread->meeting;
    auto* to = static_cast<std::byte*>(meeting.all);
    if (to == nullptr) continue;
    if (first != nullptr) {
      std::memcpy(to, first, warp_size * meeting.bytes);
      continue;
    }
    first = to;
    for (const Meeting* lane : lanes) {
      if (lane != nullptr) std::memcpy(to, lane->mine, meeting.bytes);
      to += meeting.bytes;
    }
  }
}

bool in_warp(const Meeting& meeting) {
  return meeting.scope <= Scope::warp;
}

// Lanes that name each other in a mask may come from different lines; others
// may not.
bool same(const Meeting& a, const Meeting& b) {
  return a.scope == b.scope && a.operation == b.operation && a.mask == b.mask &&
         a.bytes == b.bytes &&
         ((in_warp(a) && !a.whoever_comes) ||
          (a.site.line() == b.site.line() &&
           a.site.column() == b.site.column()));
}

}  // namespace

// Counts a meeting of all lanes of a warp, or of all warps.
void Block::count_meeting(const Meeting& meeting, unsigned first) {
  if (meeting.scope == Scope::warp || meeting.scope == Scope::block) {
    counts->barrier(meeting.site.file_name(), meeting.site.line(),
                    here_.size());
  }
  if (!in_warp(meeting)) return counts->end();
  const auto lanes =
      std::count_if(threads_.begin() + first,
                    threads_.begin() + std::min(first + warp_size, size_),
                    [](const Thread& thread) { return !thread.ended; });
  if (lanes == std::ssize(here_)) counts->meet(first / warp_size);
}

// If all expected threads have arrived, this thread and the others continue.
// Threads that have ended are not waited for, as on devices since Volta. But
// the grid barrier is software, which counts all threads.
void Block::settle(const Thread& thread) {
  const Meeting& meeting = *thread.meeting;
  const unsigned extent = in_warp(meeting)               ? warp_size
                          : meeting.scope == Scope::tile ? meeting.tile
                                                         : size_;
  const unsigned first = thread.index - thread.index % extent;
  const unsigned last = std::min(first + extent, size_);
  auto& here = here_;
  here.clear();
  std::array<const Meeting*, warp_size> lanes{};
  std::uint64_t sum = 0;
  std::unordered_map<int, std::uint64_t> of_tile;
  for (unsigned i = first; i < last; ++i) {
    Thread& other = threads_[i];
    if ((meeting.mask >> other.lane() & 1) == 0 ||
        (other.ended && meeting.scope != Scope::grid))
      continue;
    if (other.meeting == nullptr) return;
    if (!same(*other.meeting, meeting)) {
      if (meeting.whoever_comes) continue;
      return;
    }
    here.push_back(&other);
    lanes[other.lane()] = other.meeting;
    sum += other.meeting->value;
    if (meeting.scope == Scope::tile && meeting.source >= 0)
      of_tile[static_cast<int>(i - first)] = other.meeting->value;
  }
  for (unsigned i = first; meeting.scope >= Scope::tile && i < last; ++i) {
    if (threads_[i].ended && has_passed(threads_[i], meeting))
      return thread.fail(Verdict::launch_failed, divergence(meeting));
  }
  if (counts) count_meeting(meeting, first);
  if (meeting.scope != Scope::lanes) order_by_barrier(here, meeting.scope);
  if (meeting.scope == Scope::grid) wait_for_grid(here);
  tell_of_lanes(here, lanes);
  for (Thread* other : here) {
    Meeting& its = *std::exchange(other->meeting, nullptr);
    if (its.source == -1) {
      its.result = sum;
    } else if (its.scope == Scope::tile) {
      if (of_tile.contains(its.source)) its.result = of_tile[its.source];
    } else if (its.source >= 0 && its.source < 32 &&
               lanes[its.source] != nullptr) {
      its.result = lanes[its.source]->value;
    }
  }
}

// Whether the thread has ended after working behind the barrier. Then it did
// not return before the barrier, but bypassed it.
bool Block::has_passed(const Thread& thread, const Meeting& barrier) {
  if (!thread.ended || thread.last_access == nullptr) return false;
  const auto [known, is_new] = lines_.try_emplace(thread.last_access);
  Line& line = known->second;
  if (is_new) line = line_of(thread.last_access);
  return line.number > barrier.site.line() &&
         line.file == barrier.site.file_name() &&
         line.function == plain_function_name(barrier.site.function_name());
}

// Everything these threads did so far comes before everything they do from now
// on.
void Block::order_by_barrier(const std::vector<Thread*>& threads, Scope scope) {
  share_fences(threads);
  const auto now = next_phase(*threads.front());
  std::size_t acquired = 0;
  std::uint32_t known_from = 0;
  for (const Thread* thread : threads) {
    acquired = std::max(acquired, thread->acquired);
    known_from = std::max(known_from, thread->clock.block_phase);
  }
  for (Thread* thread : threads) {
    thread->acquired = acquired;
    thread->clock.block_phase = known_from;
    (scope == Scope::warp ? thread->clock.warp_phase
                          : thread->clock.block_phase) = now;
  }
}

// Another thread can release, after a barrier, what a thread has fenced before
// it. A barrier of some lanes counts as one of the block, which never gives a
// false alarm.
void Block::share_fences(const std::vector<Thread*>& threads) {
  for (Thread* thread : threads) {
    if (thread->fence) fences.push_back(*std::exchange(thread->fence, {}));
  }
}

// If a block has missed a barrier, the first thread to continue after it sees
// that an arrival is missing.
void Block::wait_for_grid(const std::vector<Thread*>& threads) {
  launch->releases->add(threads.front()->clock);
  ++launch->arrivals;
  launch->barrier->arrive_and_wait();
  if (launch->arrivals < ++grid_barriers_ * launch->blocks.size()) {
    threads.front()->fail(Verdict::launch_failed,
                          {.cause = Cause::grid_barrier_missed});
  }
  for (Thread* thread : threads)
    thread->acquired = launch->releases->count();
}

// Cause::divergent_barrier, with the places where groups of neighbouring
// threads wait.
Detail Block::divergence(const Meeting& barrier) {
  constexpr std::size_t told_at_most = 8;
  const auto state = [&](unsigned i) -> Detail {
    const Meeting* const meeting = threads_[i].meeting;
    if (has_passed(threads_[i], barrier))
      return {.cause = Cause::thread_passed_by};
    if (meeting == nullptr) return {.cause = Cause::thread_ended};
    const auto& site = meeting->site;
    return because(Cause::thread_waits, meeting->operation,
                   name_place(site.file_name(), site.line()));
  };
  Detail all{.cause = Cause::divergent_barrier};
  for (unsigned first = 0, next = 0; first < size_; first = next) {
    if (all.further.size() == told_at_most) {
      all.further.push_back({.cause = Cause::and_so_on});
      break;
    }
    Detail here = state(first);
    while (next < size_ && to_string(state(next)) == to_string(here))
      ++next;
    auto who = (next - first > 1 ? "threads " : "thread ") +
               coordinates(first, launch->block);
    if (next - first > 1) who += " to " + coordinates(next - 1, launch->block);
    here.arguments.emplace(here.arguments.begin(), std::move(who));
    all.further.push_back(std::move(here));
  }
  return all;
}

}  // namespace parlab::emulation
