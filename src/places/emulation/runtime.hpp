// Calls of CUDA's runtime that a program makes around its kernels: memory,
// copies, symbols, streams and events, and launches in angle brackets. The
// calls of a variant belong to the execution that makes them, on the emulated
// GPU that it was given. Streams run in order here, and what depends on that is
// found.
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <span>
#include <utility>

#include "places/emulation/runtime_types.hpp"

namespace parlab::emulation {

// While it lives, this thread's calls queue work on a stream. The host waits
// for copies on the default stream.
class OnStream {
 public:
  explicit OnStream(cudaStream_t stream);
  ~OnStream();
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;

 private:
  std::uintptr_t before_;
};
// Make a stream or an event.
cudaStream_t make_stream(unsigned flags);
unsigned flags_of(cudaStream_t stream);
cudaEvent_t make_event();
void record(cudaEvent_t event, cudaStream_t stream);
void let_wait(cudaStream_t stream, cudaEvent_t event);
// The host waits.
void wait_for(cudaStream_t stream);
void wait_for(cudaEvent_t event);
void wait_for_all();

// Memory on the GPU of this execution. name: the program's name for it.
void* own_memory(std::size_t bytes, const char* name, bool managed);
void free_own_memory(void* memory);
void copy_own(void* to, const void* from, std::size_t bytes,
              cudaMemcpyKind kind, const char* operation);
void fill_own(void* to, int value, std::size_t bytes);
// Allows a kernel more than 48 KB of shared memory.
void allow_much_shared_memory();
void launch_own(const char* name, dim3 grid, dim3 block,
                std::size_t shared_bytes, bool cooperative,
                const std::function<void()>& thread,
                std::span<const std::byte> arguments);

// Converts the framework's const pointers to the plain ones that a kernel
// takes; writes through them are found.
template <typename T>
T plain(T value) {
  return value;
}
template <typename T>
T* plain(const T* value) {
  return const_cast<T*>(value);
}

// `kernel<<<grid, block>>>(x)` in the form that scripts/launches.awk writes for
// a C++ compiler: chevrons(grid, block)("kernel", [=](const auto&, auto... x) {
// kernel(x...); }, x).
struct Chevrons {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;

  template <typename F, typename... A>
  void operator()(const char* name, F call, A... arguments) const {
    const OnStream on(stream);
    const auto thread = [=, this_launch = *this] {
      call(this_launch, plain(arguments)...);
    };
    launch_own(name, grid, block, shared_bytes, false, std::cref(thread),
               std::as_bytes(std::span(&thread, 1)));
  }
};
#define PARLAB_CALL(config, ...) __VA_ARGS__

}  // namespace parlab::emulation

namespace parlab {

inline emulation::Chevrons chevrons(dim3 grid, dim3 block,
                                    std::size_t shared_bytes = 0,
                                    cudaStream_t stream = nullptr) {
  return {grid, block, shared_bytes, stream};
}

}  // namespace parlab

