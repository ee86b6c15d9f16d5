// One block on one OS thread: its CUDA threads are fibers, switched where they wait.
#include <link.h>

#include <algorithm>
#include <memory>
#include <new>
#include <random>
#include <utility>

#include "core/types.hpp"
#include "emulation/runtime.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace parlab::emulation {

thread_local Current current;

namespace {

constexpr std::size_t stack_bytes = 256 * 1024;
constexpr std::size_t guard_bytes = 4096;

// Stacks belong to the Worker.
struct BorrowedStack {
  void deallocate(boost::context::stack_context&) {}
};

// The variables of this OS thread that belong to the program itself: its kernels' __shared__.
struct ThreadVariables {
  std::uintptr_t first = 0;
  std::size_t bytes = 0;
};

int find_thread_variables(dl_phdr_info* info, std::size_t, void* result) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_TLS || info->dlpi_tls_data == nullptr) continue;
    *static_cast<ThreadVariables*>(result) = {reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data),
                                              info->dlpi_phdr[i].p_memsz};
  }
  return 1;  // the program comes first; nothing else is wanted
}

// "(0,0) to (15,0), (20,0)": threads of a block, neighbours joined, at most a few pieces.
std::string list_threads(const Launch& launch, const std::vector<unsigned>& threads) {
  const auto position = [&](unsigned index) {
    const auto text = launch.name_thread(0, index);
    return text.substr(text.rfind('('));
  };
  std::string text;
  int pieces = 0;
  for (std::size_t i = 0; i < threads.size() && pieces < 4; ++pieces) {
    std::size_t last = i;
    while (last + 1 < threads.size() && threads[last + 1] == threads[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + position(threads[i]);
    if (last > i) text += " to " + position(threads[last]);
    i = last + 1;
    if (pieces == 3 && i < threads.size()) text += ", ...";
  }
  return (threads.size() == 1 ? "thread " : "threads ") + text;
}

}  // namespace

Worker::Worker()
    : stacks_(max_threads * stack_bytes),
      dynamic_(2 * max_shared_bytes),
      dynamic_shadow_(dynamic_.size() / word_bytes * sizeof(Cell)) {}

void Worker::run(Launch& launch) {
  ThreadVariables variables;
  dl_iterate_phdr(find_thread_variables, &variables);
  static_first_ = variables.first / word_bytes * word_bytes;
  static_bytes_ = variables.bytes + word_bytes;
  static_shadow_ = Pages((static_bytes_ / word_bytes + 2) * sizeof(Cell));

  block_ = {};
  block_.launch = &launch;
  block_.threads = launch.block.x * launch.block.y * launch.block.z;
  order_.resize(block_.threads);
  for (unsigned i = 0; i < block_.threads; ++i) order_[i] = i;
  if (launch.order == Order::descending) std::reverse(order_.begin(), order_.end());
  fibers_.clear();
  idle_.clear();
  while (!launch.failed) {
    const auto turn = launch.next_block.fetch_add(1);
    if (turn >= launch.blocks) break;
    run_block(launch.block_order[turn]);
    if (launch.cooperative) {
      launch.barrier.leave();
      break;  // the other blocks have OS threads of their own
    }
  }
}

void Worker::run_block(std::uint64_t index) {
  Launch& launch = *block_.launch;
  block_.index = index;
  block_.position = launch.block_position(index);
  block_.base = launch.base;
  block_.instance = block_.shared_instance = launch.base + static_cast<std::uint32_t>(index);
  block_.phase = 1;
  block_.started = block_.exited = 0;
  block_.acquires.clear();
  for (unsigned i = 0; i < block_.threads; ++i) threads_[i].started = threads_[i].exited = false;
  if (launch.order == Order::shuffled) {
    std::shuffle(order_.begin(), order_.end(), std::mt19937_64(launch.seed + index));
  }
  while (block_.exited < block_.threads && !block_.failed) {
    if (block_.started < block_.threads) {
      resume(idle_fiber());
    } else if (!ready_.empty()) {
      Thread& thread = *ready_.front();
      ready_.pop_front();
      resume(*thread.fiber);
    } else {
      settle();
    }
  }
  ready_.clear();
}

Fiber& Worker::idle_fiber() {
  if (!idle_.empty()) {
    Fiber& fiber = *idle_.back();
    idle_.pop_back();
    return fiber;
  }
  const auto number = fibers_.size();
  Fiber& fiber = fibers_.emplace_back(number);
  std::byte* const bottom = stacks_.data() + number * stack_bytes;
  stacks_.set_accessible(number * stack_bytes, guard_bytes, false);
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(bottom + guard_bytes, stack_bytes - guard_bytes);
#endif
  boost::context::stack_context stack;
  stack.size = stack_bytes - guard_bytes;
  stack.sp = bottom + stack_bytes;
  new (&fiber.context) boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack),
      BorrowedStack{}, [this, &fiber](boost::context::fiber&& scheduler) {
        scheduler_ = std::move(scheduler);
#ifdef __SANITIZE_ADDRESS__
        __sanitizer_finish_switch_fiber(nullptr, &scheduler_stack_, &scheduler_stack_bytes_);
#endif
        run_threads(fiber);
        return std::move(scheduler_);
      });
  return fiber;
}

