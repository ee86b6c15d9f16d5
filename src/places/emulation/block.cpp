// One block on one OS thread: its CUDA threads are fibers,
// switched where they wait.
#include "places/emulation/block.hpp"

#include <link.h>

#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstring>
#include <utility>

namespace parlab::emulation {

// In assembly for the sake of the page before it: C++ has no name for
// the middle of an array.
static_assert(page_bytes == 4096 && max_shared_bytes == 232448);
asm(R"(
  .section .tbss, "awT", @nobits
  .balign 128
  .zero 4096
  .globl parlab_dynamic_shared
  .type parlab_dynamic_shared, @object
parlab_dynamic_shared:
  .zero 232448 + 4096
  .previous
)");

constinit thread_local Thread* running = nullptr;

namespace {

// Not inlined: a fiber may go on in another OS thread than the one it began in.
__attribute__((noinline)) void set_running(Thread* thread) {
  running = thread;
}

// Runs one CUDA thread to its end, or until it fails; then nothing
// of the kernel is unwound. Not inlined: a second return from
// setjmp finds no variables.
__attribute__((noinline)) void run_thread(Thread& thread) {
  set_running(&thread);
  if (__builtin_setjmp(thread.way_out) == 0) thread.block->launch->thread();
  set_running(nullptr);
}

void end_thread(Thread& thread) {
  if (thread.block->failed) return;
  thread.judge_suspects();
  const Crash& crash = thread.block->crash;
  if (crash.signal == 0) {
    if (!thread.is_alone) {
      thread.fail(Verdict::wrong_result,
                  {.cause = Cause::never_waits_for_launch});
    }
    return;
  }
  const auto below =
      thread.stack - stack_bytes - static_cast<const char*>(crash.address);
  const bool overflow =
      crash.at_address() &&
      std::abs(below) <= static_cast<std::ptrdiff_t>(page_bytes);
  constexpr std::int64_t kilobytes = stack_bytes / 1024;
  thread.fail(Verdict::launch_failed,
              overflow
                  ? at_line_of(crash.calls, {.cause = Cause::stack_overflow,
                                             .arguments = {kilobytes}})
                  : crash.detail());
}

uint3 unravel(std::uint64_t index, const dim3& extent) {
  return {static_cast<unsigned>(index % extent.x),
          static_cast<unsigned>(index / extent.x % extent.y),
          static_cast<unsigned>(index / extent.x / extent.y)};
}

// The variables of this OS thread that belong to the program itself:
// its kernels' __shared__.
int find_static_shared(dl_phdr_info* program, std::size_t, void* shared_) {
  auto& shared = *static_cast<Allocation*>(shared_);
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    if (program->dlpi_phdr[i].p_type != PT_TLS) continue;
    shared.data = static_cast<std::byte*>(program->dlpi_tls_data);
    shared.bytes = program->dlpi_phdr[i].p_memsz;
    shared.cells.resize(shared.bytes / word_bytes + 1);
  }
  return 1;  // the program comes first; nothing else is wanted
}

}  // namespace

std::string coordinates(std::uint64_t index, const dim3& extent) {
  const auto [x, y, z] = unravel(index, extent);
  return '(' + std::to_string(x) + ',' + std::to_string(y) +
         (extent.z > 1 ? ',' + std::to_string(z) : "") + ')';
}

std::string Launch::name(std::uint64_t block_index,
                         unsigned thread_index) const {
  return "block " + coordinates(block_index, grid) + ", thread " +
         coordinates(thread_index, block);
}

void Thread::fail(Verdict verdict, Detail what) const {
  Launch& launch = *block->launch;
  auto failure = launch.failure.synchronize();
  if (!*failure) failure->emplace(verdict, in_kernel(std::move(what)));
  launch.failed = block->failed = true;
}

Detail Thread::in_kernel(Detail what) const {
  const Launch& launch = *block->launch;
  const auto kernel =
      launch.kernel == nullptr ? "copy or clear" : name_function(launch.kernel);
  what.further.push_back(
      {.cause = Cause::in_kernel,
       .arguments = {kernel, launch.name(block->index, index)}});
  what.further.push_back({.cause = Cause::emulated_with_seed,
                          .arguments = {std::to_string(launch.seed)}});
  return what;
}

