// One block on one OS thread: its CUDA threads are fibers, switched where they wait.
#include "emulation/block.hpp"

#include <link.h>

#include <boost/context/protected_fixedsize_stack.hpp>

namespace parlab::emulation {

thread_local Thread* running = nullptr;

namespace {

constexpr std::size_t stack_bytes = 512 * 1024;  // a GPU gives a thread as much local memory

struct KeepStack {
  void deallocate(boost::context::stack_context&) {}
};

// Not inlined: a fiber may go on in another OS thread than the one it began in.
__attribute__((noinline)) void set_running(Thread* thread) { running = thread; }

uint3 unravel(std::uint64_t index, const dim3& extent) {
  return {static_cast<unsigned>(index % extent.x),
          static_cast<unsigned>(index / extent.x % extent.y),
          static_cast<unsigned>(index / extent.x / extent.y)};
}

// "(3,0)", or with the third coordinate when the extent has one.
std::string coordinates(std::uint64_t index, const dim3& extent) {
  const auto [x, y, z] = unravel(index, extent);
  return '(' + std::to_string(x) + ',' + std::to_string(y) +
         (extent.z > 1 ? ',' + std::to_string(z) : "") + ')';
}

std::string describe(const Meeting& meeting) {
  return std::string(meeting.operation) + " at " +
         name_place(meeting.site.file_name(), meeting.site.line());
}

bool in_warp(const Meeting& meeting) { return meeting.scope <= Scope::warp; }

// Lanes of a warp may come from different lines, a block or grid may not.
bool same(const Meeting& a, const Meeting& b) {
  return a.scope == b.scope && a.operation == b.operation && a.mask == b.mask &&
         (in_warp(a) || (a.site.line() == b.site.line() && a.site.column() == b.site.column()));
}

// The variables of this OS thread that belong to the program itself: its kernels' __shared__.
int find_static_shared(dl_phdr_info* program, std::size_t, void* block_) {
  auto& block = *static_cast<Block*>(block_);
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    if (program->dlpi_phdr[i].p_type != PT_TLS) continue;
    block.static_shared.data = static_cast<std::byte*>(program->dlpi_tls_data);
    block.static_shared.bytes = program->dlpi_phdr[i].p_memsz;
    block.static_shared.cells.resize(block.static_shared.bytes / word_bytes + 1);
  }
  return 1;  // the program comes first; nothing else is wanted
}

}  // namespace

std::string name_place(const char* file, unsigned line) {
  const std::string path = file;
  return "line " + std::to_string(line) + " of " + path.substr(path.rfind('/') + 1);
}

std::string Launch::name(std::uint64_t block_index) const {
  return "block " + coordinates(block_index, grid);
}

std::string Launch::name(std::uint64_t block_index, unsigned thread_index) const {
  return name(block_index) + ", thread " + coordinates(thread_index, block);
}

void Launch::fail(Verdict verdict, const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (!failure) {
    failure.emplace(verdict, "kernel " + kernel + ", " + what +
                                 "; emulated with PARLAB_SEED=" + std::to_string(seed));
  }
  failed = true;
}

void Launch::publish(const Release& release) {
  const std::lock_guard lock(mutex_);
  releases_.push_back(release);
  ++releases;
}

bool Launch::published(Stamp access, std::size_t seen) {
  const std::lock_guard lock(mutex_);
  return std::any_of(releases_.data(), releases_.data() + seen, [&](const Release& release) {
    return release.instance == access.instance &&
           release.clock.covers(release.thread, access.thread, access.phase);
  });
}

void Launch::AllArrived::operator()() noexcept {
  launch->grid_phase = launch->ended_blocks > 0 ? 0 : launch->last_phase + 1;
}

// ---- fibers

Fiber::Fiber(Block& block)
    : stack(boost::context::protected_fixedsize_stack(stack_bytes).allocate()) {
  new (&context) boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), KeepStack{},
      [this, &block](boost::context::fiber&& scheduler) {
        block.scheduler_ = std::move(scheduler);
        block.run_threads(*this);
        return std::move(block.scheduler_);
      });
}

Fiber::~Fiber() { boost::context::protected_fixedsize_stack(stack_bytes).deallocate(stack); }

// The body of a fiber: threads one after another as long as none of them waits; a kernel without
// barriers needs a single one. It never ends: its stack is dropped with the Block.
void Block::run_threads(Fiber& fiber) {
  for (;; suspend()) {
    while (started_ < size_) {
      Thread& thread = *order_[started_++];
      thread.fiber = &fiber;
      set_running(&thread);
      launch->thread();
      set_running(nullptr);
      thread.ended = true;
      ++ended_;
    }
    idle_.push_back(&fiber);
  }
}

