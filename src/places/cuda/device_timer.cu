#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "places/cuda/device_timer.hpp"

namespace parlab {
namespace {

constexpr unsigned long long gate_limit_ns = 10'000'000'000;  // a deadlock is not a measurement
constexpr int events_at_most = 64;
// The caches are full of what ran before: it takes a few executions until they hold what this one
// keeps there.
constexpr int warm_ups = 4;
// Boost varies by a few per cent; below this share of the highest clock it was throttled or idle.
constexpr double clock_share = 0.75;

__device__ unsigned long long global_nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void wait_for_host(volatile int* open, volatile int* timed_out) {
  const auto start = global_nanoseconds();
  while (*open == 0) {
    if (global_nanoseconds() - start > gate_limit_ns) {
      *timed_out = 1;
      return;
    }
  }
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

}  // namespace

DeviceTimer::DeviceTimer(cudaStream_t stream) : stream_(stream), gate_(mapped_memory<Gate>()) {
  for (int i = 0; i < 2 * events_at_most; ++i) events_.emplace_back();
  int device = 0, l2 = 0, kilohertz = 0;
  cuda_check(cudaGetDevice(&device), "asking for the device");
  cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device);
  cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device);
  cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device);
  highest_hz_ = 1e3 * kilohertz;
  flush_bytes_ = 2 * static_cast<std::size_t>(l2);
  flush_memory_ = device_memory(flush_bytes_, "flushing L2");
  clock_memory_ = device_memory(4 * multiprocessors_ * sizeof(unsigned long long), "clocks");
  // The first use of a kernel loads its code, which must not happen behind a closed gate.
  run_held([] {}, [] {});
  flush();
  read_clocks(0);
  cuda_check(cudaStreamSynchronize(stream_), "preparing the timer");
}

void DeviceTimer::close_gate() {
  *gate_ = {0, 0};
  wait_for_host<<<1, 1, 0, stream_>>>(&gate_->open, &gate_->timed_out);
  cuda_check(cudaGetLastError(), "queueing the gate");
}

void DeviceTimer::open_gate_and_wait(const char* doing) {
  reinterpret_cast<volatile int&>(gate_->open) = 1;
  cuda_check(cudaStreamSynchronize(stream_), doing);
  cuda_check(cudaGetLastError(), doing);
  if (gate_->timed_out != 0) {
    throw PointError(Verdict::launch_failed,
                     "the variant waits for the device while it runs: it must only queue work, "
                     "without cudaDeviceSynchronize, cudaMalloc or copies to pageable memory");
  }
}

void DeviceTimer::run_held(const std::function<void()>& before, const std::function<void()>& run,
                           double hold_s) {
  close_gate();
  try {
    before();
    run();
    std::this_thread::sleep_for(std::chrono::duration<double>(hold_s));
  } catch (...) {
    reinterpret_cast<volatile int&>(gate_->open) = 1;
    cudaStreamSynchronize(stream_);
    throw;
  }
  open_gate_and_wait("executing the variant");
  cuda_check(cudaDeviceSynchronize(), "executing the variant");
}

void DeviceTimer::flush() {
  cuda_check(cudaMemsetAsync(flush_memory_.get(), 0, flush_bytes_, stream_), "flushing L2");
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

Batch DeviceTimer::time(const std::function<void()>& run, int count, Cache cache) {
  count = std::min(count, events_at_most);
  if (cache == Cache::cold) cudaCtxResetPersistingL2Cache();
  close_gate();
  try {
    read_clocks(0);
    if (cache == Cache::hot) {
      for (int i = 0; i < warm_ups; ++i) run();
    }
    for (int i = 0; i < count; ++i) {
      if (cache == Cache::cold) flush();
      cuda_check(cudaEventRecord(events_[2 * i].handle, stream_), "recording an event");
      run();
      cuda_check(cudaEventRecord(events_[2 * i + 1].handle, stream_), "recording an event");
    }
    read_clocks(1);
  } catch (...) {
    reinterpret_cast<volatile int&>(gate_->open) = 1;
    cudaStreamSynchronize(stream_);
    throw;
  }
  open_gate_and_wait("timing the variant");
  Batch batch;
  for (int i = 0; i < count; ++i) {
    batch.seconds.push_back(seconds_between(events_[2 * i], events_[2 * i + 1]));
  }
  if (const double hz = clock_hz(); hz < clock_share * highest_hz_) {
    char text[96];
    std::snprintf(text, sizeof text, "the device ran at %.0f MHz of %.0f", hz / 1e6,
                  highest_hz_ / 1e6);
    batch.discarded = text;
  }
  return batch;
}

}  // namespace parlab
