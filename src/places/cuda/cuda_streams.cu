#include "facts/cause.hpp"
#include "places/cuda/cuda_streams.hpp"

#include <utility>

namespace parlab {

CudaStreams::Stream& CudaStreams::stream(int i) {
  require_stream(i);
  while (static_cast<int>(streams_.size()) <= i) {
    streams_.push_back(std::make_unique<Stream>());
    streams_.back()->gpu = std::make_unique<CudaGpu>(gpu_.device());
    streams_.back()->gpu->share_scratch();
    streams_.back()->gpu->select_scratch(call_);
  }
  Stream& chosen = *streams_[static_cast<std::size_t>(i)];
  if (!std::exchange(chosen.used, true)) {
    chosen.gpu->begin_run();
    cuda_check(cudaStreamWaitEvent(chosen.gpu->cuda_stream(), begins_.handle),
               "waiting for the execution to begin");
    ++queued_;
  }
  return chosen;
}

void CudaStreams::begin() {
  gpu_.select();
  queued_ = 0;
  for (auto& each : streams_)
    each->used = false;
  cuda_check(cudaEventRecord(begins_.handle, gpu_.cuda_stream()),
             "recording an event");
}

void CudaStreams::end() {
  gpu_.select();
  for (auto& each : streams_) {
    if (!each->used) continue;
    cuda_check(cudaEventRecord(each->reached.handle, each->gpu->cuda_stream()),
               "recording an event");
    cuda_check(cudaStreamWaitEvent(gpu_.cuda_stream(), each->reached.handle),
               "waiting for a stream");
    queued_ += 2;
  }
}

// A stream waits for the event as last recorded; later recordings do not affect
// it.
void CudaStreams::wait(int i, int other) {
  auto &waits = stream(i), &awaited = stream(other);
  if (&waits == &awaited) return;
  gpu_.select();
  cuda_check(
      cudaEventRecord(awaited.reached.handle, awaited.gpu->cuda_stream()),
      "recording an event");
  cuda_check(
      cudaStreamWaitEvent(waits.gpu->cuda_stream(), awaited.reached.handle),
      "waiting for a stream");
  queued_ += 2;
}

void CudaStreams::queue(int i, const Rows& rows, cudaMemcpyKind kind,
                        const char* what) {
  auto* const on = stream(i).gpu->cuda_stream();
  gpu_.select();
  const auto status =
      rows.count == 1
          ? cudaMemcpyAsync(rows.to, rows.from, rows.bytes, kind, on)
          : cudaMemcpy2DAsync(rows.to, rows.to_pitch, rows.from,
                              rows.from_pitch, rows.bytes, rows.count, kind,
                              on);
  cuda_check(status, what);
  ++queued_;
}

void CudaStreams::select_scratch(const std::string& call) {
  call_ = call;
  for (auto& each : streams_)
    each->gpu->select_scratch(call);
}

void CudaStreams::release_scratch() {
  for (auto& each : streams_)
    each->gpu->release_scratch();
}

Detail CudaStreams::scratch_damage() const {
  for (const auto& each : streams_) {
    if (auto damage = each->gpu->scratch_damage()) return damage;
  }
  return {};
}

void CudaStreams::put_back() noexcept {
  for (auto& each : streams_)
    each->gpu->put_back();
}

LaunchShape CudaStreams::main_launch() const {
  LaunchShape main;
  int launches = 0;
  const auto weight = [](const LaunchShape& shape) {
    return std::pair(shape.registers,
                     shape.grid[0] * shape.grid[1] * shape.grid[2]);
  };
  for (const auto& each : streams_) {
    if (!each->used) continue;
    const auto shape = each->gpu->main_launch();
    launches += shape.launches;
    if (weight(shape) > weight(main)) main = shape;
  }
  main.launches = launches;
  return main;
}

}  // namespace parlab
