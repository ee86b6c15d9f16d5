#include "places/cuda/team_timer.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "core/numbers.hpp"
#include "facts/cause.hpp"
#include "places/cuda/device_timer.hpp"

namespace parlab {
namespace {

// a deadlock is not a measurement
constexpr unsigned long long patience_ns = 10'000'000'000;
constexpr double patience_after_abandon_s = 10;

__device__ unsigned long long nanoseconds_now() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Waits until the word is at least that much, or patience is at an end.
__device__ void wait_until(volatile int* word,
                           int wanted,
                           volatile int* timed_out) {
  const auto start = nanoseconds_now();
  while (*word < wanted) {
    if (nanoseconds_now() - start < patience_ns) continue;
    *timed_out = 1;
    return;
  }
}

__global__ void hold(volatile int* open, volatile int* timed_out) {
  wait_until(open, 1, timed_out);
}

// One thread for each GPU that is waited for.
__global__ void meet_others(volatile int* arrived,
                            int me,
                            int meeting,
                            volatile int* timed_out) {
  if (threadIdx.x == me) arrived[me] = meeting;
  __threadfence_system();
  wait_until(&arrived[threadIdx.x], meeting, timed_out);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

// What the timer has on each device.
struct TeamTimer::Member {
  explicit Member(CudaGpu& own)
      : gpu(own), l2(own.device()), clocks(own.cuda_stream(), own.device()) {
    for (int i = 0; i < 2 * executions_at_most; ++i)
      events.emplace_back();
  }
  CudaGpu& gpu;
  L2Flush l2;
  Clocks clocks;
  std::vector<CudaEvent> events;
};

// All GPUs are held back for as long as this lives, or until they are let go.
class TeamTimer::Closed {
 public:
  explicit Closed(TeamTimer& timer) : timer_(timer) { timer.close(); }
  // Left early, by an exception: nothing stays behind.
  ~Closed() {
    if (open_) return;
    timer_.open();
    timer_.idle_within(timer_.limit_s_);
  }
  Closed(const Closed&) = delete;
  Closed& operator=(const Closed&) = delete;
  void open_and_wait(const char* doing) {
    open_ = true;
    timer_.open_and_wait(doing);
  }

 private:
  TeamTimer& timer_;
  bool open_ = false;
};

TeamTimer::TeamTimer(std::vector<CudaGpu*> gpus,
                     std::function<void()> abandon,
                     double limit_s)
    : abandon_(std::move(abandon)),
      limit_s_(limit_s),
      words_(mapped_memory<Words>()) {
  *words_ = {};
  for (auto* gpu : gpus) {
    gpu->select();
    members_.push_back(std::make_unique<Member>(*gpu));
    members_.back()->l2.queue(gpu->cuda_stream());
  }
  // The first use of a kernel loads its code, which must not
  // happen behind a closed gate.
  open();
  for (auto& member : members_) {
    member->gpu.select();
    hold<<<1, 1, 0, member->gpu.cuda_stream()>>>(&words_->open,
                                                 &words_->timed_out);
  }
  meet();
  for (auto& member : members_) {
    member->gpu.select();
    cuda_check(cudaDeviceSynchronize(), "preparing the timer of a team");
  }
}

TeamTimer::~TeamTimer() {
  for (auto& member : members_) {
    member->gpu.select();
    member.reset();
  }
}

void TeamTimer::close() {
  words_->open = words_->timed_out = 0;
  for (auto& member : members_) {
    member->gpu.select();
    hold<<<1, 1, 0, member->gpu.cuda_stream()>>>(&words_->open,
                                                 &words_->timed_out);
    cuda_check(cudaGetLastError(), "queueing the gate");
  }
}

void TeamTimer::meet() {
  ++meetings_;
  const int count = static_cast<int>(members_.size());
  for (int i = 0; i < count; ++i) {
    auto& gpu = members_[i]->gpu;
    gpu.select();
    meet_others<<<1, count, 0, gpu.cuda_stream()>>>(
        words_->arrived, i, meetings_, &words_->timed_out);
    cuda_check(cudaGetLastError(), "queueing a meeting of the GPUs");
  }
}

bool TeamTimer::idle_within(double seconds) const {
  const auto start = std::chrono::steady_clock::now();
  for (const auto& member : members_) {
    while (cudaStreamQuery(member->gpu.cuda_stream()) == cudaErrorNotReady) {
      if (seconds_since(start) > seconds) return false;
      std::this_thread::yield();
    }
  }
  return true;
}

void TeamTimer::open_and_wait(const char* doing) {
  open();
  if (!idle_within(limit_s_)) {
    abandon_();
    const std::string late =
        "was not done " + significant(limit_s_, 3) +
        " s after all GPUs might start: a transfer that waits for a GPU which "
        "takes no part in it, or an endless loop";
    if (idle_within(patience_after_abandon_s))
      throw PointError(Verdict::timed_out, late);
    hangs_ = true;
    throw PointError(Verdict::launch_failed, late + "; it could not be ended");
  }
  for (const auto& member : members_) {
    cuda_check(cudaStreamQuery(member->gpu.cuda_stream()), doing);
  }
  if (words_->timed_out != 0) {
    throw PointError(
        Verdict::launch_failed,
        "the variant waits for a GPU while it runs: it must only queue work, "
        "without "
        "cudaDeviceSynchronize, cudaMalloc or copies to pageable memory");
  }
}

void TeamTimer::run_held(const std::function<void()>& before,
                         const std::function<void()>& run,
                         double hold_s) {
  Closed closed(*this);
  before();
  run();
  std::this_thread::sleep_for(std::chrono::duration<double>(hold_s));
  closed.open_and_wait("executing the variant");
  for (auto& member : members_) {
    member->gpu.select();
    cuda_check(cudaDeviceSynchronize(), "executing the variant");
  }
}

Batch TeamTimer::time(const Work& work, int count, Cache cache) {
  count = std::min(count, executions_at_most);
  const auto each = [&](const auto& f) {
    for (auto& member : members_) {
      member->gpu.select();
      f(*member);
    }
  };
  const auto note = [&](int event) {
    each([&](Member& member) {
      cuda_check(cudaEventRecord(member.events[event].handle,
                                 member.gpu.cuda_stream()),
                 "recording an event");
    });
  };
  if (cache == Cache::cold)
    each([](Member& member) { member.l2.reset_persisting(); });
  Closed closed(*this);
  each([](Member& member) { member.clocks.read(0); });
  if (cache == Cache::hot) {
    for (int i = 0; i < warm_ups; ++i)
      work.run();
  }
  for (int i = 0; i < count; ++i) {
    work.before(i);
    if (cache == Cache::cold) {
      each([](Member& member) { member.l2.queue(member.gpu.cuda_stream()); });
    }
    meet();
    note(2 * i);
    work.run();
    note(2 * i + 1);
  }
  work.after();
  each([](Member& member) { member.clocks.read(1); });
  closed.open_and_wait("timing the variant");

  Batch batch;
  double all = 0;
  for (int i = 0; i < count; ++i) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    each([&](Member& member) {
      const double seconds =
          seconds_between(member.events[2 * i], member.events[2 * i + 1]);
      least = std::min(least, seconds);
      most = std::max(most, seconds);
    });
    batch.seconds.push_back(most);
    batch.apart.push_back(most - least);
    all += most;
  }
  each([&](Member& member) {
    if (const double left_s = busy_after_s(all); left_s > 0)
      refuse_work_left(left_s);
    // A team is done when its slowest GPU is.
    const double hz = member.clocks.hz();
    if (batch.clock_hz != 0 && batch.clock_hz <= hz) return;
    batch.clock_hz = hz;
    batch.highest_clock_hz = member.clocks.highest_hz();
  });
  return batch;
}

}  // namespace parlab