namespace parlab::emulation::cuda {

// Does something, or nothing, and reports success.
#define PARLAB_SUCCEEDS(name, parameters, ...) \
  inline cudaError_t name parameters {         \
    __VA_ARGS__;                               \
    return cudaSuccess;                        \
  }
// Gives a value to what its first argument points to.
#define PARLAB_GIVES(name, value)           \
  template <typename T, typename... Others> \
  cudaError_t name(T* to, Others...) {      \
    *to = value;                            \
    return cudaSuccess;                     \
  }
// Accepts any arguments and does nothing.
#define PARLAB_IGNORED(name) \
  template <typename... T>   \
  cudaError_t name(T...) {   \
    return cudaSuccess;      \
  }

// ---- memory
template <typename T>
cudaError_t allocate_own(T** memory, std::size_t bytes, const char* name,
                         bool managed = false) {
  *memory = static_cast<T*>(own_memory(bytes, name, managed));
  return cudaSuccess;
}
// These pass the name of the pointer on for messages.
#define cudaMalloc(memory, bytes) allocate_own(memory, bytes, #memory)
#define cudaMallocManaged(memory, ...) \
  allocate_managed(#memory, memory, __VA_ARGS__)
#define cudaMallocAsync(memory, bytes, stream) \
  allocate_own(memory, bytes, #memory)
template <typename T>
cudaError_t allocate_managed(const char* name, T** memory, std::size_t bytes,
                             unsigned = cudaMemAttachGlobal) {
  return allocate_own(memory, bytes, name, true);
}
template <typename T>
cudaError_t cudaMallocPitch(T** memory, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return allocate_own(memory, *pitch * height, "memory with a pitch");
}
inline cudaExtent make_cudaExtent(std::size_t width, std::size_t height,
                                  std::size_t depth) {
  return {width, height, depth};
}
inline cudaPos make_cudaPos(std::size_t x, std::size_t y, std::size_t z) {
  return {x, y, z};
}
inline cudaPitchedPtr make_cudaPitchedPtr(void* memory, std::size_t pitch,
                                          std::size_t x, std::size_t y) {
  return {memory, pitch, x, y};
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent) {
  *memory = {nullptr, 0, extent.width, extent.height};
  return cudaMallocPitch(&memory->ptr, &memory->pitch, extent.width,
                         extent.height * extent.depth);
}
PARLAB_SUCCEEDS(cudaFree, (void* memory), wait_for_all();
                free_own_memory(memory))
PARLAB_SUCCEEDS(cudaFreeAsync, (void* memory, cudaStream_t),
                free_own_memory(memory))
template <typename T>
cudaError_t cudaMallocHost(T** memory, std::size_t bytes, unsigned = 0) {
  *memory = static_cast<T*>(std::malloc(bytes));
  return cudaSuccess;
}
template <typename T>
cudaError_t cudaHostAlloc(T** memory, std::size_t bytes, unsigned) {
  return cudaMallocHost(memory, bytes);
}
PARLAB_SUCCEEDS(cudaFreeHost, (void* memory), std::free(memory))
PARLAB_IGNORED(cudaHostRegister)
PARLAB_IGNORED(cudaHostUnregister)
PARLAB_SUCCEEDS(cudaMemGetInfo, (std::size_t * free, std::size_t* total),
                *free = *total = std::size_t{1} << 34)
PARLAB_IGNORED(cudaHostGetFlags)
PARLAB_IGNORED(cudaMemPrefetchAsync)
PARLAB_IGNORED(cudaMemAdvise)

// ---- copies
PARLAB_SUCCEEDS(cudaMemcpy,
                (void* to, const void* from, std::size_t bytes,
                 cudaMemcpyKind kind),
                copy_own(to, from, bytes, kind, __func__))
PARLAB_SUCCEEDS(cudaMemcpyAsync,
                (void* to, const void* from, std::size_t bytes,
                 cudaMemcpyKind kind, cudaStream_t stream = nullptr),
                const OnStream on(stream);
                copy_own(to, from, bytes, kind, __func__))
inline cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch,
                                const void* from, std::size_t from_pitch,
                                std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  for (std::size_t row = 0; row < height; ++row) {
    copy_own(static_cast<char*>(to) + row * to_pitch,
             static_cast<const char*>(from) + row * from_pitch, width, kind,
             __func__);
  }
  return cudaSuccess;
}
PARLAB_FUNCTION(cudaError_t, cudaMemcpy2DAsync,
                (void* to, std::size_t to_pitch, const void* from,
                 std::size_t from_pitch, std::size_t width, std::size_t height,
                 cudaMemcpyKind kind, cudaStream_t stream = nullptr),
                OnStream(stream),
                cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height,
                             kind))
PARLAB_SUCCEEDS(cudaMemcpyPeer,
                (void* to, int, const void* from, int, std::size_t bytes,
                 cudaStream_t stream = nullptr),
                const OnStream on(stream);
                copy_own(to, from, bytes, cudaMemcpyDeviceToDevice, __func__))
#define cudaMemcpyPeerAsync cudaMemcpyPeer
inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* copy,
                                cudaStream_t stream = nullptr) {
  const OnStream on(stream);
  const auto row = [](const cudaPitchedPtr& of, const cudaPos& begin,
                      std::size_t y, std::size_t z) {
    return static_cast<char*>(of.ptr) + begin.x +
           ((begin.z + z) * of.ysize + begin.y + y) * of.pitch;
  };
  for (std::size_t z = 0; z < copy->extent.depth; ++z) {
    for (std::size_t y = 0; y < copy->extent.height; ++y) {
      copy_own(row(copy->dstPtr, copy->dstPos, y, z),
               row(copy->srcPtr, copy->srcPos, y, z), copy->extent.width,
               copy->kind, __func__);
    }
  }
  return cudaSuccess;
}
#define cudaMemcpy3DAsync cudaMemcpy3D
PARLAB_SUCCEEDS(cudaMemset, (void* to, int value, std::size_t bytes),
                fill_own(to, value, bytes))
