// Runs one block on one OS thread. Its CUDA threads run on fibers, which are
// switched where the threads wait.
#include "places/emulation/block.hpp"

#include <link.h>

#include <boost/context/protected_fixedsize_stack.hpp>
#include <mutex>
#include <utility>

namespace parlab::emulation {

// In assembly, because of the page in front of it: C++ has no name for the
// middle of an array.
static_assert(page_bytes == 4096 && max_shared_bytes == 232448);
asm(R"(
  .section .tbss, "awT", @nobits
  .balign 128
  .zero 4096
  .globl parlab_dynamic_shared
  .type parlab_dynamic_shared, @object
parlab_dynamic_shared:
  .zero 232448 + 4096
  .globl parlab_thread_index, parlab_block_index
  .globl parlab_block_extent, parlab_grid_extent
  .type parlab_thread_index, @object
  .type parlab_block_index, @object
  .type parlab_block_extent, @object
  .type parlab_grid_extent, @object
parlab_thread_index: .zero 12
parlab_block_index: .zero 12
parlab_block_extent: .zero 12
parlab_grid_extent: .zero 12
  .previous
)");

constinit thread_local Thread* running = nullptr;

namespace {

// Not inlined, because a fiber may continue on another OS thread than it began
// on.
__attribute__((noinline)) void set_running(Thread* thread) {
  running = thread;
  if (thread != nullptr) parlab_built_in[0] = thread->place;
}

// Runs one CUDA thread to its end or until it fails; after a failure the
// kernel's stack is not unwound. Not inlined, because a second return from
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
  if (crash.signal == SIGPROF) return thread.fail_of_time(crash.calls);
  const auto below =
      thread.stack - stack_bytes - static_cast<const char*>(crash.address);
  const bool overflow =
      crash.at_address() &&
      std::abs(below) <= static_cast<std::ptrdiff_t>(page_bytes);
  constexpr std::int64_t kilobytes = stack_bytes / 1024;
  thread.fail(Verdict::launch_failed,
              overflow ? at_line_of(crash.calls,
                                    because(Cause::stack_overflow, kilobytes))
                       : crash.detail());
}

uint3 unravel(std::uint64_t index, const dim3& extent) {
  return {static_cast<unsigned>(index % extent.x),
          static_cast<unsigned>(index / extent.x % extent.y),
          static_cast<unsigned>(index / extent.x / extent.y)};
}

// Finds the program's own thread-local variables on this OS thread, which are
// the __shared__ variables of its kernels.
int find_static_shared(dl_phdr_info* program, std::size_t, void* shared_) {
  auto& shared = *static_cast<Allocation*>(shared_);
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    if (program->dlpi_phdr[i].p_type != PT_TLS) continue;
    shared.data = static_cast<std::byte*>(program->dlpi_tls_data);
    shared.bytes = program->dlpi_phdr[i].p_memsz;
    if (shared.cells.empty())
      shared.cells = Cells(shared.bytes / word_bytes + 1);
  }
  return 1;  // the program comes first; the libraries are not needed
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
  if (block->held) return block->report_held();
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
      because(Cause::in_kernel, kernel, launch.name(block->index, index)));
  what.further.push_back(
      because(Cause::emulated_with_seed, std::to_string(launch.seed)));
  return what;
}

void Thread::judge_suspects() {
  for (const auto& [word, before, what, calls] : suspects) {
    if (*word != before) fail(Verdict::wrong_result, at_line_of(calls, what));
  }
  suspects.clear();
}

// ---- fibers

namespace {

using Stack = boost::context::stack_context;

// Stacks that no fiber uses. To map and touch new ones takes longer than many
// blocks.
class FreeStacks {
 public:
  Stack take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return source_.allocate();
    const Stack stack = free_.back();
    free_.pop_back();
    return stack;
  }
  void give(Stack stack) {
    const std::lock_guard lock(mutex_);
    if (free_.size() < 2 * max_threads)
      free_.push_back(stack);
    else
      source_.deallocate(stack);
  }

 private:
  std::mutex mutex_;
  std::vector<Stack> free_;
  boost::context::protected_fixedsize_stack source_{stack_bytes};
};
// Never destroyed: blocks may end later than other static objects.
FreeStacks& free_stacks = *new FreeStacks;

