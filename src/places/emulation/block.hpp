// How a launch is emulated. OS threads take its blocks one after another. Each
// runs the CUDA threads of a block on fibers. Threads share one fiber one after
// another, until one waits; it keeps its fiber and lets the others continue.
#pragma once

#include <atomic>
#include <barrier>
#include <boost/context/fiber.hpp>
#include <boost/thread/synchronized_value.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "core/types.hpp"
#include "facts/cause.hpp"
#include "places/emulation/crash.hpp"
#include "places/emulation/cuda.hpp"
#include "places/emulation/doubts.hpp"
#include "places/emulation/memory.hpp"
#include "places/emulation/source_lines.hpp"
#include "places/emulation/warp_counts.hpp"

namespace parlab::emulation {

struct Block;
struct Thread;

constexpr unsigned warp_size = 32, max_threads = 1024;
// a GPU gives a thread as much local memory
constexpr std::size_t stack_bytes = 512 * 1024;
// dynamic limit of compute capability 9.0
constexpr std::size_t max_shared_bytes = 227 * 1024;

// The dynamic shared memory of the block on this OS thread, between two
// inaccessible pages. The build gives this name to variables that a kernel
// declares as extern __shared__.
constexpr std::size_t page_bytes = 4096;
extern "C" __thread std::byte parlab_dynamic_shared[];
// threadIdx, blockIdx, blockDim and gridDim of cuda.hpp, which are constants
// for a kernel.
extern "C" __thread uint3 parlab_built_in[4] asm("parlab_thread_index");
PARLAB_INLINE bool is_built_in(const void* address) {
  return static_cast<std::size_t>(
             static_cast<const char*>(address) -
             reinterpret_cast<const char*>(parlab_built_in)) <
         sizeof parlab_built_in;
}

enum class Order { ascending, descending, shuffled };
template <typename T>
void arrange(std::vector<T>& items, Order order, std::uint64_t seed) {
  if (order == Order::descending) std::reverse(items.begin(), items.end());
  std::minstd_rand random(seed);
  if (order == Order::shuffled)
    std::shuffle(items.begin(), items.end(), random);
}

// Everything that certainly happened before a moment of a thread, within its
// block. That is what any thread did before block_phase, what its warp did
// before warp_phase, and what it did itself before own_phase. A barrier of some
// lanes counts as one of their warp. That is simpler than the truth and never
// gives a false alarm.
struct Clock {
  std::uint32_t instance = 0, thread = 0, block_phase = 1, warp_phase = 1,
                own_phase = max_phases;

  PARLAB_INLINE bool covers(Stamp access) const {
    const Stamp block_start{.instance = instance};
    if (access.bits() - block_start.bits() < Stamp{.phase = block_phase}.bits())
      return true;
    return access.instance == instance &&
           ((access.phase < warp_phase &&
             access.thread / warp_size == thread / warp_size) ||
            (access.phase < own_phase && access.thread == thread));
  }
};

// A word that two threads wrote without an order between them. It is not an
// error if both wrote the same value, which shows only after the second write.
struct Suspect {
  const std::uint32_t* word;
  std::uint32_t before;
  Detail what;
  Calls calls;
};

// A read that is an error. Who writes the word next tells what is missing, so
// it is not reported before that, or before the block ends.
struct HeldRead {
  const std::uint32_t* word = nullptr;
  bool unwritten = false;  // or else another thread has written it
  Detail what = {};
  const Thread* reader = nullptr;
};

// The progress of a CUDA thread until its block ends.
struct Progress {
  // Each access and each switch needs these; they come first for the cache's
  // sake.
  const char* stack = nullptr;  // its upper end
  // position in the program, and the last plain read of a word
  const void *last_access = nullptr, *last_read = nullptr,
             *last_read_place = nullptr;
  Clock clock{};
  bool ended = false;
  bool is_alone = true;  // all launches before this one have ended
  // copying past registers, so stores are not counted
  bool is_copying = false;
  unsigned fiber = 0;          // the fiber that it began on
  Meeting* meeting = nullptr;  // where it waits
  // the barrier that it has just asked and found incomplete
  const void* asked = nullptr;
  // accesses that a fence has ordered, for all or for the block, and no atomic
  // has released yet
  std::optional<Clock> fence{}, block_fence{};
  std::size_t acquired = 0;  // number of the launch's releases that it has seen
  // executed so far, to let others run from time to time
  unsigned atomics = 0;
  // address of its last access, if that was a failed swap
  const void* in_vain = nullptr;
  unsigned copy_group = 0;  // the open group
  std::uint64_t copies_begun = 0;
};

// One CUDA thread.
struct Thread : Progress {
  Block* block = nullptr;
  unsigned index = 0;  // in the block
  uint3 place{};       // position in the block
  void* way_out[5]{};  // jump target for leaving a failed kernel
  std::vector<Suspect> suspects{};
  struct Copy {
    unsigned group;
    std::uint64_t number;
    void* to;
    const void* from;
    std::size_t bytes, zero_bytes;
    bool is_alone;      // state when the copy was issued
    const void* place;  // place in the kernel that issued it
  };
  std::vector<Copy> copies{};  // asynchronous