void Thread::judge_suspects() {
  for (const auto& [word, before, what, calls] : suspects) {
    if (*word != before) fail(Verdict::wrong_result, at_line_of(calls, what));
  }
  suspects.clear();
}

// ---- fibers

// Gives a thread its turn. The fiber made at the first one serves the threads
// of this index in all blocks to come, and ends with the Block.
void Block::resume(Thread& thread) {
  using boost::context::fiber;
  fiber& own = fibers_[thread.index];
  if (!own) {
    own = fiber(std::allocator_arg,
                boost::context::protected_fixedsize_stack(stack_bytes),
                [this, &thread](fiber&& scheduler) {
                  scheduler_ = std::move(scheduler);
                  for (; launch != nullptr; suspend()) {
                    thread.stack =
                        static_cast<const char*>(__builtin_frame_address(0));
                    if (!failed) {
                      run_thread(thread);
                      end_thread(thread);
                    }
                    thread.ended = true;
                  }
                  return std::move(scheduler_);
                });
  }
  own = std::move(own).resume();
}

Block::~Block() {
  launch = nullptr;
  for (auto& fiber : fibers_) {
    if (fiber) fiber = std::move(fiber).resume();
  }
}

// ---- blocks

void Block::run(Launch& of) {
  launch = &of;
  size_ = of.block.x * of.block.y * of.block.z;
  dl_iterate_phdr(find_static_shared, &static_shared);
  dynamic_shared.data = parlab_dynamic_shared;
  dynamic_shared.bytes = of.shared_bytes;
  dynamic_shared.cells.resize(max_shared_bytes / word_bytes + 1);
  signal_stack_.enter();
  if (of.counts != nullptr) counts.emplace(*of.counts);
  look_around_at = 0;
  for (auto turn = of.next++; turn < of.blocks.size(); turn = of.next++) {
    index = of.blocks[turn];
    if (!of.failed) run_one();
    if (of.barrier) of.barrier->arrive_and_drop();
  }
  counts.reset();
  signal_stack_.leave();
}

void Block::run_one() {
  instance = launch->first_instance + index;
  phase = 1;
  failed = false;
  crash = {};
  grid_barriers_ = 0;
  fences.clear();
  copy_barriers.clear();
  idle_turns_ = 0;
  order_.clear();
  for (unsigned i = 0; i < size_; ++i) {
    threads_[i] = {
        .block = this,
        .index = i,
        .is_alone = !launch->overlaps,
        .clock = {.instance = instance, .thread = i},
        .built_in = {unravel(i, launch->block), unravel(index, launch->grid),
                     launch->block, launch->grid}};
    order_.push_back(&threads_[i]);
  }
  arrange(order_, launch->order, launch->seed + index);
  if (counts) counts->begin(size_);
  // When the block has failed, those that wait go on in
  // order to leave the kernel.
  const auto ended = [](const Thread* thread) { return thread->ended; };
  while (!std::all_of(order_.begin(), order_.end(), ended)) {
    for (Thread* thread : order_) {
      if (!thread->ended && (failed || thread->meeting == nullptr))
        resume(*thread);
    }
    if (!failed) settle_all();
    if (!failed && !copy_barriers.empty()) find_endless_wait();
  }
  if (counts) counts->end();
}

std::uint32_t Block::next_phase(const Thread& thread) {
  if (phase < max_phases - 1) return ++phase;
  thread.fail(Verdict::not_supported, {.cause = Cause::synchronises_too_often});
  return phase;
}

// Lets those go on whose meeting is complete. It is an error when nobody can.
void Block::settle_all() {
  const Thread* waiting = nullptr;
  bool any = false;
  for (unsigned i = size_; i-- > 0;) {
    if (threads_[i].meeting != nullptr) settle(threads_[i]);
    if (threads_[i].meeting != nullptr) waiting = &threads_[i];
    any |= !threads_[i].ended && threads_[i].meeting == nullptr;
  }
  if (waiting != nullptr && !any)
    waiting->fail(Verdict::launch_failed, divergence(*waiting->meeting));
}

