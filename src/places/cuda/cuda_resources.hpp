// RAII for CUDA's resources, and the common way to check a call.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "core/types.hpp"
#include "facts/cause.hpp"

namespace parlab {

// Throws PointError with what was tried and CUDA's own error message.
inline void cuda_check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  // The administrator allows only one process at a time on the device.
  if (status == cudaErrorDevicesUnavailable)
    throw PointError(Verdict::no_device, Cause::gpu_held, what);
  const auto verdict = status == cudaErrorMemoryAllocation
                           ? Verdict::out_of_memory
                           : Verdict::launch_failed;
  throw PointError(verdict, Cause::cuda_failed, what,
                   cudaGetErrorString(status));
}

struct CudaStream {
  CudaStream() {
    // Non-blocking: work on the default stream and our work do not wait for
    // each other.
    cuda_check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking),
               "creating a stream");
  }
  ~CudaStream() { cudaStreamDestroy(handle); }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  cudaStream_t handle{};
};

struct CudaEvent {
  CudaEvent() { cuda_check(cudaEventCreate(&handle), "creating an event"); }
  ~CudaEvent() {
    if (handle != nullptr) cudaEventDestroy(handle);
  }
  CudaEvent(CudaEvent&& other) noexcept
      : handle(std::exchange(other.handle, nullptr)) {}
  CudaEvent& operator=(CudaEvent&&) = delete;
  cudaEvent_t handle{};
};

inline double seconds_between(const CudaEvent& start, const CudaEvent& stop) {
  float milliseconds = 0;
  cuda_check(cudaEventElapsedTime(&milliseconds, start.handle, stop.handle),
             "reading events");
  return milliseconds * 1e-3;
}

struct CudaFree {
  bool on_host = false;
  void operator()(unsigned char* memory) const {
    on_host ? cudaFreeHost(memory) : cudaFree(memory);
  }
};
// Memory on the device, or pinned memory on the host, which the device accesses
// at the same address.
using DeviceMemory = std::unique_ptr<unsigned char, CudaFree>;
// Throws PointError(out_of_memory) with the bytes needed and free.
DeviceMemory device_memory(std::size_t bytes, const std::string& what_for);
// The same for pinned host memory. Pages are pinned one by one, which takes a
// third of a second per GiB.
DeviceMemory pinned_memory(std::size_t bytes, const std::string& what_for);

struct CudaFreeHost {
  void operator()(void* memory) const { cudaFreeHost(memory); }
};
// Host memory that the device can read and write while a kernel runs.
template <typename T>
std::unique_ptr<T, CudaFreeHost> mapped_memory() {
  void* memory = nullptr;
  cuda_check(cudaHostAlloc(&memory, sizeof(T), cudaHostAllocMapped),
             "mapping host memory");
  return std::unique_ptr<T, CudaFreeHost>(static_cast<T*>(memory));
}

}  // namespace parlab
