// How an emulated launch runs. A Launch has blocks; OS threads take them one after another, each
// with a Worker, which runs the block's CUDA threads as fibers and switches where they wait.
#pragma once

#include <array>
#include <atomic>
#include <boost/context/fiber.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/types.hpp"
#include "emulation/cuda.hpp"
#include "emulation/memory.hpp"

namespace parlab::emulation {

class Worker;
struct Launch;

enum class Order { ascending, descending, shuffled };

constexpr unsigned warp_size = 32;
constexpr unsigned max_threads = 1024;
constexpr std::size_t max_shared_bytes = 227 * 1024;

enum class Wait { none, block, grid, warp, active };

// One CUDA thread.
struct Thread {
  unsigned index = 0;  // in the block
  uint3 position{};
  bool started = false, exited = false;
  // What it waits for.
  Wait wait = Wait::none;
  Vote vote = Vote::none;
  WarpOp op = WarpOp::sync;
  Site site;
  unsigned mask = 0;
  std::uint64_t value = 0;  // handed in, and then the result
  int argument = 0, width = 0;
  bool bad_source = false;  // its shuffle reads a lane that does not take part
  struct Fiber* fiber = nullptr;
  // What happened before: accesses of the block's threads in earlier phases than block_phase, of
  // the same warp's lanes in earlier phases than seen[lane].
  std::uint32_t block_phase = 0;
  std::array<std::uint32_t, warp_size> seen{};
  std::uint32_t fence_phase = 0;  // 0: no fence yet
  unsigned atomics = 0;           // executed, to let others run from time to time
  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes, zero_bytes;
  };
  std::vector<std::vector<Copy>> copies;  // asynchronous, by group; the last one is still open

  unsigned warp() const { return index / warp_size; }
  unsigned lane() const { return index % warp_size; }
};

// The order that atomics after a fence make between blocks (the last-block-done pattern).
struct Release {
  std::uint32_t instance, thread, fence_phase, block_phase;
  std::array<std::uint32_t, warp_size> seen;
};
class Releases {
 public:
  void release(std::uintptr_t address, const Release& release);
  // How many releases of this address there were so far.
  std::size_t count(std::uintptr_t address) const;
  // Whether one of the first `count` releases of the address comes after that access.
  bool covers(std::uintptr_t address, std::size_t count, std::uint32_t instance,
              std::uint32_t thread, std::uint32_t phase) const;

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> any_{false};
  struct Log {
    std::size_t count = 0;
    std::unordered_map<std::uint32_t, std::vector<std::pair<std::size_t, Release>>> of_block;
  };
  std::unordered_map<std::uintptr_t, Log> logs_;
};
struct Acquire {
  std::uintptr_t address;
  std::size_t count;
  std::uint32_t thread, phase;
};

// One block while it runs.
struct Block {
  Launch* launch = nullptr;
  std::uint64_t index = 0;  // in the grid
  uint3 position{};
  // Stamps of this block carry its instance; a grid barrier gives it the next one. Stamps below
  // base are of earlier launches, or from before the last grid barrier.
  std::uint32_t instance = 0, base = 0, shared_instance = 0;
  std::uint32_t phase = 1;  // grows with each synchronisation in the block
  unsigned threads = 0, started = 0, exited = 0;
  bool failed = false;
  std::uint64_t accesses = 0;
  std::vector<Acquire> acquires;
};

// The barrier of all blocks of a cooperative launch.
class GridBarrier {
 public:
  void start(std::size_t blocks) { blocks_ = blocks; }
  // Returns the new base of instances, or 0 when a block ended or failed without arriving.
  std::uint32_t wait(Launch& launch);
  void leave();  // a block ended
 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t blocks_ = 0, waiting_ = 0, left_ = 0;
  std::uint64_t generation_ = 0;
  std::uint32_t base_ = 0;
};

struct Failure {
  Verdict verdict;
  std::string text;
};

struct Launch {
  std::string kernel;
  std::function<void()> thread;
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  bool cooperative = false;
  Order order = Order::shuffled;
  std::uint64_t seed = 0;
  Arena* arena = nullptr;
  std::uintptr_t arguments_begin = 0, arguments_end = 0;  // of the kernel: on the host's stack
  std::chrono::steady_clock::time_point deadline;