// A fiber runs threads one after another as long as none of them waits; a kernel without barriers
// needs a single one. It never ends: its stack is dropped with the Worker.
void Worker::run_threads(Fiber& fiber) {
  for (;;) {
    while (block_.started < block_.threads) {
      Thread& thread = threads_[order_[block_.started++]];
      const auto& extent = block_.launch->block;
      thread.index = static_cast<unsigned>(&thread - threads_.data());
      thread.position = {thread.index % extent.x, thread.index / extent.x % extent.y,
                         thread.index / extent.x / extent.y};
      thread.started = true;
      thread.wait = Wait::none;
      thread.block_phase = 1;
      thread.fence_phase = thread.atomics = 0;
      thread.seen.fill(0);
      thread.copies.clear();
      thread.fiber = &fiber;
      current = {&thread, this};
      block_.launch->thread();
      current = {};
      thread.exited = true;
      ++block_.exited;
    }
    idle_.push_back(&fiber);
    leave(fiber);
  }
}

void Worker::resume(Fiber& fiber) {
#ifdef __SANITIZE_ADDRESS__
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, stacks_.data() + fiber.stack * stack_bytes + guard_bytes,
                                 stack_bytes - guard_bytes);
#endif
  fiber.context = std::move(fiber.context).resume();
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

void Worker::leave([[maybe_unused]] Fiber& fiber) {
#ifdef __SANITIZE_ADDRESS__
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, scheduler_stack_, scheduler_stack_bytes_);
#endif
  scheduler_ = std::move(scheduler_).resume();
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake, &scheduler_stack_, &scheduler_stack_bytes_);
#endif
}

void Worker::yield(Thread& thread) {
  if (block_.threads == block_.exited + 1) return;
  ready_.push_back(&thread);
  leave(*thread.fiber);
}

void Worker::fail(Thread& thread, Verdict verdict, const std::string& what) {
  block_.launch->fail(verdict,
                      block_.launch->name_thread(block_.index, thread.index) + ": " + what);
  block_.failed = true;
}

void Worker::abandon(Thread& thread) {
  current = {};
  leave(*thread.fiber);
  std::abort();  // a failed block is never resumed
}

// The threads of the block have done what they can.
void Worker::settle() {
  if (settle_warps() || settle_active_masks()) return;
  settle_block();
}

// Warp operations for which an exited lane was the last one missing.
bool Worker::settle_warps() {
  for (unsigned i = 0; i < block_.threads; ++i) {
    if (threads_[i].exited || threads_[i].wait != Wait::warp || !complete_warp(threads_[i]))
      continue;
    ready_.push_back(&threads_[i]);
    return true;
  }
  return false;
}

// The lanes of a warp that came to the same __activemask() are the active ones.
bool Worker::settle_active_masks() {
  bool any = false;
  for (unsigned i = 0; i < block_.threads; ++i) {
    if (threads_[i].exited || threads_[i].wait != Wait::active) continue;
    const unsigned first = i / warp_size * warp_size;
    unsigned mask = 0;
    const auto same = [&](const Thread& other) {
      return !other.exited && other.wait == Wait::active &&
             other.site.line() == threads_[i].site.line() &&
             other.site.column() == threads_[i].site.column();
    };
    const unsigned end = std::min(first + warp_size, block_.threads);
    for (unsigned j = i; j < end; ++j) {
      if (same(threads_[j])) mask |= 1u << (j - first);
    }
    for (unsigned j = end; j-- > i;) {
      if ((mask >> (j - first) & 1) == 0) continue;
      threads_[j].value = mask;
      threads_[j].wait = Wait::none;
      ready_.push_back(&threads_[j]);
    }
    any = true;
  }
  return any;
}

