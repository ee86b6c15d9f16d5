#include "places/cuda/cuda_gpu.hpp"

#include <cuda_occupancy.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "facts/cause.hpp"
#include "places/kernel_name.hpp"
#include "places/presence.hpp"
#include "verify/guard.hpp"

namespace parlab {

namespace {

__global__ void find_nonzero(const unsigned char* bytes, std::size_t count,
                             int* found) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
       i < count; i += stride) {
    if (bytes[i] != 0) *found = 1;
  }
}

// Host memory that is passed with a launch.
struct Piece {
  unsigned char bytes[4000];
};
constexpr std::size_t most_pieces = 32;
__global__ void write_piece(unsigned char* to,
                            const __grid_constant__ Piece piece, int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 256)
    to[i] = piece.bytes[i];
}

// Also makes the device current for this thread. Without a GPU it throws with
// the reason.
cudaDeviceProp choose(int device) {
  if (const auto why = why_no_gpu()) throw PointError(Verdict::no_device, *why);
  cuda_check(cudaSetDevice(device),
             "choosing device " + std::to_string(device));
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, device),
             "asking for the device's properties");
  return properties;
}

}  // namespace

DeviceMemory device_memory(std::size_t bytes, const std::string& what_for) {
  void* memory = nullptr;
  if (cudaMalloc(&memory, bytes) != cudaSuccess) {
    cudaGetLastError();
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    throw PointError(Verdict::out_of_memory, Cause::device_memory_short,
                     what_for, quantity(bytes, Unit::byte),
                     quantity(free, Unit::byte));
  }
  return DeviceMemory(static_cast<unsigned char*>(memory));
}

DeviceMemory pinned_memory(std::size_t bytes, const std::string& what_for) {
  void* memory = nullptr;
  const auto status = cudaHostAlloc(&memory, bytes, cudaHostAllocDefault);
  if (status != cudaSuccess) {
    cudaGetLastError();
    throw PointError(Verdict::out_of_memory, Cause::pinned_memory_short,
                     what_for, quantity(bytes, Unit::byte),
                     cudaGetErrorString(status));
  }
  return DeviceMemory(static_cast<unsigned char*>(memory),
                      CudaFree{.on_host = true});
}

// Gets the properties first, because choose() makes current the device that the
// stream will belong to.
CudaGpu::CudaGpu(int device) : device_(device), properties_(choose(device)) {
  for (const auto limit :
       {cudaLimitStackSize, cudaLimitMallocHeapSize, cudaLimitPrintfFifoSize,
        cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize}) {
    std::size_t value = 0;
    if (cudaDeviceGetLimit(&value, limit) == cudaSuccess)
      limits_[limit] = value;
  }
  cudaGetLastError();  // this device does not have the limit
}

void CudaGpu::select() const {
  cuda_check(cudaSetDevice(device_),
             "choosing device " + std::to_string(device_));
}

void CudaGpu::put_back() noexcept {
  cudaSetDevice(device_);
  for (const auto& [limit, before] : limits_) {
    std::size_t now = before;
    cudaDeviceGetLimit(&now, limit);
    if (now != before) cudaDeviceSetLimit(limit, before);
  }
  cudaStreamAttrValue none{};  // a window of no bytes
  cudaStreamSetAttribute(stream_.handle, cudaStreamAttributeAccessPolicyWindow,
                         &none);
  cudaCtxResetPersistingL2Cache();
  cudaGetLastError();
}

std::size_t CudaGpu::bytes_left() const {
  std::size_t bytes = 0, all = 0;
  cuda_check(cudaMemGetInfo(&bytes, &all), "asking for free memory");
  for (const auto& [call, blocks] : scratch_) {
    for (const auto& block : blocks)
      bytes += block.bytes;
  }
  return bytes;
}

Detail CudaGpu::scratch_damage() const {
  if (blocks_ == nullptr) return {};
  for (std::size_t i = 0; i < blocks_->size(); ++i) {
    const auto& block = (*blocks_)[i];
    if (!block.zeroed) continue;
    const auto found = mapped_memory<int>();
    *found = 0;
    find_nonzero<<<2 * properties_.multiProcessorCount, 256, 0,
                   stream_.handle>>>(block.memory.get(), block.bytes,
                                     found.get());
    cuda_check(cudaGetLastError(), "looking at scratch memory");
    cuda_check(cudaStreamSynchronize(stream_.handle),
               "looking at scratch memory");
    if (*found != 0)
      return because(Cause::scratch_not_zero,
                     "scratch " + std::to_string(i + 1));
  }
  return {};
}

