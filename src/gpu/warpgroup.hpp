// Products by warpgroups, bulk tensor copies and the barriers between them:
// instructions of compute capability 9.0 alone, each in one function. They
// exist in code for sm_90a; elsewhere the functions are there to be compiled
// and do nothing: refuse_without_warpgroups() comes before the launch. Of them,
// emulation has barriers, and copies from global memory of boxes, bytes and
// threads.
//
// PTX ISA 9.0: asynchronous warpgroup level matrix instructions,
// mbarrier, cp.async.mbarrier.arrive, cp.async.bulk.tensor.
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
// Blocks of a cluster, as an attribute of a kernel; not in
// code for other devices.
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

// Throws PointError(not_supported) unless the program has code for
// sm_90a and the device runs it.
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

// The address within the block's shared memory that instructions take.
__device__ __forceinline__ std::uint32_t shared_address(const void* shared) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
#else
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(shared));
#endif
}

// What this thread wrote to shared memory is seen by copies and products
// that start afterwards.
__device__ __forceinline__ void fence_for_copies() {
  PARLAB_SM90A("fence.proxy.async.shared::cta;" ::: "memory");
}

// Registers per thread of the calling warpgroup from here on; multiples of 8.
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

// All threads of the cluster have come here. Of what they wrote before,
// the others see only the barriers that were published: ordering more would
// make the threads wait for all their writes to device memory.
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

// The barriers that this thread made are seen by copies, and by the other
// blocks of the cluster after sync_cluster().
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

// At the barrier of the same place in another block of the
// cluster, or in this one.
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

// One arrival, and these bytes are on their way.
__device__ __forceinline__ void arrive_expecting(Barrier& barrier, int bytes) {
#ifdef PARLAB_EMULATED
  emulation::arrive(&barrier, bytes);
#endif
  PARLAB_SM90A("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   shared_address(&barrier)),
               "r"(bytes)
               : "memory");
}

// Not 0 if that phase has completed. A number: asked among products, a bool
// is compiled to a branch, which holds them up.
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

// One arrival, when all copies that this thread has begun by now are done.
__device__ __forceinline__ void arrive_after_copies(Barrier& barrier) {
#ifdef PARLAB_EMULATED
  emulation::arrive_after_copies(&barrier);
#endif
  PARLAB_SM90A("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(
                   shared_address(&barrier))
               : "memory");
}

// Walks a ring of stages: which is next, and which parity its
// barriers have by then.
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

