// Types and constants of CUDA's runtime. As in the toolkit, their names need no
// namespace.
#pragma once

#include <cstddef>

#include "places/emulation/cuda.hpp"

#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define CUDART_CB

enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInitializationError = 3,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidSymbol = 13,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchTimeout = 702,
  cudaErrorPeerAccessAlreadyEnabled = 704,
  cudaErrorPeerAccessNotEnabled = 705,
  cudaErrorLaunchFailure = 719,
  cudaErrorNotSupported = 801,
  cudaErrorUnknown = 999
};
using cudaError_t = cudaError;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaFuncCache {
  cudaFuncCachePreferNone,
  cudaFuncCachePreferShared,
  cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault,
  cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
struct cudaFuncAttributes {
  std::size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion,
      maxDynamicSharedSizeBytes;
};
enum cudaLimit {
  cudaLimitStackSize,
  cudaLimitPrintfFifoSize,
  cudaLimitMallocHeapSize,
  cudaLimitDevRuntimeSyncDepth,
  cudaLimitDevRuntimePendingLaunchCount,
  cudaLimitMaxL2FetchGranularity,
  cudaLimitPersistingL2CacheSize
};
// Name, number and property of each attribute.
#define PARLAB_ATTRIBUTES(ATTRIBUTE)                                          \
  ATTRIBUTE(MaxThreadsPerBlock, 1, maxThreadsPerBlock)                        \
  ATTRIBUTE(MaxBlockDimX, 2, maxThreadsDim[0])                                \
  ATTRIBUTE(MaxBlockDimY, 3, maxThreadsDim[1])                                \
  ATTRIBUTE(MaxBlockDimZ, 4, maxThreadsDim[2])                                \
  ATTRIBUTE(MaxGridDimX, 5, maxGridSize[0])                                   \
  ATTRIBUTE(MaxGridDimY, 6, maxGridSize[1])                                   \
  ATTRIBUTE(MaxGridDimZ, 7, maxGridSize[2])                                   \
  ATTRIBUTE(MaxSharedMemoryPerBlock, 8, sharedMemPerBlock)                    \
  ATTRIBUTE(TotalConstantMemory, 9, totalConstMem)                            \
  ATTRIBUTE(WarpSize, 10, warpSize)                                           \
  ATTRIBUTE(MaxRegistersPerBlock, 12, regsPerBlock)                           \
  ATTRIBUTE(ClockRate, 13, clockRate)                                         \
  ATTRIBUTE(MultiProcessorCount, 16, multiProcessorCount)                     \
  ATTRIBUTE(ConcurrentKernels, 31, concurrentKernels)                         \
  ATTRIBUTE(MemoryClockRate, 36, memoryClockRate)                             \
  ATTRIBUTE(GlobalMemoryBusWidth, 37, memoryBusWidth)                         \
  ATTRIBUTE(L2CacheSize, 38, l2CacheSize)                                     \
  ATTRIBUTE(MaxThreadsPerMultiProcessor, 39, maxThreadsPerMultiProcessor)     \
  ATTRIBUTE(ComputeCapabilityMajor, 75, major)                                \
  ATTRIBUTE(ComputeCapabilityMinor, 76, minor)                                \
  ATTRIBUTE(MaxSharedMemoryPerMultiprocessor, 81, sharedMemPerMultiprocessor) \
  ATTRIBUTE(ManagedMemory, 83, managedMemory)                                 \
  ATTRIBUTE(CooperativeLaunch, 95, cooperativeLaunch)                         \
  ATTRIBUTE(MaxSharedMemoryPerBlockOptin, 97, sharedMemPerBlockOptin)
#define PARLAB_ATTRIBUTE(name, number, property) cudaDevAttr##name = number,
enum cudaDeviceAttr { PARLAB_ATTRIBUTES(PARLAB_ATTRIBUTE) };
#undef PARLAB_ATTRIBUTE
constexpr unsigned cudaMemAttachGlobal = 1, cudaHostAllocDefault = 0,
                   cudaHostAllocPortable = 1, cudaHostAllocMapped = 2,
                   cudaHostAllocWriteCombined = 4, cudaHostRegisterDefault = 0,
                   cudaStreamDefault = 0, cudaStreamNonBlocking = 1,
                   cudaEventDefault = 0, cudaEventBlockingSync = 1,
                   cudaEventDisableTiming = 2, cudaDeviceScheduleAuto = 0,
                   cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2,
                   cudaDeviceScheduleBlockingSync = 4, cudaDeviceMapHost = 8,
                   cudaOccupancyDefault = 0;
constexpr int cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2;
using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
constexpr cudaStream_t cudaStreamLegacy = nullptr,
                       cudaStreamPerThread = nullptr;
struct cudaExtent {
  std::size_t width, height, depth;
};
struct cudaPos {
  std::size_t x, y, z;
};
struct cudaPitchedPtr {
  void* ptr;
  std::size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
struct cudaDeviceProp {
  char name[256];
  std::size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor,
      sharedMemPerBlockOptin, totalConstMem;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3],
      maxGridSize[3], clockRate, memoryClockRate, memoryBusWidth, major, minor,
      multiProcessorCount, maxThreadsPerMultiProcessor, l2CacheSize,
      concurrentKernels, cooperativeLaunch, managedMemory, pciBusID,
      pciDeviceID, pciDomainID, asyncEngineCount, unifiedAddressing,
      canMapHostMemory, ECCEnabled, integrated, computeMode, deviceOverlap;
};