PARLAB_FUNCTION(cudaError_t, cudaMemsetAsync,
                (void* to, int value, std::size_t bytes,
                 cudaStream_t stream = nullptr),
                OnStream(stream), cudaMemset(to, value, bytes))
inline cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value,
                                std::size_t width, std::size_t height,
                                cudaStream_t stream = nullptr) {
  const OnStream on(stream);
  for (std::size_t row = 0; row < height; ++row)
    fill_own(static_cast<char*>(to) + row * pitch, value, width);
  return cudaSuccess;
}

#define cudaMemset2DAsync cudaMemset2D
inline cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent,
                                cudaStream_t stream = nullptr) {
  return cudaMemset2D(to.ptr, to.pitch, value, extent.width,
                      extent.height * extent.depth, stream);
}
#define cudaMemset3DAsync cudaMemset3D

// ---- __constant__ and __device__ variables, which are the program's here
template <typename T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, std::size_t bytes,
                               std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                               cudaStream_t stream = nullptr) {
  const OnStream on(stream);
  copy_own(const_cast<char*>(reinterpret_cast<const char*>(&symbol)) + offset,
           from, bytes,
           kind == cudaMemcpyHostToDevice ? cudaMemcpyHostToHost : kind,
           __func__);
  return cudaSuccess;
}
#define cudaMemcpyToSymbolAsync cudaMemcpyToSymbol
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                 cudaStream_t stream = nullptr) {
  const OnStream on(stream);
  copy_own(to, reinterpret_cast<const char*>(&symbol) + offset, bytes,
           kind == cudaMemcpyDeviceToHost ? cudaMemcpyHostToHost : kind,
           __func__);
  return cudaSuccess;
}
#define cudaMemcpyFromSymbolAsync cudaMemcpyFromSymbol
template <typename T>
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const T&) {
  *bytes = sizeof(T);
  return cudaSuccess;
}
template <typename P, typename T>
cudaError_t cudaGetSymbolAddress(P** address, const T& symbol) {
  *address = reinterpret_cast<P*>(const_cast<T*>(&symbol));
  return cudaSuccess;
}

// ---- errors, which end an execution here before a program sees them
inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "an error";
}
inline const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaSuccess ? "cudaSuccess" : "cudaError";
}
PARLAB_SUCCEEDS(cudaGetLastError, ())
PARLAB_SUCCEEDS(cudaPeekAtLastError, ())