// Declared in own_calls.hpp.
Gpu& gpu_at_work() {
  if (current_gpu() == nullptr) {
    throw PointError(Verdict::launch_failed,
                     other("calls CUDA's runtime outside of an execution"));
  }
  return *current_gpu();
}

// Small pieces of host memory are passed as arguments of launches. A copy of
// pageable memory would wait for the stream, which may be held back.
void CudaGpu::copy(void* to, const void* from, std::size_t bytes) {
  select();
  cudaPointerAttributes about{};
  cuda_check(cudaPointerGetAttributes(&about, from), "looking at a pointer");
  const bool is_pageable = about.type == cudaMemoryTypeUnregistered;
  if (is_pageable && bytes <= most_pieces * sizeof(Piece)) {
    for (std::size_t at = 0; at < bytes; at += sizeof(Piece)) {
      Piece piece;
      const auto count = std::min(bytes - at, sizeof(Piece));
      std::memcpy(&piece, static_cast<const char*>(from) + at, count);
      write_piece<<<1, 256, 0, stream_.handle>>>(
          static_cast<unsigned char*>(to) + at, piece, static_cast<int>(count));
    }
    return cuda_check(cudaGetLastError(), "writing on the device");
  }
  if (is_pageable) {
    return cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice,
                                      stream_.handle),
                      "copying to the device");
  }
  cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                             stream_.handle),
             "copying on the device");
}

void CudaGpu::clear(void* data, std::size_t bytes) {
  select();
  cuda_check(cudaMemsetAsync(data, 0, bytes, stream_.handle),
             "clearing device memory");
}

void* CudaGpu::address_of_constant(const void* symbol) {
  select();
  void* address = nullptr;
  cuda_check(cudaGetSymbolAddress(&address, symbol),
             "asking for the address of a constant");
  return address;
}

void CudaGpu::allow_shared(const void* kernel, std::size_t bytes) {
  if (bytes == 0) return;
  // More than 48 KB, including the kernel's static memory, must be requested.
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, kernel),
             "asking for a kernel's attributes");
  const auto all = bytes + attributes.sharedSizeBytes;
  if (all <= properties_.sharedMemPerBlock) return;
  if (all > properties_.sharedMemPerBlockOptin) {
    throw PointError(Verdict::not_supported, Cause::shared_memory_short, all,
                     properties_.sharedMemPerBlockOptin);
  }
  cuda_check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(bytes)),
      "asking for " + std::to_string(bytes) + " bytes of shared memory");
}

// A kernel compiled for an older device cannot wait.
bool CudaGpu::can_overlap(const void* kernel) const {
  cudaFuncAttributes compiled{};
  cuda_check(cudaFuncGetAttributes(&compiled, kernel),
             "asking for what a kernel was compiled");
  return properties_.major >= 9 && compiled.ptxVersion >= 90;
}

