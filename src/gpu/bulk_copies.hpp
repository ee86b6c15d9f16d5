// Bulk tensor copies and the barriers that they arrive at. Each function is one
// instruction that only compute capability 9.0 has. The instructions exist in
// code for sm_90a; elsewhere the functions compile but do nothing, and
// refuse_without_warpgroups() comes before the launch. Emulation has the
// barriers, and copies of boxes, bytes and threads from global memory.
//
// PTX ISA 9.0: mbarrier, cp.async.mbarrier.arrive, cp.async.bulk.tensor.
#pragma once

#include <cstdint>

#include "gpu/gpu.hpp"
#include "gpu/load_async.hpp"
#include "gpu/tensor_map.hpp"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define PARLAB_SM90A(...) asm volatile(__VA_ARGS__)
#else
#define PARLAB_SM90A(...) static_cast<void>(0)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
// Number of blocks of a cluster, as an attribute of a kernel; absent in code
// for other devices.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || \
    (defined(__CUDACC__) && !defined(__CUDA_ARCH__))
#define PARLAB_CLUSTER(blocks) __cluster_dims__(blocks, 1, 1)
#else
#define PARLAB_CLUSTER(blocks)
#endif
#ifdef PARLAB_EMULATED
#define PARLAB_GRID_CONSTANT
#define PARLAB_NOT_EMULATED(what) emulation::lacks(what)
#else
#define PARLAB_GRID_CONSTANT __grid_constant__
#define PARLAB_NOT_EMULATED(what) static_cast<void>(0)
#endif

namespace parlab {

// Throws PointError(not_supported) unless the program has code for sm_90a and
// the device can run it.
inline void refuse_without_warpgroups() {
#ifndef PARLAB_EMULATED
  constexpr int architectures[] = {__CUDA_ARCH_LIST__};
  bool built = false;
  for (const int architecture : architectures)
    built = built || architecture == 900;
  int device = 0, major = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (major != 9) {
    cannot_run(
        "warpgroups and bulk copies need compute capability 9.0 (H100, H200); "
        "this device has %d.x",
        major);
  }
  if (!built) {
    cannot_run("warpgroups need code for sm_90a: build with make GPU_ARCH=90");
  }
#endif
}

// ---- shared memory and threads

// The address within the block's shared memory, as instructions need it.
__device__ __forceinline__ std::uint32_t shared_address(const void* shared) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
#else
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(shared));
#endif
}

// The same address, kept in a register. Otherwise the compiler computes it at
// each use from the number of the block in its cluster. To ask for that takes
// as long as a wait.
template <typename T>
__device__ __forceinline__ T* fixed_address(T* shared) {
  PARLAB_SM90A("" : "+l"(shared));
  return shared;
}

// True in one thread of a whole warp: the compiler knows that one thread goes
// on, and asks for its bulk copies without a loop over threads.
__device__ __forceinline__ bool elected() {
  std::uint32_t yes = threadIdx.x % 32 == 0;
  PARLAB_SM90A(
      "{\n.reg .pred yes;\nelect.sync _|yes, 0xffffffff;\nselp.u32 %0, 1, 0, "
      "yes;\n}"
      : "=r"(yes));
  return yes != 0;
}

// Copies and products that start afterwards see this thread's writes to shared
// memory.
__device__ __forceinline__ void fence_for_copies() {
  PARLAB_SM90A("fence.proxy.async.shared::cta;" ::: "memory");
}