// ---- devices, streams, events
PARLAB_SUCCEEDS(cudaDeviceSynchronize, (), wait_for_all())
PARLAB_SUCCEEDS(cudaThreadSynchronize, (), wait_for_all())
PARLAB_SUCCEEDS(cudaDeviceReset, (), wait_for_all())
PARLAB_SUCCEEDS(cudaThreadExit, (), wait_for_all())
PARLAB_SUCCEEDS(cudaProfilerStart, ())
PARLAB_SUCCEEDS(cudaProfilerStop, ())
PARLAB_GIVES(cudaDriverGetVersion, CUDA_VERSION)
PARLAB_GIVES(cudaRuntimeGetVersion, CUDA_VERSION)
PARLAB_FUNCTION(cudaError_t, cudaSetDevice, (int device),
                device == 0 ? cudaSuccess : cudaErrorInvalidDevice)
PARLAB_GIVES(cudaGetDevice, 0)
PARLAB_GIVES(cudaGetDeviceCount, 1)
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute,
                                   int device);
PARLAB_GIVES(cudaChooseDevice, 0)
PARLAB_IGNORED(cudaInitDevice)
PARLAB_IGNORED(cudaSetValidDevices)
PARLAB_IGNORED(cudaSetDeviceFlags)
PARLAB_GIVES(cudaGetDeviceFlags, 0)
PARLAB_SUCCEEDS(cudaDeviceGetPCIBusId, (char* id, int length, int),
                std::snprintf(id, static_cast<std::size_t>(length),
                              "0000:00:00.0"))
PARLAB_GIVES(cudaDeviceGetByPCIBusId, 0)
PARLAB_GIVES(cudaDeviceCanAccessPeer, 0)
PARLAB_IGNORED(cudaDeviceEnablePeerAccess)
PARLAB_IGNORED(cudaDeviceDisablePeerAccess)
PARLAB_IGNORED(cudaDeviceSetLimit)
PARLAB_SUCCEEDS(cudaDeviceGetLimit, (std::size_t * bytes, cudaLimit limit),
                *bytes = limit == cudaLimitStackSize        ? 1024
                         : limit == cudaLimitPrintfFifoSize ? 1 << 20
                                                            : 1 << 23)
PARLAB_IGNORED(cudaDeviceSetCacheConfig)
PARLAB_GIVES(cudaDeviceGetCacheConfig, cudaFuncCachePreferNone)
PARLAB_IGNORED(cudaDeviceSetSharedMemConfig)
PARLAB_GIVES(cudaDeviceGetSharedMemConfig, cudaSharedMemBankSizeFourByte)
PARLAB_SUCCEEDS(cudaDeviceGetStreamPriorityRange, (int* least, int* most),
                *least = 0, *most = -5)
PARLAB_IGNORED(cudaCtxResetPersistingL2Cache)
template <typename... P, typename... T>
cudaError_t cudaFuncSetCacheConfig(void (*)(P...), T...) {
  return cudaSuccess;
}
template <typename... P, typename... T>
cudaError_t cudaFuncSetSharedMemConfig(void (*)(P...), T...) {
  return cudaSuccess;
}
template <typename K>
cudaError_t cudaFuncSetAttribute(K, cudaFuncAttribute, int) {
  allow_much_shared_memory();
  return cudaSuccess;
}
template <typename K>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, K, int,
                                                          std::size_t) {
  *blocks = 2;
  return cudaSuccess;
}
template <typename K>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, K kernel, int threads, std::size_t bytes, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads,
                                                       bytes);
}
template <typename K>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, K,
                                               std::size_t = 0, int = 0) {
  *grid = 8;
  *block = 256;
  return cudaSuccess;
}
PARLAB_SUCCEEDS(cudaStreamCreate, (cudaStream_t * stream),
                *stream = make_stream(cudaStreamDefault))
PARLAB_SUCCEEDS(cudaStreamCreateWithFlags,
                (cudaStream_t * stream, unsigned flags, int = 0),
                *stream = make_stream(flags))
#define cudaStreamCreateWithPriority cudaStreamCreateWithFlags
PARLAB_SUCCEEDS(cudaStreamGetPriority, (cudaStream_t, int* priority),
                *priority = 0)