// If the tops of stacks were whole pages apart, they would share a few cache
// lines.
struct Stacks {
  unsigned number;
  std::size_t lower() const { return number % 16 * (page_bytes / 16); }

  Stack allocate() const {
    Stack stack = free_stacks.take();
    stack.sp = static_cast<char*>(stack.sp) - lower();
    stack.size -= lower();
    return stack;
  }
  void deallocate(Stack& stack) const {
    stack.sp = static_cast<char*>(stack.sp) + lower();
    stack.size += lower();
    free_stacks.give(stack);
  }
};

}  // namespace

// own: stores where the fiber that is left can be resumed.
void Block::switch_to(Fiber& to, Fiber& own) {
  left_ = &own;
  Fiber before = std::move(to).resume();
  *left_ = std::move(before);
}

// Starts threads until there are no more; then its fiber is idle.
void Block::run_threads(unsigned number) {
  const auto* const stack =
      static_cast<const char*>(__builtin_frame_address(0));
  while (launch != nullptr) {
    while (begun_ < size_) {
      Thread& thread = *order_[begun_++];
      thread.fiber = number;
      thread.stack = stack;
      if (!failed) {
        run_thread(thread);
        end_thread(thread);
      }
      thread.ended = true;
      ++ended_;
    }
    idle_.push_back(number);
    switch_to(next_fiber(), fibers_[number]);
  }
}

// The fiber of the thread whose turn is next. Threads that have not begun come
// first, each on the fiber of the one before it, then those that no longer
// wait. When the block has failed, waiting threads continue in order, to leave
// the kernel.
Block::Fiber& Block::next_fiber() {
  if (begun_ < size_) {
    turn_ = size_;
    if (!idle_.empty()) {
      const unsigned number = idle_.back();
      idle_.pop_back();
      return fibers_[number];
    }
    const unsigned number = made_++;
    const auto run = [this, number](Fiber&& before) {
      *left_ = std::move(before);
      run_threads(number);
      return std::move(scheduler_);
    };
    return fibers_[number] = Fiber(std::allocator_arg, Stacks{number}, run);
  }
  while (turn_ < size_) {
    const Thread& thread = *order_[turn_++];
    if (!thread.ended && (failed || thread.meeting == nullptr))
      return fibers_[thread.fiber];
  }
  return scheduler_;
}

void Block::suspend(Thread& thread) {
  switch_to(next_fiber(), fibers_[thread.fiber]);
  parlab_built_in[0] = thread.place;
}

Block::~Block() {
  launch = nullptr;
  for (auto& fiber : fibers_) {
    if (fiber) switch_to(fiber, scheduler_);
  }
}

// ---- blocks

void Block::run(Launch& of) {
  launch = &of;
  begin_launch();
  signal_stack_.enter();
  for (auto turn = of.next++; turn < of.blocks.size(); turn = of.next++) {
    index = of.blocks[turn];
    if (!of.failed) run_one();
    ++of.blocks_done;
    of.block_done_at = std::chrono::steady_clock::now();
    if (of.barrier) of.barrier->arrive_and_drop();
  }
  counts.reset();
  signal_stack_.leave();
}

void Block::begin_launch() {
  const auto& [x, y, z] = static_cast<const uint3&>(launch->block);
  size_ = x * y * z;
  for (unsigned i = 0; i < size_; ++i) {
    threads_[i].block = this;
    threads_[i].index = i;
    threads_[i].place = unravel(i, launch->block);
  }
  parlab_built_in[2] = launch->block;
  parlab_built_in[3] = launch->grid;
  dl_iterate_phdr(find_static_shared, &static_shared);
  dynamic_shared.data = parlab_dynamic_shared;
  dynamic_shared.bytes = launch->shared_bytes;
  if (dynamic_shared.cells.empty())
    dynamic_shared.cells = Cells(max_shared_bytes / word_bytes + 1);
  inputs = launch->arena->inputs_of(launch->device);
  if (launch->counts != nullptr) counts.emplace(*launch->counts);
  look_around_at = 0;
}

