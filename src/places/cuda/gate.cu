#include "places/cuda/gate.hpp"

#include <chrono>
#include <cmath>
#include <thread>

#include "core/clock.hpp"

namespace parlab {
namespace {

// gives up, because a deadlock is not a measurement
constexpr unsigned long long patience_ns = 10'000'000'000;
constexpr double patience_after_abandon_s = 10;

__device__ unsigned long long nanoseconds_now() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Waits until the word reaches `wanted`, or patience runs out.
__device__ void wait_until(volatile int* word, int wanted,
                           volatile int* timed_out) {
  const auto start = nanoseconds_now();
  while (*word < wanted) {
    if (nanoseconds_now() - start < patience_ns) continue;
    *timed_out = 1;
    return;
  }
}

__global__ void wait_for_host(volatile int* open, volatile int* timed_out) {
  wait_until(open, 1, timed_out);
}

// One thread for each GPU that this one waits for.
__global__ void meet_others(volatile int* arrived, int me, int meeting,
                            volatile int* timed_out) {
  if (threadIdx.x == me) arrived[me] = meeting;
  __threadfence_system();
  wait_until(&arrived[threadIdx.x], meeting, timed_out);
}

}  // namespace

// Loads the kernels, because their first use does so, and that must not happen
// behind a closed gate.
Gate::Gate(std::vector<CudaGpu*> gpus, Patience patience)
    : gpus_(std::move(gpus)),
      patience_(std::move(patience)),
      words_(mapped_memory<Words>()) {
  *words_ = {};
  open();
  hold();
  meet();
  for (auto* gpu : gpus_) {
    gpu->select();
    cuda_check(cudaDeviceSynchronize(), "preparing the gate");
  }
}

void Gate::close() {
  words_->open = words_->timed_out = 0;
  hold();
}

void Gate::hold() {
  for (auto* gpu : gpus_) {
    gpu->select();
    wait_for_host<<<1, 1, 0, gpu->cuda_stream()>>>(&words_->open,
                                                   &words_->timed_out);
    cuda_check(cudaGetLastError(), "queueing the gate");
  }
}

void Gate::meet() {
  if (gpus_.size() == 1) return;
  ++meetings_;
  const int count = static_cast<int>(gpus_.size());
  for (int i = 0; i < count; ++i) {
    gpus_[i]->select();
    meet_others<<<1, count, 0, gpus_[i]->cuda_stream()>>>(
        words_->arrived, i, meetings_, &words_->timed_out);
    cuda_check(cudaGetLastError(), "queueing a meeting of the GPUs");
  }
}

bool Gate::idle_within(double seconds) const {
  const auto start = std::chrono::steady_clock::now();
  for (const auto* gpu : gpus_) {
    while (cudaStreamQuery(gpu->cuda_stream()) == cudaErrorNotReady) {
      if (seconds_since(start) > seconds) return false;
      std::this_thread::yield();
    }
  }
  return true;
}

void Gate::settle() const {
  if (std::isfinite(patience_.limit_s)) {
    idle_within(patience_.limit_s);
    return;
  }
  for (const auto* gpu : gpus_)
    cudaStreamSynchronize(gpu->cuda_stream());
}

void Gate::wait(const char* doing) {
  // errors of launches that a variant made on its own
  const auto launched = cudaGetLastError();
  if (std::isfinite(patience_.limit_s) && !idle_within(patience_.limit_s)) {
    patience_.abandon();
    Detail late = because(Cause::team_not_done,
                          quantity(patience_.limit_s, Unit::second));
    if (idle_within(patience_after_abandon_s))
      throw PointError(Verdict::timed_out, late);
    hangs_ = true;
    late.further.push_back({.cause = Cause::not_ended});
    throw PointError(Verdict::launch_failed, late);
  }
  for (const auto* gpu : gpus_)
    cuda_check(cudaStreamSynchronize(gpu->cuda_stream()), doing);
  cuda_check(launched, doing);
  if (words_->timed_out != 0) {
    throw PointError(Verdict::launch_failed, Cause::waits_for_device);
  }
}

}  // namespace parlab
