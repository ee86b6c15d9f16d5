#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "places/cuda/device_timer.hpp"

namespace parlab {
namespace {

constexpr int events_at_most = 64;
// The caches are full of what ran before: it takes a few executions until they hold what this one
// keeps there.
constexpr int warm_ups = 4;
// Boost varies by a few per cent; below this share of the highest clock it was throttled or idle.
constexpr double clock_share = 0.75;
// What an idle device may still take to say that it is idle.
constexpr double least_work_left_s = 100e-6;
constexpr double share_left = 0.02;

__device__ unsigned long long global_nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Every multiprocessor notes its own cycle counter and the common clock. More blocks than
// multiprocessors: each gets at least one.
__global__ void note_clocks(unsigned long long* cycles, unsigned long long* nanoseconds) {
  if (threadIdx.x != 0) return;
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  cycles[sm] = clock64();
  nanoseconds[sm] = global_nanoseconds();
}

int current_device() {
  int device = 0;
  cuda_check(cudaGetDevice(&device), "asking for the device");
  return device;
}

}  // namespace

DeviceTimer::DeviceTimer(cudaStream_t stream)
    : stream_(stream), device_(current_device()), gate_(stream), l2_(device_) {
  for (int i = 0; i < 2 * events_at_most; ++i) events_.emplace_back();
  int kilohertz = 0;
  cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device_);
  cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device_);
  highest_hz_ = 1e3 * kilohertz;
  clock_memory_ = device_memory(4 * multiprocessors_ * sizeof(unsigned long long), "clocks");
  // The first use of a kernel loads its code, which must not happen behind a closed gate.
  run_held([] {}, [] {});
  l2_.queue(stream_);
  read_clocks(0);
  cuda_check(cudaStreamSynchronize(stream_), "preparing the timer");
}

void DeviceTimer::run_held(const std::function<void()>& before, const std::function<void()>& run,
                           double hold_s) {
  Gate::Closed closed(gate_);
  before();
  run();
  std::this_thread::sleep_for(std::chrono::duration<double>(hold_s));
  closed.open_and_wait("executing the variant");
  cuda_check(cudaDeviceSynchronize(), "executing the variant");
}

void DeviceTimer::read_clocks(int slot) {
  auto* base =
      reinterpret_cast<unsigned long long*>(clock_memory_.get()) + 2 * slot * multiprocessors_;
  note_clocks<<<4 * multiprocessors_, 32, 0, stream_>>>(base, base + multiprocessors_);
}

double DeviceTimer::clock_hz() const {
  const std::size_t n = multiprocessors_;
  std::vector<unsigned long long> raw(4 * n);
  cuda_check(cudaMemcpy(raw.data(), clock_memory_.get(), raw.size() * sizeof raw[0],
                        cudaMemcpyDeviceToHost),
             "reading clocks");
  std::vector<double> hz;
  for (std::size_t sm = 0; sm < n; ++sm) {
    const double cycles = static_cast<double>(raw[2 * n + sm] - raw[sm]);
    const double ns = static_cast<double>(raw[3 * n + sm] - raw[n + sm]);
    if (ns > 0) hz.push_back(1e9 * cycles / ns);
  }
  if (hz.empty()) return highest_hz_;
  std::nth_element(hz.begin(), hz.begin() + hz.size() / 2, hz.end());
  return hz[hz.size() / 2];
}

// The stream has ended; is anything else of the variant still running?
void DeviceTimer::require_idle(double batch_s) {
  const auto start = std::chrono::steady_clock::now();
  cuda_check(cudaDeviceSynchronize(), "timing the variant");
  const double more =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (more < least_work_left_s || more < share_left * batch_s) return;
  char text[128];
  std::snprintf(text, sizeof text,
                "left work on another stream: the device was busy for %.3g us after its time ended",
                1e6 * more);
  throw PointError(Verdict::implausible, text);
}

Batch DeviceTimer::time(const Work& work, int count, Cache cache) {
  count = std::min(count, events_at_most);
  if (cache == Cache::cold) l2_.reset_persisting();
  Gate::Closed closed(gate_);
  read_clocks(0);
  if (cache == Cache::hot) {
    for (int i = 0; i < warm_ups; ++i) work.run();
  }
  for (int i = 0; i < count; ++i) {
    work.before(i);
    if (cache == Cache::cold) l2_.queue(stream_);
    cuda_check(cudaEventRecord(events_[2 * i].handle, stream_), "recording an event");
    work.run();
    cuda_check(cudaEventRecord(events_[2 * i + 1].handle, stream_), "recording an event");
  }
  work.after();
  read_clocks(1);
  closed.open_and_wait("timing the variant");
  Batch batch;
  double all = 0;
  for (int i = 0; i < count; ++i) {
    batch.seconds.push_back(seconds_between(events_[2 * i], events_[2 * i + 1]));
    all += batch.seconds.back();
  }
  require_idle(all);
  batch.clock_hz = clock_hz();
  if (batch.clock_hz < clock_share * highest_hz_) {
    char text[96];
    std::snprintf(text, sizeof text, "the device ran at %.0f MHz of %.0f", batch.clock_hz / 1e6,
                  highest_hz_ / 1e6);
    batch.discarded = text;
  }
  return batch;
}

}  // namespace parlab