// Gives a fiber its turn: one for threads that have not started, or that of a thread that can go
// on.
void Block::resume_one() {
  Fiber* fiber = nullptr;
  if (started_ == size_) {
    fiber = ready_.front()->fiber;
    ready_.pop_front();
  } else if (!idle_.empty()) {
    fiber = idle_.back();
    idle_.pop_back();
  } else {
    fiber = &fibers_.emplace_back(*this);
  }
  fiber->context = std::move(fiber->context).resume();
}

void Block::yield(Thread& thread) {
  settle_warps();  // or those who spin could keep the others from it
  ready_.push_back(&thread);
  suspend();
}

// ---- blocks

void Block::run(Launch& of) {
  launch = &of;
  size_ = of.block.x * of.block.y * of.block.z;
  dl_iterate_phdr(find_static_shared, this);
  for (auto turn = of.next++; turn < of.blocks.size(); turn = of.next++) {
    index = of.blocks[turn];
    if (!of.failed) run_one();
    if (!of.barrier) continue;
    ++of.ended_blocks;
    of.barrier->arrive_and_drop();
  }
}

void Block::run_one() {
  instance = launch->first_instance + static_cast<std::uint32_t>(index);
  phase = grid_phase = 1;
  started_ = ended_ = 0;
  random_.seed(launch->seed + index);
  order_.clear();
  const dim3 &block = launch->block, &grid = launch->grid;
  for (unsigned i = 0; i < size_; ++i) {
    threads_[i] = {};
    threads_[i].block = this;
    threads_[i].index = i;
    threads_[i].built_in = {unravel(i, block), unravel(index, grid),
                            uint3{block.x, block.y, block.z}, uint3{grid.x, grid.y, grid.z}};
    order_.push_back(&threads_[i]);
  }
  arrange(order_, launch->order, random_);
  for (failed = false; ended_ < size_ && !failed;) {
    if (started_ < size_ || !ready_.empty()) {
      resume_one();
    } else if (!settle_warps()) {
      const auto waiting =
          std::find_if(order_.begin(), order_.end(), [](Thread* t) { return !t->ended; });
      const Meeting meeting = *(*waiting)->meeting;
      if (in_warp(meeting) || !settle(0, size_, meeting)) {
        fail(Verdict::launch_failed, "divergent barrier: " + divergence());
      }
    }
  }
  ready_.clear();
  if (!failed) return;
  idle_.clear();
  fibers_.clear();
}

void Block::fail(Verdict verdict, const std::string& what) {
  launch->fail(verdict, launch->name(index) + ": " + what);
  failed = true;
}

void InRuntime::fail(Verdict verdict, const std::string& what) {
  block.launch->fail(verdict, block.launch->name(block.index, thread.index) + ": " + what);
  block.failed = true;
}

std::uint32_t Block::next_phase() {
  if (phase < max_phases - 1) return ++phase;
  fail(Verdict::not_supported, "synchronises too often for emulation: use a smaller size");
  return phase;
}

// Whether any warp could go on.
bool Block::settle_warps() {
  bool any = false;
  for (unsigned i = 0; i < size_; ++i) {
    const Meeting* const meeting = threads_[i].meeting;
    if (meeting == nullptr || !in_warp(*meeting)) continue;
    const unsigned first = i - threads_[i].lane();
    any |= settle(first, std::min(first + warp_size, size_), *meeting);
  }
  return any;
}

// Lets the threads of a meeting go on if all are there, but those that have ended.
bool Block::settle(unsigned first, unsigned last, Meeting meeting) {
  std::vector<Thread*> here;
  std::array<const Thread*, warp_size> lanes{};
  std::array<std::uint64_t, warp_size> values{};
  std::uint64_t sum = 0;
  for (unsigned i = first; i < last; ++i) {
    Thread& thread = threads_[i];
    const auto lane = thread.lane();
    if (thread.ended || (meeting.mask >> lane & 1) == 0) continue;
    if (thread.meeting == nullptr || !same(*thread.meeting, meeting)) return false;
    here.push_back(&thread);
    lanes[lane] = &thread;
    sum += values[lane] = thread.meeting->value;
  }
  if (meeting.scope == Scope::grid && !wait_for_grid()) return true;
  if (meeting.scope != Scope::lanes) order_by_barrier(here, in_warp(meeting));
  arrange(here, launch->order, random_);
  for (Thread* thread : here) {
    auto& [scope, operation, site, mask, value, source, missing] = *thread->meeting;
    missing = source < -1 || source >= 32 || (source >= 0 && lanes[source] == nullptr);
    value = source < 0 ? sum : values[source % 32];
    thread->meeting = nullptr;
    ready_.push_back(thread);
  }
  return true;
}