PARLAB_SUCCEEDS(cudaStreamGetFlags, (cudaStream_t stream, unsigned* flags),
                *flags = flags_of(stream))
PARLAB_SUCCEEDS(cudaStreamDestroy, (cudaStream_t))
PARLAB_SUCCEEDS(cudaStreamSynchronize, (cudaStream_t stream), wait_for(stream))
PARLAB_SUCCEEDS(cudaStreamQuery, (cudaStream_t stream), wait_for(stream))
PARLAB_IGNORED(cudaStreamAttachMemAsync)
PARLAB_SUCCEEDS(cudaStreamWaitEvent,
                (cudaStream_t stream, cudaEvent_t event, unsigned = 0),
                let_wait(stream, event))
PARLAB_SUCCEEDS(cudaEventCreate, (cudaEvent_t * event, unsigned = 0),
                *event = make_event())
#define cudaEventCreateWithFlags cudaEventCreate
PARLAB_SUCCEEDS(cudaEventDestroy, (cudaEvent_t))
PARLAB_SUCCEEDS(cudaEventRecord,
                (cudaEvent_t event, cudaStream_t stream = nullptr,
                 unsigned = 0),
                record(event, stream))
#define cudaEventRecordWithFlags cudaEventRecord
PARLAB_SUCCEEDS(cudaEventSynchronize, (cudaEvent_t event), wait_for(event))
PARLAB_SUCCEEDS(cudaEventQuery, (cudaEvent_t event), wait_for(event))
// Emulation times nothing.
PARLAB_SUCCEEDS(cudaEventElapsedTime,
                (float* milliseconds, cudaEvent_t, cudaEvent_t),
                *milliseconds = 1)

template <typename... P>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes,
                                  void (*)(P...)) {
  *attributes = {.sharedSizeBytes = 0,
                 .constSizeBytes = 0,
                 .localSizeBytes = 0,
                 .maxThreadsPerBlock = 1024,
                 .numRegs = 32,
                 .ptxVersion = 90,
                 .binaryVersion = 90,
                 .maxDynamicSharedSizeBytes = 48 * 1024};
  return cudaSuccess;
}

// Launches with an array of pointers to the arguments.
// scripts/launches.awk takes away a kernel's conversion to void*.
template <bool cooperative, typename... P>
cudaError_t launch_own_with(void (*kernel)(P...), dim3 grid, dim3 block,
                            void** arguments, std::size_t shared_bytes) {
  const auto values = [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::tuple<P...>(*static_cast<P*>(arguments[i])...);
  }
  (std::index_sequence_for<P...>());
  const auto thread = [=] { std::apply(kernel, values); };
  launch_own("kernel", grid, block, shared_bytes, cooperative,
             std::cref(thread), std::as_bytes(std::span(&thread, 1)));
  return cudaSuccess;
}
template <typename... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                             void** arguments, std::size_t shared_bytes = 0,
                             cudaStream_t stream = nullptr) {
  const OnStream on(stream);
  return launch_own_with<false>(kernel, grid, block, arguments, shared_bytes);
}
template <typename... P>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid,
                                        dim3 block, void** arguments,
                                        std::size_t shared_bytes = 0,
                                        cudaStream_t stream = nullptr) {
  const OnStream on(stream);
  return launch_own_with<true>(kernel, grid, block, arguments, shared_bytes);
}

// Work of the host between launches, which runs at once.
PARLAB_SUCCEEDS(cudaLaunchHostFunc,
                (cudaStream_t, void (*work)(void*), void* of), work(of))
PARLAB_SUCCEEDS(cudaStreamAddCallback,
                (cudaStream_t stream,
                 void (*work)(cudaStream_t, cudaError_t, void*), void* of,
                 unsigned),
                work(stream, cudaSuccess, of))

}  // namespace parlab::emulation::cuda
