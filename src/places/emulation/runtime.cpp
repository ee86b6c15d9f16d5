#include "places/emulation/runtime.hpp"

#include <cmath>
#include <cstring>

#include "places/emulation/block.hpp"
#include "places/emulation/emulated_gpu.hpp"

// Linker symbols around the program's own variables.
extern "C" const std::byte __executable_start, _end;

namespace parlab::emulation {
namespace {

// The GPU that owns the memory and kernels in use.
EmulatedGpu& gpu() {
  if (running != nullptr) lacks("calls of CUDA's runtime in a kernel");
  if (EmulatedGpu* const at_work = EmulatedGpu::at_work()) return *at_work;
  throw PointError(Verdict::not_supported, Cause::not_emulated,
                   "calls of CUDA's runtime for several GPUs, from the host's "
                   "memory, from threads of one's own or outside of an "
                   "execution");
}

template <typename T>
OwnStreams::Handle number_of(T* stream_or_event) {
  return reinterpret_cast<OwnStreams::Handle>(stream_or_event);
}

// nullptr: the program has made none.
OwnStreams* streams() {
  EmulatedGpu* const at_work = EmulatedGpu::at_work();
  return at_work != nullptr && at_work->own_streams() ? &*at_work->own_streams()
                                                      : nullptr;
}

[[noreturn]] void refuse(Verdict verdict, Detail why) {
  throw PointError(verdict, at_line_of(calls_here(), std::move(why)));
}

// Whether it is a __constant__ or __device__ variable.
bool is_of_program(const void* address) {
  return address >= &__executable_start && address < &_end;
}

// "d_x" from "&d_x" or "(void**)&d_x".
std::string pointer_named(std::string_view expression) {
  const auto last = expression.find_last_not_of(") ");
  expression = expression.substr(0, last + 1);
  return std::string(expression.substr(expression.find_last_of("&)( ") + 1));
}

}  // namespace

OnStream::OnStream(cudaStream_t stream)
    : before_(gpu().work_on(number_of(stream))) {}

OnStream::~OnStream() {
  gpu().work_on(before_);
}

cudaStream_t make_stream(unsigned flags) {
  if (EmulatedGpu* const at_work = EmulatedGpu::at_work())
    at_work->begin_streams();
  return reinterpret_cast<cudaStream_t>(
      OwnStreams::make(flags == cudaStreamNonBlocking));
}

unsigned flags_of(cudaStream_t stream) {
  return number_of(stream) % 2 == 0 ? cudaStreamDefault : cudaStreamNonBlocking;
}

cudaEvent_t make_event() {
  return reinterpret_cast<cudaEvent_t>(OwnStreams::make());
}

void record(cudaEvent_t event, cudaStream_t stream) {
  if (auto* const own = streams())
    own->record(number_of(event), number_of(stream));
}

void let_wait(cudaStream_t stream, cudaEvent_t event) {
  if (auto* const own = streams())
    own->wait(number_of(stream), number_of(event));
}

void wait_for(cudaStream_t stream) {
  if (auto* const own = streams())
    own->host_waits_for_stream(number_of(stream));
}

void wait_for(cudaEvent_t event) {
  if (auto* const own = streams()) own->host_waits_for_event(number_of(event));
}

void wait_for_all() {
  if (auto* const own = streams()) own->host_waits_for_all();
}

void* own_memory(std::size_t bytes, const char* name, bool managed) {
  return gpu().own_memory(pointer_named(name), bytes, managed);
}

void free_own_memory(void* memory) {
  if (memory != nullptr && !gpu().free_own_memory(memory)) {
    const Allocation* const array = gpu().array_of(memory);
    refuse(Verdict::launch_failed,
           because(Cause::frees_others,
                   array == nullptr ? "an address" : array->at(memory)));
  }
}

void copy_own(void* to, const void* from, std::size_t bytes,
              cudaMemcpyKind kind, const char* operation) {
  if (bytes == 0) return;
  const bool to_device = gpu().array_of(to) != nullptr,
             from_device = gpu().array_of(from) != nullptr;
  const auto says = [&](const void* address, bool device) {
    if (const auto* const array = gpu().array_of(address);
        array != nullptr && !array->managed && !device) {
      refuse(Verdict::launch_failed,
             because(Cause::copy_takes_for_host, std::string(operation),
                     array->at(address)));
    } else if (array == nullptr && device && !is_of_program(address)) {
      refuse(Verdict::launch_failed,
             because(Cause::copy_takes_for_device, std::string(operation)));
    }
  };
  if (kind != cudaMemcpyDefault) {
    says(to,
         kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice);
    says(from,
         kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice);
  }
  if (to_device || from_device)
    gpu().copy(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

void fill_own(void* to, int value, std::size_t bytes) {
  gpu().fill(to, value, bytes);
}

void allow_much_shared_memory() {
  gpu().allow_much_shared_memory();
}

void launch_own(const char* name, dim3 grid, dim3 block,
                std::size_t shared_bytes, bool cooperative,
                const std::function<void()>& thread,
                std::span<const std::byte> arguments) {
  EmulatedGpu& at_work = gpu();
  name_kernel(name);
  at_work.launch_own({.grid = grid,
                      .block = block,
                      .shared_bytes = shared_bytes,
                      .cooperative = cooperative},
                     name, thread, arguments);
}

namespace cuda {

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  cudaDeviceProp p{};
  cudaGetDeviceProperties(&p, 0);
#define PARLAB_ATTRIBUTE(name, number, property) \
  case cudaDevAttr##name:                        \
    *value = static_cast<int>(p.property);       \
    break;
  switch (attribute) { PARLAB_ATTRIBUTES(PARLAB_ATTRIBUTE) }
#undef PARLAB_ATTRIBUTE
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {.name = "emulation",
                 .totalGlobalMem = std::size_t{1} << 34,
                 .sharedMemPerBlock = 48 * 1024,
                 .sharedMemPerMultiprocessor = 228 * 1024,
                 .sharedMemPerBlockOptin = max_shared_bytes,
                 .totalConstMem = 64 * 1024,
                 .regsPerBlock = 65536,
                 .warpSize = warp_size,
                 .maxThreadsPerBlock = max_threads,
                 .maxThreadsDim = {1024, 1024, 64},
                 .maxGridSize = {2147483647, 65535, 65535},
                 .clockRate = 1'000'000,
                 .memoryClockRate = 1'000'000,
                 .memoryBusWidth = 5120,
                 .major = 9,
                 .minor = 0,
                 .multiProcessorCount = gpu().multiprocessors(),
                 .maxThreadsPerMultiProcessor = 2048,
                 .l2CacheSize = static_cast<int>(gpu().l2_bytes()),
                 .concurrentKernels = 1,
                 .cooperativeLaunch = 1,
                 .managedMemory = 1,
                 .pciBusID = 0,
                 .pciDeviceID = 0,
                 .pciDomainID = 0,
                 .asyncEngineCount = 2,
                 .unifiedAddressing = 1,
                 .canMapHostMemory = 0,
                 .ECCEnabled = 0,
                 .integrated = 0,
                 .computeMode = 0,
                 .deviceOverlap = 1};
  return cudaSuccess;
}

}  // namespace cuda
}  // namespace parlab::emulation

// Memory that a kernel takes for itself, under the names that
// scripts/emulate-kernel.sh gives to malloc() and new.
#define PARLAB_TAKES_MEMORY(name, call, what)        \
  extern "C" void* name(std::size_t bytes) {         \
    if (parlab::emulation::running != nullptr)       \
      parlab::emulation::lacks(what " in a kernel"); \
    return call(bytes);                              \
  }
PARLAB_TAKES_MEMORY(parlab_malloc, std::malloc, "malloc()")
PARLAB_TAKES_MEMORY(parlab_new, ::operator new, "new")
PARLAB_TAKES_MEMORY(parlab_new_array, ::operator new[], "new")

#define PARLAB_FAST(name)                       \
  extern "C" float __##name(float x) noexcept { \
    return ::name(x);                           \
  }
PARLAB_FAST(expf)
PARLAB_FAST(logf)
PARLAB_FAST(log2f)
PARLAB_FAST(log10f)
PARLAB_FAST(sinf)
PARLAB_FAST(cosf)
PARLAB_FAST(tanf)
extern "C" float __exp10f(float x) noexcept {
  return std::pow(10.0f, x);
}
extern "C" float __powf(float x, float y) noexcept {
  return std::pow(x, y);
}
extern "C" void __sincosf(float x, float* sine, float* cosine) noexcept {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}