// What these threads did so far comes before all that they do from now on.
void Block::order_by_barrier(const std::vector<Thread*>& threads, bool in_warp) {
  const auto now = next_phase();
  Clock clock = threads.front()->clock;
  std::size_t acquired = 0;
  for (const Thread* thread : threads) {
    acquired = std::max(acquired, thread->acquired);
    for (unsigned i = 0; i < warp_size; ++i) {
      clock.lanes[i] = std::max(clock.lanes[i], thread->clock.lanes[i]);
    }
  }
  for (const Thread* thread : threads) clock.lanes[thread->lane()] = now;
  if (!in_warp) clock.block_phase = now;
  for (Thread* thread : threads) {
    thread->clock = clock;
    thread->acquired = acquired;
  }
}

bool Block::wait_for_grid() {
  auto last = launch->last_phase.load();
  while (last < phase && !launch->last_phase.compare_exchange_weak(last, phase)) {
  }
  launch->barrier->arrive_and_wait();
  phase = grid_phase = launch->grid_phase;
  if (grid_phase == 0)
    fail(Verdict::launch_failed, "waits at a grid barrier, but another block has ended");
  return !failed;
}

// "threads (0,0) to (15,0) waiting at __syncthreads at line 20 of a.cu; threads ... ended"
std::string Block::divergence() const {
  const auto state = [&](unsigned i) {
    const Meeting* const meeting = threads_[i].meeting;
    return meeting == nullptr ? " ended" : " waiting at " + describe(*meeting);
  };
  std::string text;
  for (unsigned first = 0, next = 0, piece = 0; first < size_; first = next, ++piece) {
    if (piece == 8) return text + "; ...";
    while (next < size_ && state(next) == state(first)) ++next;
    text += (piece > 0 ? "; " : "") + std::string(next - first > 1 ? "threads " : "thread ");
    text += coordinates(first, launch->block);
    if (next - first > 1) text += " to " + coordinates(next - 1, launch->block);
    text += state(first);
  }
  return text;
}

// ---- what kernels call; cuda.hpp declares it

uint3 built_in(BuiltIn which) { return running->built_in[static_cast<std::size_t>(which)]; }
int lane_index() { return static_cast<int>(running->lane()); }
void* dynamic_shared() { return running->block->dynamic_shared->data; }

std::uint64_t meet(Meeting meeting) {
  InRuntime here;
  const auto lane = here.thread.lane();
  if ((meeting.mask >> lane & 1) == 0) {
    here.fail(
        Verdict::wrong_result,
        describe(meeting) + ": its mask does not name the calling lane " + std::to_string(lane));
  } else if (meeting.scope == Scope::grid && !here.block.launch->barrier) {
    here.fail(Verdict::launch_failed, describe(meeting) + " in a launch that is not cooperative");
  } else {
    here.thread.meeting = &meeting;
    here.block.suspend();
  }
  if (meeting.missing) {
    here.fail(Verdict::wrong_result, describe(meeting) + " reads lane " +
                                         std::to_string(meeting.source) +
                                         ", which does not take part");
  }
  return meeting.value;
}

void fence() {
  InRuntime here;
  here.thread.fence = here.thread.clock;
  here.thread.fence->lanes[here.thread.lane()] = here.block.next_phase();
}

void copy_async(void* to, const void* from, std::size_t bytes, std::size_t zero_bytes) {
  InRuntime here;
  here.thread.copies.push_back({here.thread.copy_group, to, from, bytes - zero_bytes, zero_bytes});
}

void commit_copies() { ++running->copy_group; }

void wait_copies(unsigned groups_in_flight) {
  auto& copies = running->copies;
  auto copy = copies.begin();
  for (; copy != copies.end() && copy->group + groups_in_flight < running->copy_group; ++copy) {
    if (copy->bytes > 0) check_access(copy->from, copy->bytes, false);
    check_access(copy->to, copy->bytes + copy->zero_bytes, true);
    std::memcpy(copy->to, copy->from, copy->bytes);
    std::memset(static_cast<char*>(copy->to) + copy->bytes, 0, copy->zero_bytes);
  }
  InRuntime here;
  copies.erase(copies.begin(), copy);
}

}  // namespace parlab::emulation