// Sets the registers per thread of the calling warpgroup from here on;
// multiples of 8.
template <int count>
__device__ __forceinline__ void take_registers() {
  PARLAB_SM90A("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count>
__device__ __forceinline__ void give_registers() {
  PARLAB_SM90A("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}

// ---- clusters

__device__ __forceinline__ std::uint32_t block_in_cluster() {
  std::uint32_t rank = 0;
  PARLAB_SM90A("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// Waits until all threads of the cluster have come here. The other blocks then
// see only those earlier writes that are published barriers. Ordering more
// would make the threads wait for all their writes to device memory.
__device__ __forceinline__ void sync_cluster() {
  PARLAB_NOT_EMULATED("clusters");
  PARLAB_SM90A(
      "barrier.cluster.arrive.relaxed.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
}

// ---- barriers in shared memory
//
// A barrier completes a phase when it has been told of `arrivals` arrivals
// and of all the bytes that were announced. Phases are told apart by
// their parity, 0 for the first.

using Barrier = std::uint64_t;

__device__ __forceinline__ void init_barrier(Barrier& barrier, int arrivals) {
#ifdef PARLAB_EMULATED
  emulation::init_barrier(&barrier, arrivals);
#endif
  PARLAB_SM90A(
      "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)),
      "r"(arrivals)
      : "memory");
}

// Makes the barriers of this thread visible to copies, and to the other blocks
// of the cluster after sync_cluster().
__device__ __forceinline__ void publish_barriers() {
  PARLAB_SM90A("fence.mbarrier_init.release.cluster;" ::: "memory");
  fence_for_copies();
}

__device__ __forceinline__ void arrive(Barrier& barrier) {
#ifdef PARLAB_EMULATED
  emulation::arrive(&barrier, 0);
#endif
  PARLAB_SM90A(
      "mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier))
      : "memory");
}

// Arrives at the barrier at the same address in another block of the cluster,
// or in this one.
__device__ __forceinline__ void arrive_in_cluster(Barrier& barrier,
                                                  std::uint32_t block) {
  PARLAB_NOT_EMULATED("clusters");
  PARLAB_SM90A(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
      "}" ::"r"(shared_address(&barrier)),
      "r"(block)
      : "memory");
}

// Arrives once, and announces that these bytes are on their way.
__device__ __forceinline__ void arrive_expecting(Barrier& barrier, int bytes) {
#ifdef PARLAB_EMULATED
  emulation::arrive(&barrier, bytes);
#endif
  PARLAB_SM90A("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   shared_address(&barrier)),
               "r"(bytes)
               : "memory");
}

// Not 0 if that phase has completed. It is a number, because a bool tested
// among products is compiled to a branch, which delays them.
__device__ __forceinline__ std::uint32_t has_arrived(Barrier& barrier,
                                                     std::uint32_t parity) {
  std::uint32_t done = 1;
#ifdef PARLAB_EMULATED
  done = emulation::has_completed(&barrier, parity) ? 1 : 0;
#endif
  PARLAB_SM90A(
      "{\n"
      ".reg .pred done;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
      "selp.b32 %0, 1, 0, done;\n"
      "}"
      : "=r"(done)
      : "r"(shared_address(&barrier)), "r"(parity)
      : "memory");
  return done;
}

__device__ __forceinline__ void wait(Barrier& barrier, std::uint32_t parity) {
  while (has_arrived(barrier, parity) == 0) {
  }
}

// ---- copies of threads, by load_async

// Arrives once when all copies that this thread has begun so far are done.
__device__ __forceinline__ void arrive_after_copies(Barrier& barrier) {
#ifdef PARLAB_EMULATED
  emulation::arrive_after_copies(&barrier);
#endif
  PARLAB_SM90A("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(
                   shared_address(&barrier))
               : "memory");
}

// Walks a ring of stages and knows the next one and the parity of its barriers.
template <int stages>
struct Ring {
  int stage = 0;
  std::uint32_t parity = 0;

  __device__ __forceinline__ void advance() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// ---- bulk tensor copies
//
// One thread asks for them. Coordinates in elements, the first dimension first;
// in that, a box begins at a multiple of 16 bytes.

// Loads a map that will be needed soon, so that the first copy does not wait
// for it.
__device__ __forceinline__ void prefetch(const TensorMap& map) {
  PARLAB_SM90A("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

__device__ __forceinline__ void load_box(void* shared, const TensorMap& map,
                                         Barrier& barrier, int x, int y,
                                         int z = 0) {
#ifdef PARLAB_EMULATED
  const auto bytes = [&](std::int64_t elements) {
    return elements * element_bytes(map.element);
  };
  emulation::copy_box(
      shared,
      {.data = map.data,
       .extent = {bytes(map.extent[0]), map.extent[1], map.extent[2]},
       .pitch = {map.pitch[0], map.pitch[1]},
       .size = {bytes(map.box[0]), map.box[1], map.box[2]},
       .at = {bytes(x), y, z},
       .swizzle = map.swizzle},
      &barrier);
#endif
  PARLAB_SM90A(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_"
      "tx::bytes "
      "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(shared_address(shared)),
      "l"(&map), "r"(shared_address(&barrier)), "r"(x), "r"(y), "r"(z)
      : "memory");
}

// The same into all blocks of the cluster whose bits are set; the barrier of
// each block counts its bytes.
__device__ __forceinline__ void load_box(void* shared, const TensorMap& map,
                                         Barrier& barrier, std::uint16_t blocks,
                                         int x, int y, int z) {
  PARLAB_NOT_EMULATED("copies to clusters");
  PARLAB_SM90A(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_"
      "tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(
          shared_address(shared)),
      "l"(&map), "r"(shared_address(&barrier)), "r"(x), "r"(y), "r"(z),
      "h"(blocks)
      : "memory");
}

// Stores are counted in groups by the thread that requested them.
__device__ __forceinline__ void store_box(const TensorMap& map,
                                          const void* shared, int x, int y,
                                          int z = 0) {
  PARLAB_NOT_EMULATED("bulk stores");
  PARLAB_SM90A(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, "
      "%3, %4}], [%1];\n"
      "cp.async.bulk.commit_group;" ::"l"(&map),
      "r"(shared_address(shared)), "r"(x), "r"(y), "r"(z)
      : "memory");
}

// Contiguous bytes; their number and both addresses are multiples of 16. Stores
// are counted like those of boxes.
__device__ __forceinline__ void load_bytes(void* shared, const void* from,
                                           int bytes, Barrier& barrier) {
#ifdef PARLAB_EMULATED
  emulation::copy_bytes(shared, from, bytes, &barrier);
#endif
  PARLAB_SM90A(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1], %2, [%3];" ::"r"(shared_address(shared)),
      "l"(from), "r"(bytes), "r"(shared_address(&barrier))
      : "memory");
}
__device__ __forceinline__ void store_bytes(void* to, const void* shared,
                                            int bytes) {
  PARLAB_NOT_EMULATED("bulk stores");
  PARLAB_SM90A(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
      "cp.async.bulk.commit_group;" ::"l"(to),
      "r"(shared_address(shared)), "r"(bytes)
      : "memory");
}

// Waits until at most `pending` of the last stores still read shared memory.
template <int pending>
__device__ __forceinline__ void wait_for_stores_to_read() {
  PARLAB_SM90A("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

// Waits until all stores are done. The end of a kernel waits for its stores by
// itself, so before it they need only have read.
__device__ __forceinline__ void wait_for_stores() {
  PARLAB_SM90A("cp.async.bulk.wait_group 0;" ::: "memory");
}

#ifndef __CUDA_ARCH_FEAT_SM90_ALL
#pragma GCC diagnostic pop
#endif

}  // namespace parlab