// The map will be needed soon: the first copy does not wait for it.
__device__ __forceinline__ void prefetch(const TensorMap& map) {
  PARLAB_SM90A("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

__device__ __forceinline__ void load_box(void* shared,
                                         const TensorMap& map,
                                         Barrier& barrier,
                                         int x,
                                         int y,
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

// The same into all blocks of the cluster that are named by a bit; the
// bytes are counted by the barrier of each.
__device__ __forceinline__ void load_box(void* shared,
                                         const TensorMap& map,
                                         Barrier& barrier,
                                         std::uint16_t blocks,
                                         int x,
                                         int y,
                                         int z) {
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

// Stores are counted in groups, by the thread that asked for them.
__device__ __forceinline__ void store_box(
    const TensorMap& map, const void* shared, int x, int y, int z = 0) {
  PARLAB_NOT_EMULATED("bulk stores");
  PARLAB_SM90A(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, "
      "%3, %4}], [%1];\n"
      "cp.async.bulk.commit_group;" ::"l"(&map),
      "r"(shared_address(shared)), "r"(x), "r"(y), "r"(z)
      : "memory");
}

// Bytes in a row: multiples of 16, as are both addresses. Stores are
// counted like those of boxes.
__device__ __forceinline__ void load_bytes(void* shared,
                                           const void* from,
                                           int bytes,
                                           Barrier& barrier) {
#ifdef PARLAB_EMULATED
  emulation::copy_bytes(shared, from, bytes, &barrier);
#endif
  PARLAB_SM90A(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1], %2, [%3];" ::"r"(shared_address(shared)),
      "l"(from), "r"(bytes), "r"(shared_address(&barrier))
      : "memory");
}
__device__ __forceinline__ void store_bytes(void* to,
                                            const void* shared,
                                            int bytes) {
  PARLAB_NOT_EMULATED("bulk stores");
  PARLAB_SM90A(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
      "cp.async.bulk.commit_group;" ::"l"(to),
      "r"(shared_address(shared)), "r"(bytes)
      : "memory");
}

// Until at most `pending` of the last stores still read shared memory.
template <int pending>
__device__ __forceinline__ void wait_for_stores_to_read() {
  PARLAB_SM90A("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

// Until all stores have been done. A kernel's end waits for its stores by
// itself: before it, it is enough that they have read.
__device__ __forceinline__ void wait_for_stores() {
  PARLAB_SM90A("cp.async.bulk.wait_group 0;" ::: "memory");
}

// ---- warpgroup products
//
// sum += a b for a warpgroup: 128 threads, from a warp on whose number is a
// multiple of 4. a is 64 x K, b is K x N, K = 32 bytes of elements. Lane l
// of warp w holds of sum, with g = l / 4 and t = l % 4:
//   sum[4 j], sum[4 j + 1]      row 16 w + g,
//                               columns 8 j + 2 t and 8 j + 2 t + 1
//   sum[4 j + 2], sum[4 j + 3]  row 16 w + g + 8, the same columns
// and of a, where a comes from registers (32-bit elements; K = 8): rows 16
// w + g and 16 w + g + 8 of column t, then of column t + 4.
//
// They run on their own: begin_products(), products, end_products();
// wait_for_products() before any register or shared memory
// that they use is touched.

// Where an operand lies in shared memory, and in which pattern. Made of rows
// of `swizzle` bytes, eight of them permuted among one another as bulk tensor
// copies do it. Along K (rows of the array are rows of a, columns of b):
// `group` is the distance of 8 rows, `panel` unused. Across K (rows of the
// array are indices of K, so that it has to be transposed): `panel` is the
// distance of 128 bytes of such a row to the next 128, `group` that of 8 rows.
template <int swizzle>
__device__ __forceinline__ std::uint64_t operand_in_shared(const void* shared,
                                                           int group,
                                                           int panel = 16) {
  static_assert(swizzle == 128 || swizzle == 64 || swizzle == 32);
  constexpr std::uint64_t pattern = swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
  const auto field = [](std::uint64_t bytes) { return (bytes & 0x3ffff) >> 4; };
  return field(shared_address(shared)) | field(panel) << 16 |
         field(group) << 32 | pattern << 62;
}

__device__ __forceinline__ void begin_products() {
  PARLAB_NOT_EMULATED("warpgroup products");
  PARLAB_SM90A("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void end_products() {
  PARLAB_SM90A("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Until at most `pending` of the last groups are under way.
template <int pending>
__device__ __forceinline__ void wait_for_products() {
  PARLAB_SM90A("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// The compiler does not know that products run on: this keeps it from reading
// or writing registers of theirs on the wrong side of a wait.
template <typename Register, int count>
__device__ __forceinline__ void pin_registers(Register (&registers)[count]) {
  _Pragma("unroll")
  for (int i = 0; i < count; ++i) {
    if constexpr (sizeof(Register) == 4 && Register(1) / 2 != 0) {
      PARLAB_SM90A("" : "+f"(registers[i])::"memory");
    } else {
      PARLAB_SM90A("" : "+r"(registers[i])::"memory");
    }
  }
}

// The registers of an instruction, as operands and as their numbers.
#define PARLAB_8(kind, s, i)                                                  \
  kind(s[i]), kind(s[i + 1]), kind(s[i + 2]), kind(s[i + 3]), kind(s[i + 4]), \
      kind(s[i + 5]), kind(s[i + 6]), kind(s[i + 7])
#define PARLAB_32(kind, s, i)                                                \
  PARLAB_8(kind, s, i), PARLAB_8(kind, s, i + 8), PARLAB_8(kind, s, i + 16), \
      PARLAB_8(kind, s, i + 24)
#define PARLAB_64(kind, s) PARLAB_32(kind, s, 0), PARLAB_32(kind, s, 32)
#define PARLAB_96(kind, s) PARLAB_64(kind, s), PARLAB_32(kind, s, 64)
#define PARLAB_128(kind, s) \
  PARLAB_64(kind, s), PARLAB_32(kind, s, 64), PARLAB_32(kind, s, 96)
#define PARLAB_NUMBERS_32                                             \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, " \
  "%15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, " \
  "%28, %29, %30, %31"
#define PARLAB_NUMBERS_64                                               \
  PARLAB_NUMBERS_32                                                     \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, " \
  "%45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "   \
  "%58, %59, %60, %61, %62, %63"
#define PARLAB_NUMBERS_96                                                    \
  PARLAB_NUMBERS_64                                                          \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, " \
  "%78, %79"                                                                 \
  ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, " \
  "%94, %95"
#define PARLAB_NUMBERS_128                                                     \
  PARLAB_NUMBERS_96                                                            \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, "     \
  "%108, %109"                                                                 \
  ", %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, " \
  "%122"                                                                       \
  ", %123, %124, %125, %126, %127"

// Both operands from shared memory, N columns of b; `add` false:
// sum = a b. FLAGS: the signs of both, where they have one, and whether
// they are transposed, where they can be. A, B, ADD, AT, BT: the
// numbers of these operands.
#define PARLAB_PRODUCT(N, NUMBERS, REGISTERS, A, B, ADD, TYPES, FLAGS)      \
  PARLAB_SM90A("{\n.reg .pred add;\nsetp.ne.b32 add, " ADD                  \
               ", 0;\n"                                                     \
               "wgmma.mma_async.sync.aligned.m64n" N TYPES " {" NUMBERS     \
               "}, " A ", " B ", add" FLAGS ";\n}"                          \
               : REGISTERS                                                  \
               : "l"(a), "l"(b), "r"(static_cast<int>(add)), "n"(a_across), \
                 "n"(b_across))
#define PARLAB_PRODUCT_OF_ANY_SIZE(TYPES, KIND, FLAGS_256, FLAGS_192,        \
                                   FLAGS_128, FLAGS_64)                      \
  if constexpr (registers == 128) {                                          \
    PARLAB_PRODUCT("256", PARLAB_NUMBERS_128, PARLAB_128(KIND, sum), "%128", \
                   "%129", "%130", TYPES, FLAGS_256);                        \
  } else if constexpr (registers == 96) {                                    \
    PARLAB_PRODUCT("192", PARLAB_NUMBERS_96, PARLAB_96(KIND, sum), "%96",    \
                   "%97", "%98", TYPES, FLAGS_192);                          \
  } else if constexpr (registers == 64) {                                    \
    PARLAB_PRODUCT("128", PARLAB_NUMBERS_64, PARLAB_64(KIND, sum), "%64",    \
                   "%65", "%66", TYPES, FLAGS_128);                          \
  } else {                                                                   \
    PARLAB_PRODUCT("64", PARLAB_NUMBERS_32, PARLAB_32(KIND, sum, 0), "%32",  \
                   "%33", "%34", TYPES, FLAGS_64);                           \
  }
#define PARLAB_NARROW_PRODUCT(TYPES)                                  \
  PARLAB_PRODUCT_OF_ANY_SIZE(TYPES, "+f", ", 1, 1, %131, %132",       \
                             ", 1, 1, %99, %100", ", 1, 1, %67, %68", \
                             ", 1, 1, %35, %36")

enum class Factor { f16, bf16, tf32, int8 };

// N = 256, 192, 128 or 64: twice the registers of sum. a_across,
// b_across: the operand lies across K, see operand_in_shared(); only
// elements of two bytes can.
template <Factor factor,
          bool b_across = false,
          bool a_across = false,
          typename Sum,
          int registers>
__device__ __forceinline__ void multiply_add(Sum (&sum)[registers],
                                             std::uint64_t a,
                                             std::uint64_t b,
                                             bool add = true) {
  static_assert(registers == 128 || registers == 96 || registers == 64 ||
                registers == 32);
  constexpr bool narrow = factor == Factor::f16 || factor == Factor::bf16;
  static_assert(narrow || !(a_across || b_across),
                "only elements of two bytes can lie across K");
  if constexpr (factor == Factor::f16) {
    PARLAB_NARROW_PRODUCT("k16.f32.f16.f16")
  } else if constexpr (factor == Factor::bf16) {
    PARLAB_NARROW_PRODUCT("k16.f32.bf16.bf16")
  } else if constexpr (factor == Factor::tf32) {
    PARLAB_PRODUCT_OF_ANY_SIZE("k8.f32.tf32.tf32", "+f", ", 1, 1", ", 1, 1",
                               ", 1, 1", ", 1, 1")
  } else {
    PARLAB_PRODUCT_OF_ANY_SIZE("k32.s32.s8.s8", "+r", "", "", "", "")
  }
}

// The same with a in registers, in TF32. A: the numbers of its registers;
// B, ADD: of b and of add.
#define PARLAB_PRODUCT_FROM_REGISTERS(N, NUMBERS, REGISTERS, A, B, ADD)        \
  PARLAB_SM90A("{\n.reg .pred add;\nsetp.ne.b32 add, " ADD                     \
               ", 0;\n"                                                        \
               "wgmma.mma_async.sync.aligned.m64n" N                           \
               "k8.f32.tf32.tf32 {" NUMBERS "}, {" A "}, " B ", add, 1, 1;\n}" \
               : REGISTERS                                                     \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b),           \
                 "r"(static_cast<int>(add)))
template <int registers>
__device__ __forceinline__ void multiply_add(float (&sum)[registers],
                                             const std::uint32_t (&a)[4],
                                             std::uint64_t b,
                                             bool add = true) {
  static_assert(registers == 128 || registers == 96 || registers == 64 ||
                registers == 32);
  if constexpr (registers == 128) {
    PARLAB_PRODUCT_FROM_REGISTERS("256", PARLAB_NUMBERS_128,
                                  PARLAB_128("+f", sum),
                                  "%128, %129, %130, %131", "%132", "%133");
  } else if constexpr (registers == 96) {
    PARLAB_PRODUCT_FROM_REGISTERS("192", PARLAB_NUMBERS_96,
                                  PARLAB_96("+f", sum), "%96, %97, %98, %99",
                                  "%100", "%101");
  } else if constexpr (registers == 64) {
    PARLAB_PRODUCT_FROM_REGISTERS("128", PARLAB_NUMBERS_64,
                                  PARLAB_64("+f", sum), "%64, %65, %66, %67",
                                  "%68", "%69");
  } else {
    PARLAB_PRODUCT_FROM_REGISTERS("64", PARLAB_NUMBERS_32,
                                  PARLAB_32("+f", sum, 0), "%32, %33, %34, %35",
                                  "%36", "%37");
  }
}

#ifndef __CUDA_ARCH_FEAT_SM90_ALL
#pragma GCC diagnostic pop
#endif
#undef PARLAB_8
#undef PARLAB_32
#undef PARLAB_64
#undef PARLAB_96
#undef PARLAB_128
#undef PARLAB_NUMBERS_32
#undef PARLAB_NUMBERS_64
#undef PARLAB_NUMBERS_96
#undef PARLAB_NUMBERS_128
#undef PARLAB_PRODUCT
#undef PARLAB_PRODUCT_OF_ANY_SIZE
#undef PARLAB_NARROW_PRODUCT
#undef PARLAB_PRODUCT_FROM_REGISTERS

}  // namespace parlab
