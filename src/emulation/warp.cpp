// The built-in variables, barriers and warp operations of the kernels: cuda.hpp declares them.
#include <algorithm>
#include <bit>
#include <cstdio>

#include "core/types.hpp"
#include "emulation/runtime.hpp"

namespace parlab::emulation {
namespace {

uint3 extent(const dim3& d) { return {d.x, d.y, d.z}; }

// The lane whose value this one gets, in or out of the warp; its own at the end of a segment.
int source_lane(const Thread& thread) {
  const int lane = static_cast<int>(thread.lane());
  const int first = lane / thread.width * thread.width, last = first + thread.width - 1;
  switch (thread.op) {
    case WarpOp::shuffle:
      return first + (thread.argument & (thread.width - 1));
    case WarpOp::shuffle_up:
      return lane - thread.argument < first ? lane : lane - thread.argument;
    case WarpOp::shuffle_down:
      return lane + thread.argument > last ? lane : lane + thread.argument;
    default:
      return (lane ^ thread.argument) > last ? lane : lane ^ thread.argument;
  }
}

bool is_shuffle(WarpOp op) { return op >= WarpOp::shuffle && op <= WarpOp::shuffle_xor; }

std::uint64_t combine(WarpOp op, std::uint64_t a, std::uint64_t b) {
  const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
  const auto signed_x = static_cast<std::int32_t>(x), signed_y = static_cast<std::int32_t>(y);
  switch (op) {
    case WarpOp::add:
      return x + y;
    case WarpOp::min:
      return std::min(x, y);
    case WarpOp::max:
      return std::max(x, y);
    case WarpOp::min_signed:
      return static_cast<std::uint32_t>(std::min(signed_x, signed_y));
    case WarpOp::max_signed:
      return static_cast<std::uint32_t>(std::max(signed_x, signed_y));
    case WarpOp::bit_and:
      return x & y;
    case WarpOp::bit_or:
      return x | y;
    default:
      return x ^ y;
  }
}

// What one lane gets. present: the lanes that take part.
std::uint64_t result_of(Thread& thread, const Thread* lanes, unsigned present) {
  if (is_shuffle(thread.op)) {
    const unsigned source = static_cast<unsigned>(source_lane(thread));
    thread.bad_source = source >= warp_size || (present >> source & 1) == 0;
    return thread.bad_source ? 0 : lanes[source].value;
  }
  std::uint64_t mask = 0, combined = 0;
  bool first = true;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if ((present >> lane & 1) == 0) continue;
    const auto value = lanes[lane].value;
    const bool counts = thread.op == WarpOp::ballot ? value != 0 : value == thread.value;
    mask |= std::uint64_t{counts} << lane;
    combined = first ? value : combine(thread.op, combined, value);
    first = false;
  }
  return thread.op == WarpOp::ballot || thread.op == WarpOp::match_any ? mask : combined;
}

std::string hexadecimal(unsigned value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

}  // namespace

uint3 thread_index() { return current.thread == nullptr ? uint3{} : current.thread->position; }
uint3 block_index() {
  return current.thread == nullptr ? uint3{} : current.worker->block().position;
}
uint3 block_extent() {
  return current.thread == nullptr ? uint3{} : extent(current.worker->launch().block);
}
uint3 grid_extent() {
  return current.thread == nullptr ? uint3{} : extent(current.worker->launch().grid);
}
unsigned lane_index() { return current.thread == nullptr ? 0 : current.thread->lane(); }
void* dynamic_shared() {
  return current.thread == nullptr ? nullptr : current.worker->dynamic_shared();
}

const char* name_of(WarpOp op) {
  constexpr const char* names[] = {"__syncwarp",        "__shfl_sync",       "__shfl_up_sync",
                                   "__shfl_down_sync",  "__shfl_xor_sync",   "__ballot_sync",
                                   "__match_any_sync",  "__reduce_add_sync", "__reduce_min_sync",
                                   "__reduce_max_sync", "__reduce_min_sync", "__reduce_max_sync",
                                   "__reduce_and_sync", "__reduce_or_sync",  "__reduce_xor_sync"};
  return names[static_cast<int>(op)];
}

int block_barrier(Vote vote, int predicate, const Site& site) {
  if (current.thread == nullptr) return 0;
  InRuntime here;
  here.thread.wait = Wait::block;
  here.thread.vote = vote;
  here.thread.argument = predicate;
  here.thread.site = site;
  here.worker.suspend(here.thread);
  return here.thread.argument;
}

void grid_barrier(const Site& site) {
  if (current.thread == nullptr) return;
  InRuntime here;
  if (!here.worker.launch().cooperative) {
    here.worker.fail(here.thread, Verdict::launch_failed,
                     "grid barrier at " + name_site(site) + " in a launch that is not cooperative");
  }
  here.thread.wait = Wait::grid;
  here.thread.vote = Vote::none;
  here.thread.site = site;
  here.worker.suspend(here.thread);
}

void fence() {
  if (current.thread == nullptr) return;
  InRuntime here;
  here.thread.fence_phase = here.worker.next_phase();
}

unsigned active_mask(const Site& site) {
  if (current.thread == nullptr) return 0;
  InRuntime here;
  here.thread.wait = Wait::active;
  here.thread.site = site;
  here.worker.suspend(here.thread);
  return static_cast<unsigned>(here.thread.value);
}

std::uint64_t warp(WarpOp op, unsigned mask, std::uint64_t value, int argument, int width,
                   const Site& site) {
  if (current.thread == nullptr) return 0;
  InRuntime here;
  Thread& thread = here.thread;
  if ((mask >> thread.lane() & 1) == 0) {
    here.worker.fail(thread, Verdict::wrong_result,
                     std::string(name_of(op)) + " at " + name_site(site) + ": its mask " +
                         hexadecimal(mask) + " does not name the calling lane " +
                         std::to_string(thread.lane()));
  }
  if (width < 1 || width > 32 || !std::has_single_bit(static_cast<unsigned>(width))) {
    here.worker.fail(thread, Verdict::wrong_result,
                     std::string(name_of(op)) + " at " + name_site(site) + ": width " +
                         std::to_string(width) + " is not 1, 2, 4, 8, 16 or 32");
  }
  thread.wait = Wait::warp;
  thread.op = op;
  thread.mask = mask;
  thread.value = value;
  thread.argument = argument;
  thread.width = width;
  thread.site = site;
  thread.bad_source = false;
  if (!here.worker.complete_warp(thread)) here.worker.suspend(thread);
  if (thread.bad_source) {
    here.worker.fail(thread, Verdict::wrong_result,
                     std::string(name_of(op)) + " at " + name_site(site) + " reads lane " +
                         std::to_string(source_lane(thread)) + ", which does not take part (mask " +
                         hexadecimal(mask) + ")");
  }
  return thread.value;
}

bool Worker::complete_warp(Thread& last) {
  const unsigned first = last.warp() * warp_size;
  unsigned present = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if ((last.mask >> lane & 1) == 0) continue;
    // Lanes that have ended, or never were, need not come.
    if (first + lane >= block_.threads || threads_[first + lane].exited) continue;
    const Thread& thread = threads_[first + lane];
    if (!thread.started || thread.wait != Wait::warp || thread.op != last.op ||
        thread.mask != last.mask) {
      return false;
    }
    present |= 1u << lane;
  }
  // All results are computed before any value is replaced.
  std::array<std::uint64_t, warp_size> results{};
  std::array<std::uint32_t, warp_size> seen{};
  const auto phase = last.op == WarpOp::sync ? next_phase() : 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if ((present >> lane & 1) == 0) continue;
    Thread& thread = threads_[first + lane];
    results[lane] = result_of(thread, &threads_[first], present);
    for (unsigned i = 0; i < warp_size; ++i) seen[i] = std::max(seen[i], thread.seen[i]);
  }
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if ((present >> lane & 1) != 0) seen[lane] = phase;
  }
  for (unsigned i = 0; i < warp_size; ++i) {
    const unsigned lane = launch().order == Order::descending ? warp_size - 1 - i : i;
    if ((present >> lane & 1) == 0) continue;
    Thread& thread = threads_[first + lane];
    thread.value = results[lane];
    thread.wait = Wait::none;
    if (last.op == WarpOp::sync) thread.seen = seen;
    if (&thread != &last) ready_.push_back(&thread);
  }
  return true;
}