  // Begins again, in another block.
  void begin(Progress now) {
    static_cast<Progress&>(*this) = now;
    suspects.clear();
    copies.clear();
  }
  unsigned lane() const { return index % warp_size; }
  bool owns(const void* address) const {  // whether it is on its stack
    return static_cast<std::size_t>(
               stack - static_cast<const char*>(address)) <= stack_bytes;
  }
  // Records a failure if it is the first one of the launch. The kernel is left
  // when the runtime would return to it.
  void fail(Verdict verdict, Detail what) const;
  void fail_of_time(const Calls& calls) const;
  // The same detail, with the names of the kernel, the block and the thread.
  Detail in_kernel(Detail what) const;
  // called after its stores, before anything else happens
  void judge_suspects();
};

// A barrier in shared memory at which copies can arrive.
struct CopyBarrier {
  struct Copy {
    std::byte* to;
    Box box;
    bool is_alone;  // state when the copy was issued
  };
  int arrivals = 0;            // expected per phase
  int missing = 0;             // those missing in this phase
  std::int64_t bytes = 0;      // announced, but not yet in flight
  std::vector<Copy> copies{};  // in flight
  // A thread that arrived with the promise that its first `begun` copies are
  // done.
  struct Copier {
    Thread* thread;
    std::uint64_t begun;
  };
  std::vector<Copier> copiers{};
  unsigned completed = 0;  // completed phases
  // The block's phase from which all threads know what happened before the last
  // phase.
  std::uint32_t known_from = 0;
};

// Accesses that were released to other threads, with the position of each
// release in their order.
class Releases {
 public:
  void add(const Clock& clock, bool within_block = false) {
    of_block_[clock.instance].push_back({clock, ++count_, within_block});
  }
  std::size_t count() const { return count_; }
  // Whether one of the first `acquired` releases covers that access for a
  // thread of that block.
  bool cover(Stamp access, std::size_t acquired, std::uint32_t instance) const {
    const auto found = of_block_.find(access.instance);
    if (found == of_block_.end()) return false;
    const auto& releases = found->second;
    return std::any_of(
        releases.rbegin(), releases.rend(), [&](const Release& release) {
          return release.number <= acquired && release.clock.covers(access) &&
                 (!release.within_block || access.instance == instance);
        });
  }

 private:
  struct Release {
    Clock clock;
    std::size_t number;
    bool within_block;
  };
  std::unordered_map<std::uint32_t, std::vector<Release>> of_block_{};
  std::size_t count_ = 0;
};

// Records which work was started on which stream, and which streams have waited
// for which.
class StreamOrder {
 public:
  explicit StreamOrder(std::uint32_t first_instance) : begin_(first_instance) {}
  // From here on instances belong to stream i, until the next call.
  void started(std::uint32_t first_instance, int i) {
    starts_[first_instance] = i;
  }
  void wait(int i, int other, std::uint32_t next_instance);
  // Stream i begins anew, as if it had waited for none.
  void forget(int i) { waited_.erase(i); }
  // Whether that work certainly ends before what starts on stream i now.
  bool comes_before(std::uint32_t instance, int i) const;
  // "stream 2"; negative numbers stand for the default stream.
  std::string name_of(std::uint32_t instance) const {
    const int i = stream_of(instance);
    return i < 0 ? "the default stream" : "stream " + std::to_string(i);
  }