// All threads that have not ended must wait at one and the same barrier of the block or grid.
void Worker::settle_block() {
  const Thread* first = nullptr;
  int count = 0, live = 0;
  for (unsigned i = 0; i < block_.threads; ++i) {
    const Thread& thread = threads_[i];
    if (thread.exited) continue;
    if (first == nullptr) first = &thread;
    if ((thread.wait != Wait::block && thread.wait != Wait::grid) || thread.wait != first->wait ||
        thread.vote != first->vote || thread.site.line() != first->site.line() ||
        std::string_view(thread.site.file_name()) != first->site.file_name()) {
      return report_divergence();
    }
    ++live;
    count += thread.argument != 0;
  }
  if (first->wait == Wait::grid) {
    const auto base = block_.launch->barrier.wait(*block_.launch);
    if (base == 0) {
      block_.failed = true;
      return block_.launch->fail(Verdict::launch_failed, block_.launch->name_block(block_.index) +
                                                             ": waits at the grid barrier at " +
                                                             name_site(first->site) +
                                                             ", but another block has ended");
    }
    block_.base = base;
    block_.instance = base + static_cast<std::uint32_t>(block_.index);
  }
  const int result = first->vote == Vote::count ? count
                     : first->vote == Vote::all ? count == live
                                                : count > 0;
  const auto phase = next_phase();
  for (const unsigned i : order_) {
    Thread& thread = threads_[i];
    if (thread.exited) continue;
    thread.argument = result;
    thread.block_phase = phase;
    thread.wait = Wait::none;
    ready_.push_back(&thread);
  }
}

void Worker::report_divergence() {
  block_.failed = true;
  std::string text;
  std::vector<bool> told(block_.threads);
  const auto tell = [&](unsigned i, auto same, const std::string& what) {
    std::vector<unsigned> group;
    for (unsigned j = i; j < block_.threads; ++j) {
      if (told[j] || !same(threads_[j])) continue;
      told[j] = true;
      group.push_back(j);
    }
    text += (text.empty() ? "" : "; ") + list_threads(*block_.launch, group) + " " + what;
  };
  for (unsigned i = 0; i < block_.threads; ++i) {
    const Thread& thread = threads_[i];
    if (told[i]) continue;
    if (thread.exited) {
      tell(
          i, [](const Thread& other) { return other.exited; }, "ended");
      continue;
    }
    const bool warp = thread.wait == Wait::warp;
    const std::string place = warp                        ? std::string(name_of(thread.op))
                              : thread.wait == Wait::grid ? "the grid barrier"
                                                          : "__syncthreads";
    tell(
        i,
        [&](const Thread& other) {
          return !other.exited && other.wait == thread.wait &&
                 other.site.line() == thread.site.line() &&
                 (!warp || (other.op == thread.op && other.mask == thread.mask));
        },
        "waiting" + std::string(warp ? " for other lanes" : "") + " at " + place + ", " +
            name_site(thread.site));
  }
  block_.launch->fail(Verdict::launch_failed,
                      block_.launch->name_block(block_.index) + ": divergent barrier: " + text);
}

std::uint32_t Worker::next_phase() {
  constexpr std::uint32_t limit = (1u << 24) - 1;
  if (block_.phase < limit) return ++block_.phase;
  block_.failed = true;
  block_.launch->fail(Verdict::not_supported,
                      "one block synchronises too often for emulation: use a smaller size");
  return limit;
}

Cell* Worker::shared_cell(std::uintptr_t address) {
  if (in_dynamic(address)) {
    const auto offset = address - reinterpret_cast<std::uintptr_t>(dynamic_.data());
    return reinterpret_cast<Cell*>(dynamic_shadow_.data()) + offset / word_bytes;
  }
  if (address - static_first_ < static_bytes_) {
    return reinterpret_cast<Cell*>(static_shadow_.data()) + (address - static_first_) / word_bytes;
  }
  return nullptr;
}

std::string Worker::describe_shared(std::uintptr_t address) const {
  if (in_dynamic(address)) {
    return "byte " + std::to_string(address - reinterpret_cast<std::uintptr_t>(dynamic_.data())) +
           " of dynamic shared memory";
  }
  return "static shared memory";
}

}  // namespace parlab::emulation