void copy_async(void* to, const void* from, std::size_t bytes, std::size_t zero_bytes) {
  if (current.thread == nullptr) return;
  InRuntime here;
  auto& groups = here.thread.copies;
  if (groups.empty()) groups.emplace_back();
  groups.back().push_back({to, from, bytes - zero_bytes, zero_bytes});
}

void commit_copies() {
  if (current.thread == nullptr) return;
  InRuntime here;
  if (here.thread.copies.empty()) here.thread.copies.emplace_back();
  here.thread.copies.emplace_back();
}

void wait_copies(int groups_in_flight) {
  Thread* const thread = current.thread;
  if (thread == nullptr) return;
  auto& groups = thread->copies;
  const auto kept = static_cast<std::size_t>(groups_in_flight) + 1;  // and the open one
  std::size_t done = 0;
  for (; groups.size() - done > kept; ++done) {
    for (const auto& copy : groups[done]) {
      const auto to = reinterpret_cast<std::uintptr_t>(copy.to);
      const auto from = reinterpret_cast<std::uintptr_t>(copy.from);
      if (copy.bytes > 0) check_access(from, copy.bytes, Access::read);
      check_access(to, copy.bytes + copy.zero_bytes, Access::write);
      __builtin_memcpy(copy.to, copy.from, copy.bytes);
      __builtin_memset(static_cast<char*>(copy.to) + copy.bytes, 0, copy.zero_bytes);
    }
  }
  InRuntime here;
  groups.erase(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(done));
}

}  // namespace parlab::emulation

long long clock64() { return static_cast<long long>(__builtin_ia32_rdtsc()); }
