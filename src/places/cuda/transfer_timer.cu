#include "places/cuda/transfer_timer.hpp"

#include <algorithm>

#include "core/clock.hpp"
#include "statistics/statistics.hpp"

namespace parlab {
namespace {

// Bytes of one timed copy of pinned memory: long compared with the start of a
// copy, but little to pin.
constexpr std::size_t staged_bytes = std::size_t{16} << 20;

}  // namespace

// Pinned host memory and the same amount of device memory. Copies between them
// take as long as those of arrays in pinned memory.
struct TransferTimer::Staging {
  DeviceMemory host = pinned_memory(staged_bytes, "timing transfers");
  DeviceMemory device = device_memory(staged_bytes, "timing transfers");
  CudaEvent begin, end;
};

TransferTimes TransferTimer::times(const Variant& variant, Placement& placed,
                                   const Arrays& inputs,
                                   const Arrays& outputs) {
  TransferTimes times;
  for (auto& here : placed.parts(0)) {
    const auto& spec = here.part.spec;
    const bool wanted =
        here.is_output() ? variant.writes(spec) : variant.reads(spec);
    if (!wanted) continue;
    if (here.array.transfer_s == 0) {
      const int repetitions = spec.bytes() > (std::size_t{256} << 20) ? 1 : 5;
      std::vector<double> seconds;
      for (int i = 0; i < repetitions; ++i) {
        seconds.push_back(seconds_of([&] {
          here.is_output() ? here.download(outputs) : here.upload(inputs);
        }));
      }
      here.array.transfer_s = median(std::move(seconds));
    }
    (here.is_output() ? times.to_host_s : times.to_device_s) +=
        here.array.transfer_s;
  }
  try {
    double there = 0, back = 0;
    for (const auto& here : placed.parts(0)) {
      const auto& spec = here.part.spec;
      if (!here.is_output() && variant.reads(spec))
        there += pinned_seconds(spec.bytes(), true);
      if (here.is_output() && variant.writes(spec))
        back += pinned_seconds(spec.bytes(), false);
    }
    times.to_device_pinned_s = there;
    times.to_host_pinned_s = back;
  } catch (const PointError& error) {
    // without memory to pin, these times stay unknown
    if (error.verdict != Verdict::out_of_memory) throw;
  }
  return times;
}

// The time of a copy between pinned memory and the device. It is measured once
// per size, because arrays of equal size take equally long.
double TransferTimer::pinned_seconds(std::size_t bytes, bool to_device) {
  double& known = pinned_s_[{bytes, to_device}];
  if (known > 0) return known;
  if (!staging_) staging_ = std::make_shared<Staging>();
  auto* const stream = gpu_.cuda_stream();
  const auto copy = [&](std::size_t piece) {
    const auto status =
        to_device
            ? cudaMemcpyAsync(staging_->device.get(), staging_->host.get(),
                              piece, cudaMemcpyHostToDevice, stream)
            : cudaMemcpyAsync(staging_->host.get(), staging_->device.get(),
                              piece, cudaMemcpyDeviceToHost, stream);
    cuda_check(status, "timing pinned transfers");
  };
  copy(std::min(bytes, staged_bytes));  // the very first copy takes longer
  cuda_check(cudaEventRecord(staging_->begin.handle, stream),
             "recording an event");
  for (std::size_t done = 0; done < bytes; done += staged_bytes)
    copy(std::min(bytes - done, staged_bytes));
  cuda_check(cudaEventRecord(staging_->end.handle, stream),
             "recording an event");
  cuda_check(cudaStreamSynchronize(stream), "timing pinned transfers");
  return known = seconds_between(staging_->begin, staging_->end);
}

}  // namespace parlab