 private:
  int stream_of(std::uint32_t instance) const;

  std::uint32_t begin_;
  std::map<std::uint32_t, int> starts_;  // stream by first instance
  // for each stream: up to which instance it has waited for each other one
  std::map<int, std::map<int, std::uint32_t>> waited_;
};

// "(3,0)", with the third coordinate if the extent has one.
std::string coordinates(std::uint64_t index, const dim3& extent);

struct Launch {
  const void* kernel;  // nullptr for gpu.copy() or gpu.clear()
  std::function<void()> thread;
  // the kernel's arguments, which each thread reads
  const std::byte* arguments;
  std::size_t argument_bytes;
  dim3 grid, block;
  std::size_t shared_bytes;
  // overlaps the launch before it, until a thread waits for that
  bool overlaps;
  Order order;
  std::uint64_t seed;
  const Arena* arena;
  int device;  // number of the GPU
  std::chrono::steady_clock::time_point begun, deadline;
  std::uint32_t first_instance;  // first instance of its blocks
  // nullptr: everything started earlier comes before
  const StreamOrder* streams;
  int stream;
  SharedCounts* counts;               // nullptr: accesses are not counted
  std::vector<std::uint32_t> blocks;  // in the order in which they run

  std::atomic<std::size_t> next{0}, blocks_done{0};
  std::atomic<std::chrono::steady_clock::time_point> block_done_at{begun};
  std::atomic<bool> failed{false};
  boost::synchronized_value<std::optional<PointError>> failure{};
  Doubts doubts{};
  // Accesses that were released to other threads, by a fence and then an atomic
  // (the last-block-done pattern) or at a grid barrier. An atomic acquires
  // everything released before it, at any address. That is simpler than the
  // truth and never gives a false alarm.
  boost::synchronized_value<Releases> releases{};

  // the grid barrier of a cooperative launch
  std::optional<std::barrier<>> barrier{};
  std::atomic<std::uint32_t> arrivals{0};  // arrivals of blocks at that barrier

  // The host's stack holds the arguments with which a thread starts. All
  // threads may read them, and their own indices.
  bool gives(const void* address) const {
    const auto* const byte = static_cast<const std::byte*>(address);
    return is_built_in(address) ||
           static_cast<std::size_t>(byte - arguments) < argument_bytes ||
           static_cast<std::size_t>(
               byte - reinterpret_cast<const std::byte*>(this)) < sizeof *this;
  }
  // "block (3,0), thread (4,0)"
  std::string name(std::uint64_t block_index, unsigned thread_index) const;
};

// A running block, and the state that it leaves for the next one on the same OS
// thread.
struct Block {
  Launch* launch = nullptr;
  std::uint32_t index = 0;     // in the grid
  std::uint32_t instance = 0;  // counts all blocks of the GPU
  std::uint32_t phase = 1;     // grows with each synchronisation of its threads
  bool failed = false;
  std::optional<HeldRead> held;
  Crash crash;  // crash of the thread that ran last
  std::uint64_t accesses = 0;
  // number of the access from which on look_around() is called
  std::uint64_t look_around_at = 0;
  std::optional<WarpCounts> counts;
  // fences that a barrier has made known to all threads, not yet released
  std::vector<Clock> fences;
  std::unordered_map<const void*, CopyBarrier> copy_barriers;
  std::uint64_t barrier_events = 0;  // arrivals at copy_barriers, and copies
  Allocation dynamic_shared{"dynamic shared memory", nullptr, 0, Kind::shared};
  Allocation static_shared{"static shared memory", nullptr, 0, Kind::shared};
  Arena::Inputs inputs{};  // inputs of the launch