void Block::run_one() {
  instance = launch->first_instance + index;
  parlab_built_in[1] = unravel(index, launch->grid);
  phase = 1;
  failed = false;
  crash = {};
  grid_barriers_ = 0;
  fences.clear();
  copy_barriers.clear();
  idle_turns_ = 0;
  order_.clear();
  for (unsigned i = 0; i < size_; ++i) {
    threads_[i].begin({.clock = {.instance = instance, .thread = i},
                       .is_alone = !launch->overlaps});
    order_.push_back(&threads_[i]);
  }
  arrange(order_, launch->order, launch->seed + index);
  if (counts) counts->begin(size_);
  begun_ = ended_ = 0;
  while (ended_ < size_) {
    turn_ = 0;
    if (Fiber& first = next_fiber(); &first != &scheduler_)
      switch_to(first, scheduler_);
    if (!failed) settle_all();
    if (!failed && !copy_barriers.empty()) find_endless_wait();
  }
  if (held) report_held();
  if (counts) counts->end();
}

void Block::report_held() {
  const auto read = *std::exchange(held, std::nullopt);
  read.reader->fail(Verdict::wrong_result, read.what);
}

std::uint32_t Block::next_phase(const Thread& thread) {
  if (phase < max_phases - 1) return ++phase;
  thread.fail(Verdict::not_supported, {.cause = Cause::synchronises_too_often});
  return phase;
}

// Lets the threads of complete meetings continue. It is an error if no thread
// can.
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

// An error if all threads ask barriers or wait for each other and many turns
// have changed nothing. One or two such turns may pass between a meeting of
// lanes and the next arrival.
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
               because(Cause::waits_for_ever, barrier.missing, barrier.bytes));
}

// ---- what kernels call; cuda.hpp declares it

int lane_index() {
  return static_cast<int>(running->lane());
}
void* dynamic_shared() {
  return parlab_dynamic_shared;
}

namespace {

// Reads the meeting in place, because copying at once what was just written in
// pieces would stall the processor.
std::uint64_t wait_at(Meeting& meeting) {
  InRuntime here;
  Thread& thread = here.thread;
  Block& block = here.block;
  if (!thread.suspects.empty()) thread.judge_suspects();
  const auto refuse = [&](Verdict verdict, Detail why) {
    why.arguments.emplace(why.arguments.begin(), meeting.operation);
    const auto& site = meeting.site;
    thread.fail(verdict,
                at_line(site.file_name(), site.line(), std::move(why)));
  };
  if ((meeting.mask >> thread.lane() & 1) == 0) {
    refuse(Verdict::wrong_result,
           because(Cause::lane_not_in_mask, thread.lane()));
  } else if (meeting.scope == Scope::grid && !block.launch->barrier) {
    refuse(Verdict::launch_failed, {.cause = Cause::not_cooperative});
  } else if (!block.failed) {
    thread.meeting = &meeting;
    block.suspend(thread);
  }
  if (!meeting.result && !block.failed)
    refuse(Verdict::wrong_result, because(Cause::lane_absent, meeting.source));
  return meeting.result.value_or(0);
}

}  // namespace

std::uint64_t meet(Meeting meeting) {
  return wait_at(meeting);
}
std::uint64_t meet(Scope scope, const char* operation, Site site, unsigned mask,
                   std::uint64_t value, int source) {
  Meeting meeting{scope, operation, site, mask, value, source};
  return wait_at(meeting);
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
  here.block.suspend(here.thread);
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
      at_line(site.file_name(), site.line(),
              because(Cause::tile_misaligned, operation,
                      array ? array->at(matrix) : "an address", pitch_bytes)));
}

void fence(bool within_block) {
  InRuntime here;
  auto& fence = within_block ? here.thread.block_fence : here.thread.fence;
  fence = here.thread.clock;
  fence->own_phase = here.block.next_phase(here.thread);
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

// Makes the copies as a kernel would, so that their accesses are checked.
void wait_copies(unsigned groups_in_flight) {
  make_copies(*running, [&](const Thread::Copy& copy) {
    return copy.group + groups_in_flight < running->copy_group;
  });
}

}  // namespace parlab::emulation