  std::uint64_t blocks = 0;
  std::vector<std::uint32_t> block_order;
  std::uint32_t base = 0;
  std::atomic<std::uint64_t> next_block{0};
  std::atomic<bool> failed{false};
  GridBarrier barrier;
  Releases releases;

  uint3 block_position(std::uint64_t index) const;
  std::string name_thread(std::uint64_t block_index, unsigned thread_index) const;
  std::string name_block(std::uint64_t block_index) const;
  void fail(Verdict verdict, const std::string& text);  // the first one counts
  std::optional<Failure> failure() const;

 private:
  mutable std::mutex mutex_;
  std::optional<Failure> failure_;
};

// Numbers for block instances, never used twice in a process.
std::uint32_t reserve_instances(std::uint64_t count);

struct Fiber {
  // Never destroyed: a fiber that a failed kernel left behind is dropped with its stack, since
  // nothing can be unwound through a kernel.
  union {
    boost::context::fiber context;
  };
  std::size_t stack = 0;
  explicit Fiber(std::size_t stack_number) : stack(stack_number) {}
  ~Fiber() {}
};

// Runs blocks on one OS thread.
class Worker {
 public:
  Worker();
  // Runs blocks of the launch until there are none left.
  void run(Launch& launch);

  // For the thread that runs now: lets others run until this one is made ready again.
  void suspend(Thread& thread) { leave(*thread.fiber); }
  void yield(Thread& thread);  // lets others run, and goes on after them
  std::uint32_t next_phase();
  // Records the failure. The kernel is left when the runtime would return to it.
  void fail(Thread& thread, Verdict verdict, const std::string& what);
  [[noreturn]] void abandon(Thread& thread);
  // Carries out the warp operation of a thread if all its lanes are there; the others are then
  // ready to run.
  bool complete_warp(Thread& last);

  Launch& launch() { return *block_.launch; }
  Block& block() { return block_; }
  Thread& thread(unsigned index) { return threads_[index]; }
  void* dynamic_shared() { return dynamic_.data(); }
  bool on_stack(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(stacks_.data()) < stacks_.size();
  }
  // The shadow of the block's shared memory, or nullptr when the address is not in it.
  Cell* shared_cell(std::uintptr_t address);
  bool in_dynamic(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(dynamic_.data()) < dynamic_.size();
  }
  std::string describe_shared(std::uintptr_t address) const;

 private:
  void run_block(std::uint64_t index);
  void run_threads(Fiber& fiber);  // the body of a fiber
  Fiber& idle_fiber();
  void resume(Fiber& fiber);
  void leave(Fiber& fiber);  // back to the scheduler
  void settle();             // nothing can run: barriers, or an error
  bool settle_warps();
  bool settle_active_masks();
  void settle_block();
  void report_divergence();

  Block block_;
  std::vector<Thread> threads_{max_threads};
  std::vector<unsigned> order_;
  std::deque<Thread*> ready_;
  Pages stacks_;
  std::deque<Fiber> fibers_;
  std::vector<Fiber*> idle_;
  boost::context::fiber scheduler_;
  const void* scheduler_stack_ = nullptr;  // for AddressSanitizer
  std::size_t scheduler_stack_bytes_ = 0;
  Pages dynamic_;  // shared memory, and a margin behind it
  Pages dynamic_shadow_;
  std::uintptr_t static_first_ = 0;  // this OS thread's own variables: static shared memory
  std::size_t static_bytes_ = 0;
  Pages static_shadow_;
};

// What the OS thread runs at this moment: null outside kernels.
struct Current {
  Thread* thread = nullptr;
  Worker* worker = nullptr;
};
extern thread_local Current current;

// Leaves the kernel while the runtime works, so that code shared with it is not checked; for good
// when the block has failed. Of all objects in its scope it is destroyed last.
class InRuntime {
 public:
  InRuntime() : thread(*current.thread), worker(*current.worker) { current.thread = nullptr; }
  ~InRuntime() {
    if (worker.block().failed) worker.abandon(thread);
    current = {&thread, &worker};
  }
  Thread& thread;
  Worker& worker;
};

std::string name_site(const Site& site);  // "line 12 of naive.cu"

// Checks one access of the running thread; reports and leaves the kernel when it is wrong.
enum class Access { read, write, atomic_read, atomic };
void check_access(std::uintptr_t address, std::size_t length, Access access);
void before_atomic(std::uintptr_t address);
void after_atomic(std::uintptr_t address);

}  // namespace parlab::emulation