void CudaGpu::start(const LaunchConfig& config, const void* kernel,
                    void** arguments) {
  launches_.push_back({config, kernel});
  select();
  const auto& [x, y, z] = properties_.maxGridSize;
  const auto& [block_x, block_y, block_z] = properties_.maxThreadsDim;
  refuse_impossible(config,
                    {.grid = {x, y, z},
                     .block = {block_x, block_y, block_z},
                     .shared_bytes = properties_.sharedMemPerBlockOptin},
                    properties_.maxThreadsPerBlock);
  allow_shared(kernel, config.shared_bytes);
  const auto dimension = [](const Extent& e) {
    return dim3(static_cast<unsigned>(e.x), static_cast<unsigned>(e.y),
                static_cast<unsigned>(e.z));
  };
  cudaLaunchConfig_t launch{};
  launch.gridDim = dimension(config.grid);
  launch.blockDim = dimension(config.block);
  launch.dynamicSmemBytes = config.shared_bytes;
  launch.stream = stream_.handle;
  std::array<cudaLaunchAttribute, 2> attributes{};
  launch.attrs = attributes.data();
  if (config.cooperative) {
    auto& attribute = attributes[launch.numAttrs++];
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  if (config.overlaps && can_overlap(kernel)) {
    auto& attribute = attributes[launch.numAttrs++];
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  const auto status = cudaLaunchKernelExC(&launch, kernel, arguments);
  if (status == cudaSuccess) return;
  cudaGetLastError();
  const char* mangled = "";
  cudaFuncGetName(&mangled, kernel);
  const std::string name = plain_kernel_name(mangled);
  if (status == cudaErrorLaunchOutOfResources) {
    throw PointError(Verdict::not_supported, Cause::registers_short, name,
                     config.block.x * config.block.y * config.block.z);
  }
  cuda_check(status, "launching " + name);
}

void* CudaGpu::scratch_bytes(std::size_t bytes, bool zeroed) {
  if (next_scratch_ == blocks_->size()) {
    select();
    blocks_->push_back(
        {device_memory(std::max<std::size_t>(bytes, 1), "scratch memory"),
         bytes, zeroed});
    cuda_check(cudaMemsetAsync(blocks_->back().memory.get(),
                               zeroed ? 0 : poison_byte, bytes, stream_.handle),
               "preparing scratch memory");
    if (shares_scratch_) {
      cuda_check(cudaStreamSynchronize(stream_.handle),
                 "preparing scratch memory");
    }
  }
  return (*blocks_)[next_scratch_++].memory.get();
}

int CudaGpu::occupancy(const void* kernel, int threads,
                       std::size_t shared_bytes) {
  select();
  allow_shared(kernel, shared_bytes);
  int blocks = 0;
  cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                 &blocks, kernel, threads, shared_bytes),
             "asking for the occupancy");
  if (blocks == 0)
    throw PointError(Verdict::not_supported, Cause::no_block_fits, threads);
  return blocks;
}

LaunchShape CudaGpu::main_launch() const {
  LaunchShape shape;
  shape.launches = static_cast<int>(launches_.size());
  if (launches_.empty()) return shape;
  cudaFuncAttributes attributes{};
  LaunchConfig config;
  std::pair<int, std::int64_t> most{-1, 0};
  for (const auto& launch : launches_) {
    cudaFuncAttributes found{};
    cuda_check(cudaFuncGetAttributes(&found, launch.kernel),
               "asking for a kernel's attributes");
    const auto& grid = launch.config.grid;
    const std::pair<int, std::int64_t> weight{found.numRegs,
                                              grid.x * grid.y * grid.z};
    if (weight <= most) continue;
    most = weight, attributes = found, config = launch.config;
  }
  shape.grid = {config.grid.x, config.grid.y, config.grid.z};
  shape.block = {config.block.x, config.block.y, config.block.z};
  shape.shared_bytes = static_cast<std::int64_t>(config.shared_bytes +
                                                 attributes.sharedSizeBytes);
  shape.registers = attributes.numRegs;
  shape.spill_bytes = static_cast<int>(attributes.localSizeBytes);

  // The toolkit's occupancy calculator also names the limiting resource.
  const int threads =
      static_cast<int>(config.block.x * config.block.y * config.block.z);
  const cudaOccDeviceProp device(properties_);
  const cudaOccFuncAttributes function(attributes);
  const cudaOccDeviceState state;
  cudaOccResult result;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(
          &result, &device, &function, &state, threads, config.shared_bytes) !=
      CUDA_OCC_SUCCESS) {
    return shape;
  }
  const int warps = (threads + 31) / 32;
  shape.active_warps = result.activeBlocksPerMultiprocessor * warps;
  shape.occupancy =
      shape.active_warps * 32.0 / properties_.maxThreadsPerMultiProcessor;
  const auto limits = result.limitingFactors;
  shape.limited_by = (limits & OCC_LIMIT_REGISTERS) != 0       ? "registers"
                     : (limits & OCC_LIMIT_SHARED_MEMORY) != 0 ? "shared memory"
                     : (limits & OCC_LIMIT_WARPS) != 0         ? "threads"
                                                               : "blocks";
  return shape;
}

}  // namespace parlab
