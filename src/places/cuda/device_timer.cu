#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "facts/cause.hpp"
#include "places/cuda/device_timer.hpp"

namespace parlab {
namespace {

// How long an idle device may take to say that it is idle.
constexpr double least_work_left_s = 100e-6;
constexpr double share_left = 0.02;

int current_device() {
  int device = 0;
  cuda_check(cudaGetDevice(&device), "asking for the device");
  return device;
}

}  // namespace

DeviceTimer::DeviceTimer(cudaStream_t stream)
    : stream_(stream),
      device_(current_device()),
      gate_(stream),
      l2_(device_),
      clocks_(stream, device_) {
  for (int i = 0; i < 2 * executions_at_most; ++i)
    events_.emplace_back();
  // The first use of a kernel loads its code, which must not
  // happen behind a closed gate.
  run_held([] {}, [] {});
  l2_.queue(stream_);
  cuda_check(cudaStreamSynchronize(stream_), "preparing the timer");
}

void DeviceTimer::run_held(const std::function<void()>& before,
                           const std::function<void()>& run,
                           double hold_s) {
  Gate::Closed closed(gate_);
  before();
  run();
  std::this_thread::sleep_for(std::chrono::duration<double>(hold_s));
  closed.open_and_wait("executing the variant");
  cuda_check(cudaDeviceSynchronize(), "executing the variant");
}

double busy_after_s(double batch_s) {
  const auto start = std::chrono::steady_clock::now();
  cuda_check(cudaDeviceSynchronize(), "timing the variant");
  const double more =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return more < least_work_left_s || more < share_left * batch_s ? 0 : more;
}

void refuse_work_left(double seconds) {
  char text[128];
  std::snprintf(text, sizeof text,
                "left work on another stream: the device was busy for %.3g us "
                "after its time ended",
                1e6 * seconds);
  throw PointError(Verdict::implausible, text);
}

// Once more before the variant is blamed: the host may have been
// interrupted while it looked.
Batch DeviceTimer::time(const Work& work, int count, Cache cache) {
  double left_s = 0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Batch batch =
        time_once(work, std::min(count, executions_at_most), cache, left_s);
    if (left_s == 0) return batch;
  }
  refuse_work_left(left_s);
}

Batch DeviceTimer::time_once(const Work& work,
                             int count,
                             Cache cache,
                             double& left_s) {
  if (cache == Cache::cold) l2_.reset_persisting();
  Gate::Closed closed(gate_);
  clocks_.read(0);
  if (cache == Cache::hot) {
    for (int i = 0; i < warm_ups; ++i)
      work.run();
  }
  for (int i = 0; i < count; ++i) {
    work.before(i);
    if (cache == Cache::cold) l2_.queue(stream_);
    cuda_check(cudaEventRecord(events_[2 * i].handle, stream_),
               "recording an event");
    work.run();
    cuda_check(cudaEventRecord(events_[2 * i + 1].handle, stream_),
               "recording an event");
  }
  work.after();
  clocks_.read(1);
  closed.open_and_wait("timing the variant");
  Batch batch;
  double all = 0;
  for (int i = 0; i < count; ++i) {
    batch.seconds.push_back(
        seconds_between(events_[2 * i], events_[2 * i + 1]));
    all += batch.seconds.back();
  }
  left_s = busy_after_s(all);
  batch.clock_hz = clocks_.hz();
  batch.highest_clock_hz = clocks_.highest_hz();
  return batch;
}

}  // namespace parlab