  ~Block();
  void run(Launch& launch);  // runs blocks until there are none left
  std::uint32_t next_phase(const Thread& thread);
  void report_held();
  // Lets others continue before the running thread.
  void suspend(Thread& thread);
  // The array that the address belongs to or just misses; nullptr: memory that
  // a kernel may not touch.
  PARLAB_INLINE Allocation* array_of(const void* address) {
    // Static shared memory surrounds it.
    if (dynamic_shared.offset(address) + page_bytes <
        max_shared_bytes + 2 * page_bytes)
      return &dynamic_shared;
    if (static_shared.contains(address, 1))
      return is_built_in(address) ? nullptr : &static_shared;
    return launch->arena->owner(address);
  }

 private:
  using Fiber = boost::context::fiber;

  void begin_launch();
  void run_one();
  void run_threads(unsigned fiber);
  Fiber& next_fiber();
  void switch_to(Fiber& to, Fiber& own);
  void settle_all();
  void settle(const Thread& thread);
  void count_meeting(const Meeting& meeting, unsigned first);
  void share_fences(const std::vector<Thread*>& threads);
  bool has_passed(const Thread& thread, const Meeting& barrier);
  void order_by_barrier(const std::vector<Thread*>& threads, Scope scope);
  void wait_for_grid(const std::vector<Thread*>& threads);
  void find_endless_wait();
  Detail divergence(const Meeting& barrier);

  unsigned size_ = 0, grid_barriers_ = 0;
  // number of threads that have begun, in order
  unsigned begun_ = 0;
  unsigned turn_ = 0;   // number of the thread whose turn is next
  unsigned ended_ = 0;  // number of threads that have ended
  // accesses and events up to the previous turn
  std::uint64_t done_before_ = 0;
  int idle_turns_ = 0;
  std::vector<Thread> threads_ = std::vector<Thread>(max_threads);
  std::vector<Thread*> order_, here_;
  std::unordered_map<const void*, Line> lines_;  // source lines by access
  std::vector<Fiber> fibers_ = std::vector<Fiber>(max_threads);
  std::vector<unsigned> idle_;  // fibers without a thread
  unsigned made_ = 0;           // number of fibers made
  Fiber scheduler_;
  Fiber* left_ = nullptr;  // where to store the fiber that ran before
  SignalStack signal_stack_;
};

// The thread that this OS thread runs at the moment; null outside kernels.
extern constinit thread_local Thread* running;

// Leaves the kernel while the runtime works, so that shared code is not
// checked; if the block has failed, for good. It must be the last object of its
// scope to be destroyed.
class InRuntime {
 public:
  InRuntime() : thread(*running), block(*thread.block) { running = nullptr; }
  ~InRuntime() {
    if (block.failed) __builtin_longjmp(thread.way_out, 1);
    running = &thread;
  }
  Thread& thread;
  Block& block;
};

// Checks one access of the running thread. If it is wrong, reports it and
// leaves the kernel. from: return address in the program, the place at which
// the access is counted.
void check_access(const void* address, std::size_t length, bool writes,
                  bool atomic = false, const void* from = nullptr);
// The same for an access that may be wrong, and that is not to a thread's
// stack.
void judge(const void* address, std::size_t length, bool writes, bool atomic);
void checked_copy(void* to, const void* from, std::size_t bytes,
                  const void* place = nullptr);
void checked_clear(void* to, std::size_t bytes);
// Makes the chosen asynchronous copies of a thread. The running thread makes
// them, and they count as its accesses. None of them lets another thread run.
// Threads that have ended stay until the block has.
template <typename Chosen>
void make_copies(Thread& of, Chosen chosen) {
  std::erase_if(of.copies, [&](const Thread::Copy& copy) {
    if (!chosen(copy)) return false;
    const bool is_alone = std::exchange(running->is_alone, copy.is_alone);
    running->is_copying = true;
    checked_copy(copy.to, copy.from, copy.bytes, copy.place);
    checked_clear(static_cast<char*>(copy.to) + copy.bytes, copy.zero_bytes);
    running->is_copying = false;
    running->is_alone = is_alone;
    return true;
  });
}
// Called from time to time: checks that the launch still makes progress.
void check_progress(const InRuntime& here);

}  // namespace parlab::emulation
