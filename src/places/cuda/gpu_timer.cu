#include "places/cuda/gpu_timer.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "core/clock.hpp"
#include "places/cuda/clocks.hpp"

namespace parlab {
namespace {

// Most executions in one batch.
constexpr int executions_at_most = 64;
// Time that an idle device may take to report that it is idle.
constexpr double least_work_left_s = 100e-6;
constexpr double share_left = 0.02;

// Called when the timed streams have ended. Returns how long the current device
// was still busy with other work of the variant; 0: it was idle.
double busy_after_s(double batch_s) {
  const auto start = std::chrono::steady_clock::now();
  cuda_check(cudaDeviceSynchronize(), "timing the variant");
  const double more = seconds_since(start);
  return more < least_work_left_s || more < share_left * batch_s ? 0 : more;
}

// Overwrites L2, so that it holds nothing from earlier work.
class L2Flush {
 public:
  explicit L2Flush(int device) {
    int l2 = 0;
    cuda_check(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device),
               "asking for L2's size");
    bytes_ = 2 * static_cast<std::size_t>(l2);
    memory_ = device_memory(bytes_, "flushing L2");
  }
  void queue(cudaStream_t stream) {
    cuda_check(cudaMemsetAsync(memory_.get(), 0, bytes_, stream),
               "flushing L2");
  }

 private:
  DeviceMemory memory_;
  std::size_t bytes_ = 0;
};

}  // namespace

// The timer's resources on one device.
struct GpuTimer::Member {
  explicit Member(CudaGpu& own)
      : gpu(own), l2(own.device()), clocks(own.cuda_stream(), own.device()) {
    for (int i = 0; i < 2 * executions_at_most; ++i)
      events.emplace_back();
    l2.queue(own.cuda_stream());
  }
  void note(int event) {
    cuda_check(cudaEventRecord(events[event].handle, gpu.cuda_stream()),
               "recording an event");
  }
  CudaGpu& gpu;
  L2Flush l2;
  Clocks clocks;
  std::vector<CudaEvent> events;
};

template <typename F>
void GpuTimer::each(F f) {
  for (auto& member : members_) {
    member->gpu.select();
    f(*member);
  }
}

GpuTimer::GpuTimer(std::vector<CudaGpu*> gpus, Patience patience)
    : gate_(gpus, std::move(patience)) {
  for (auto* gpu : gpus) {
    gpu->select();
    members_.push_back(std::make_unique<Member>(*gpu));
    cuda_check(cudaStreamSynchronize(gpu->cuda_stream()),
               "preparing the timer");
  }
}

GpuTimer::~GpuTimer() {
  for (auto& member : members_) {
    cudaSetDevice(member->gpu.device());
    member.reset();
  }
}

void GpuTimer::run_held(const std::function<void()>& before,
                        const std::function<void()>& run, double hold_s) {
  Gate::Closed closed(gate_);
  before();
  run();
  std::this_thread::sleep_for(std::chrono::duration<double>(hold_s));
  closed.open_and_wait("executing the variant");
  each([](Member&) {
    cuda_check(cudaDeviceSynchronize(), "executing the variant");
  });
}

// Times once more before blaming the variant, because the host may have been
// interrupted while it looked.
Batch GpuTimer::time(const Work& work, int count, Cache cache) {
  double left_s = 0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Batch batch =
        time_once(work, std::min(count, executions_at_most), cache, left_s);
    if (left_s == 0) return batch;
  }
  throw PointError(Verdict::implausible, Cause::left_work,
                   quantity(left_s, Unit::second));
}

Batch GpuTimer::time_once(const Work& work, int count, Cache cache,
                          double& left_s) {
  const bool cold = cache == Cache::cold;
  // Persisting lines would survive the overwriting.
  if (cold) each([](Member&) { cudaCtxResetPersistingL2Cache(); });
  Gate::Closed closed(gate_);
  each([](Member& member) { member.clocks.read(0); });
  for (int i = 0; !cold && i < work.warm_ups; ++i)
    work.run();
  for (int i = 0; i < count; ++i) {
    work.before(i);
    if (cold) {
      each([](Member& member) { member.l2.queue(member.gpu.cuda_stream()); });
    }
    meet();
    each([=](Member& member) { member.note(2 * i); });
    work.run();
    each([=](Member& member) { member.note(2 * i + 1); });
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
    if (members_.size() > 1) batch.apart.push_back(most - least);
    all += most;
  }
  left_s = 0;
  each([&](Member& member) {
    left_s = std::max(left_s, busy_after_s(all));
    // A team is as slow as its slowest GPU.
    const double hz = member.clocks.hz();
    if (batch.clock_hz != 0 && batch.clock_hz <= hz) return;
    batch.clock_hz = hz;
    batch.highest_clock_hz = member.clocks.highest_hz();
  });
  return batch;
}

}  // namespace parlab
