// How a launch is emulated: OS threads take its blocks one after another. Each runs the CUDA
// threads of a block as fibers and switches where they wait.
#pragma once

#include <atomic>
#include <barrier>
#include <boost/context/fiber.hpp>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "core/types.hpp"
#include "emulation/cuda.hpp"
#include "emulation/memory.hpp"

namespace parlab::emulation {

struct Block;

constexpr unsigned warp_size = 32, max_threads = 1024;
constexpr std::size_t max_shared_bytes = 227 * 1024;

enum class Order { ascending, descending, shuffled };
template <typename T>
void arrange(std::vector<T>& items, Order order, std::minstd_rand& random) {
  if (order == Order::descending) std::reverse(items.begin(), items.end());
  if (order == Order::shuffled) std::shuffle(items.begin(), items.end(), random);
}

// What certainly happened before a moment of a thread, in its block: what any thread did in phases
// before block_phase, and what a lane of the same warp did in phases before its entry.
struct Clock {
  std::uint32_t block_phase = 1;
  std::array<std::uint32_t, warp_size> lanes{};

  bool covers(unsigned me, unsigned other, std::uint32_t phase) const {
    return phase < block_phase ||
           (me / warp_size == other / warp_size && phase < lanes[other % warp_size]);
  }
};

// One CUDA thread.
struct Thread {
  Block* block = nullptr;
  unsigned index = 0;  // in the block
  std::array<uint3, 4> built_in{};
  struct Fiber* fiber = nullptr;
  Meeting* meeting = nullptr;  // where it waits
  bool ended = false;
  Clock clock;
  std::optional<Clock> fence;  // what a fence has ordered and no atomic has published yet
  std::size_t acquired = 0;    // how many releases of the launch it has seen
  unsigned atomics = 0;        // executed, to let others run from time to time
  struct Copy {
    unsigned group;
    void* to;
    const void* from;
    std::size_t bytes, zero_bytes;
  };
  std::vector<Copy> copies;  // asynchronous
  unsigned copy_group = 0;   // the one that is open

  unsigned lane() const { return index % warp_size; }
};

// What a fence and then an atomic have published to other blocks (the last-block-done pattern).
struct Release {
  std::uint32_t instance;
  unsigned thread;
  Clock clock;
};

struct Launch {
  std::string kernel;
  std::function<void()> thread;
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  Order order = Order::shuffled;
  std::uint64_t seed = 0;
  const Arena* arena = nullptr;
  std::chrono::steady_clock::time_point deadline;

  std::uint32_t first_instance = 0;   // of its blocks
  std::vector<std::uint32_t> blocks;  // in the order they run
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::optional<PointError> failure;
  std::atomic<std::size_t> releases{0};

  // The grid barrier of a cooperative launch.
  struct AllArrived {
    Launch* launch;
    void operator()() noexcept;
  };
  std::optional<std::barrier<AllArrived>> barrier;
  std::atomic<std::uint32_t> last_phase{1}, ended_blocks{0};
  std::uint32_t grid_phase = 1;  // after the barrier; 0: a block had ended without arriving

  bool has(std::uint32_t instance) const { return instance - first_instance < blocks.size(); }
  std::string name(std::uint64_t block_index) const;  // "block (3,0)"
  std::string name(std::uint64_t block_index, unsigned thread_index) const;
  void fail(Verdict verdict, const std::string& what);  // the first one counts
  void publish(const Release& release);
  // Whether one of the first `seen` releases comes after that access. An atomic has seen all that
  // was published before it, wherever: simpler than the truth, and never a false alarm.
  bool published(Stamp access, std::size_t seen);

 private:
  std::mutex mutex_;
  std::vector<Release> releases_;
};

struct Fiber {
  explicit Fiber(Block& block);
  ~Fiber();
  boost::context::stack_context stack;
  // Never destroyed: a failed kernel leaves its fibers as they are, and nothing can be unwound
  // through a kernel.
  union {
    boost::context::fiber context;
  };
  bool holds(const void* address) const {
    const auto depth = static_cast<const char*>(stack.sp) - static_cast<const char*>(address);
    return static_cast<std::size_t>(depth) <= stack.size;
  }
};

// A block while it runs, and what it leaves for the next one on the same OS thread.
struct Block {
  Launch* launch = nullptr;
  std::uint64_t index = 0;       // in the grid
  std::uint32_t instance = 0;    // in the process
  std::uint32_t phase = 1;       // grows with each synchronisation of its threads
  std::uint32_t grid_phase = 1;  // what any block did in phases before is over
  bool failed = false;
  std::uint64_t accesses = 0;
  Allocation* dynamic_shared = nullptr;
  Allocation static_shared{"static shared memory", nullptr, 0, Kind::shared, {}};

  // What the address meets or misses; nullptr: nothing that a kernel may touch.
  Allocation* array_of(const void* address) {
    if (launch->arena->contains(address)) return launch->arena->owner(address);
    return static_shared.contains(address, 1) ? &static_shared : nullptr;
  }
  void run(Launch& launch);  // runs blocks until there are none left
  std::uint32_t next_phase();
  void suspend() { scheduler_ = std::move(scheduler_).resume(); }  // the thread that runs
  void yield(Thread& thread);  // lets others run, and goes on after them
  // Records a failure. The kernel is left when the runtime would return to it.
  void fail(Verdict verdict, const std::string& what);

 private:
  friend struct Fiber;
  void run_one();
  void run_threads(Fiber& fiber);
  void resume_one();
  bool settle_warps();
  bool settle(unsigned first, unsigned last, Meeting meeting);
  void order_by_barrier(const std::vector<Thread*>& threads, bool in_warp);
  bool wait_for_grid();
  std::string divergence() const;

  unsigned size_ = 0, started_ = 0, ended_ = 0;
  std::vector<Thread> threads_ = std::vector<Thread>(max_threads);
  std::vector<Thread*> order_;
  std::minstd_rand random_;
  std::deque<Thread*> ready_;
  std::deque<Fiber> fibers_;
  std::vector<Fiber*> idle_;
  boost::context::fiber scheduler_;
};

// What the OS thread runs at this moment: null outside kernels.
extern thread_local Thread* running;

// Leaves the kernel while the runtime works, so that code shared with it is not checked; for good
// when the block has failed. Of all objects in its scope it is destroyed last.
class InRuntime {
 public:
  InRuntime() : thread(*running), block(*thread.block) { running = nullptr; }
  ~InRuntime() {
    while (block.failed) block.suspend();  // once: it is never resumed
    running = &thread;
  }
  void fail(Verdict verdict, const std::string& what);  // names the thread
  Thread& thread;
  Block& block;
};

std::string name_place(const char* file, unsigned line);  // "line 12 of naive.cu"

// Checks one access of the running thread; when it is wrong, reports it and leaves the kernel.
void check_access(const void* address, std::size_t length, bool writes, bool atomic = false);

// Surrounds an atomic operation. It publishes what a fence has ordered before it takes effect;
// afterwards the thread has seen all that was published until then.
class AtomicAccess {
 public:
  AtomicAccess(const volatile void* address, std::size_t length, bool writes);
  ~AtomicAccess();
};

}  // namespace parlab::emulation
