// Calls of CUDA's runtime that a submission makes itself, on a real GPU. They
// become part of the execution that makes them. An execution is queued as a
// whole before it runs, so no call here waits for the device. Memory is scratch
// memory, which each execution gets again. Copies and fills go to the stream of
// the execution. So do launches in angle brackets, which scripts/launches.awk
// writes as chevrons(). Calls for which the host must wait, such as a copy to
// its memory, are not available.
//
// scripts/compile-submission.sh includes this file before the submission.
#pragma once

#include <cstdlib>

#include "gpu/gpu.hpp"

#ifndef PARLAB_EMULATED

namespace parlab {

// The Gpu given to the execution that this OS thread makes.
Gpu& gpu_at_work();

namespace own_calls {

inline Gpu& gpu() {
  return gpu_at_work();
}
inline cudaStream_t stream() {
  return static_cast<cudaStream_t>(gpu().stream());
}

template <typename T>
cudaError_t allocate(T** memory, std::size_t bytes) {
  *memory = reinterpret_cast<T*>(
      gpu().scratch<char>(static_cast<std::int64_t>(bytes)));
  return cudaSuccess;
}
// Keeps scratch memory, because the next execution uses it again.
inline cudaError_t free(const void*) {
  return cudaSuccess;
}
inline cudaError_t ready() {
  return cudaSuccess;
}
inline cudaError_t copy(void* to, const void* from, std::size_t bytes,
                        cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)
    return cudaMemcpyAsync(to, from, bytes, kind, stream());
  gpu().copy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t fill(void* to, int value, std::size_t bytes) {
  return cudaMemsetAsync(to, value, bytes, stream());
}
template <typename T>
cudaError_t to_symbol(const T& symbol, const void* from, std::size_t bytes,
                      std::size_t offset = 0,
                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  void* address = nullptr;
  const auto status = cudaGetSymbolAddress(&address, symbol);
  if (status != cudaSuccess) return status;
  return copy(static_cast<char*>(address) + offset, from, bytes, kind);
}
template <typename T>
T plain(T value) {
  return value;
}
template <typename T>
T* plain(const T* value) {
  return const_cast<T*>(value);
}

struct Chevrons {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;

  template <typename F, typename... A>
  void operator()(const char*, F call, A... arguments) const {
    call(*this, plain(arguments)...);
  }
};

}  // namespace own_calls

// All of the submission's own streams stand for that of the execution.
inline own_calls::Chevrons chevrons(dim3 grid, dim3 block,
                                    std::size_t shared_bytes = 0,
                                    cudaStream_t = nullptr) {
  return {grid, block, shared_bytes, own_calls::stream()};
}

}  // namespace parlab

#define PARLAB_CALL(at, ...) \
  __VA_ARGS__<<<at.grid, at.block, at.shared_bytes, at.stream>>>

#define cudaMalloc(memory, bytes) parlab::own_calls::allocate(memory, bytes)
#define cudaMallocAsync(memory, bytes, stream) \
  parlab::own_calls::allocate(memory, bytes)
#define cudaFree(memory) parlab::own_calls::free(memory)
#define cudaFreeAsync(memory, stream) parlab::own_calls::free(memory)
#define cudaMemcpy(to, from, bytes, kind) \
  parlab::own_calls::copy(to, from, bytes, kind)
#define cudaMemset(to, value, bytes) parlab::own_calls::fill(to, value, bytes)
#define cudaMemcpyToSymbol(...) parlab::own_calls::to_symbol(__VA_ARGS__)
#define cudaDeviceSynchronize() parlab::own_calls::ready()
#define cudaStreamSynchronize(stream) parlab::own_calls::ready()
#define cudaEventSynchronize(event) parlab::own_calls::ready()
#define cudaDeviceReset() parlab::own_calls::ready()

#endif