// All ask barriers or wait for each other, and many turns have changed nothing:
// one or two may pass between a meeting of lanes and the next arrival.
void Block::find_endless_wait() {
  const std::uint64_t done = accesses + barrier_events;
  const Thread* asking = nullptr;
  bool all = done == done_before_;
  done_before_ = done;
  for (unsigned i = size_; i-- > 0;) {
    const Thread& thread = threads_[i];
    if (thread.asked != nullptr) asking = &thread;
    all = all && (thread.ended || thread.asked != nullptr ||
                  thread.meeting != nullptr);
  }
  idle_turns_ = all && asking != nullptr ? idle_turns_ + 1 : 0;
  if (idle_turns_ < 64) return;
  const CopyBarrier& barrier = copy_barriers.at(asking->asked);
  asking->fail(Verdict::launch_failed,
               {.cause = Cause::waits_for_ever,
                .arguments = {std::int64_t{barrier.missing}, barrier.bytes}});
}

// ---- what kernels call; cuda.hpp declares it

uint3 built_in(BuiltIn which) {
  return running->built_in[static_cast<std::size_t>(which)];
}
int lane_index() {
  return static_cast<int>(running->lane());
}
void* dynamic_shared() {
  return parlab_dynamic_shared;
}

std::uint64_t meet(Meeting meeting) {
  InRuntime here;
  Thread& thread = here.thread;
  Block& block = here.block;
  thread.judge_suspects();
  const auto refuse = [&](Verdict verdict, Detail why) {
    why.arguments.emplace(why.arguments.begin(), meeting.operation);
    const auto& site = meeting.site;
    thread.fail(verdict,
                at_line(site.file_name(), site.line(), std::move(why)));
  };
  if ((meeting.mask >> thread.lane() & 1) == 0) {
    refuse(Verdict::wrong_result, {.cause = Cause::lane_not_in_mask,
                                   .arguments = {std::int64_t{thread.lane()}}});
  } else if (meeting.scope == Scope::grid && !block.launch->barrier) {
    refuse(Verdict::launch_failed, {.cause = Cause::not_cooperative});
  } else if (!block.failed) {
    thread.meeting = &meeting;
    block.suspend();
  }
  if (!meeting.result && !block.failed) {
    refuse(Verdict::wrong_result,
           {.cause = Cause::lane_absent,
            .arguments = {std::int64_t{meeting.source}}});
  }
  return meeting.result.value_or(0);
}

void tell_all_lanes(const void* mine, std::size_t bytes, void* all,
                    const Site& site) {
  meet({.scope = Scope::lanes,
        .operation = "all_lanes",
        .site = site,
        .mine = mine,
        .bytes = bytes,
        .all = all});
}

void pause() {
  InRuntime here;
  here.thread.judge_suspects();
  here.block.suspend();
}

void wait_for_launch_before() {
  running->is_alone = true;
}

void trap(const Site& site) {
  InRuntime().thread.fail(
      Verdict::launch_failed,
      at_line(site.file_name(), site.line(), {.cause = Cause::trapped}));
}

void require_tile(const void* matrix, std::size_t pitch_bytes,
                  const char* operation, const Site& site) {
  InRuntime here;
  if (reinterpret_cast<std::uintptr_t>(matrix) % 32 == 0 &&
      pitch_bytes % 16 == 0)
    return;
  const Allocation* const array = here.block.array_of(matrix);
  here.thread.fail(
      Verdict::wrong_result,
      at_line(
          site.file_name(), site.line(),
          {.cause = Cause::tile_misaligned,
           .arguments = {operation, array ? array->at(matrix) : "an address",
                         static_cast<std::int64_t>(pitch_bytes)}}));
}

void fence() {
  InRuntime here;
  here.thread.fence = here.thread.clock;
  here.thread.fence->own_phase = here.block.next_phase(here.thread);
}

void copy_async(void* to, const void* from, std::size_t bytes,
                std::size_t zero_bytes) {
  const void* const place = __builtin_return_address(0);
  InRuntime here;
  here.thread.copies.push_back(
      {here.thread.copy_group, here.thread.copies_begun++, to, from,
       bytes - zero_bytes, zero_bytes, here.thread.is_alone, place});
}

void commit_copies() {
  ++running->copy_group;
}

// As a kernel would do it: its accesses are checked.
void wait_copies(unsigned groups_in_flight) {
  make_copies(*running, [&](const Thread::Copy& copy) {
    return copy.group + groups_in_flight < running->copy_group;
  });
}

}  // namespace parlab::emulation
