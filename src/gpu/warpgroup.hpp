// Products by warpgroups. Like the copies and barriers of bulk_copies.hpp,
// these instructions exist only in compute capability 9.0. Emulation has none
// of them. PTX ISA 9.0: asynchronous warpgroup level matrix instructions.
//
// sum += a b for a warpgroup, which has 128 threads and starts at a warp whose
// number is a multiple of 4. a is 64 x K, b is K x N, K = 32 bytes of elements.
// Lane l of warp w holds these elements of sum, with g = l / 4 and t = l % 4:
//   sum[4 j], sum[4 j + 1]      row 16 w + g,
//                               columns 8 j + 2 t and 8 j + 2 t + 1
//   sum[4 j + 2], sum[4 j + 3]  row 16 w + g + 8, the same columns
// If a comes from registers (32-bit elements; K = 8), the lane holds rows
// 16 w + g and 16 w + g + 8 of column t, then of column t + 4.
//
// Products are asynchronous: call begin_products(), the products, and
// end_products(). Call wait_for_products() before touching any register or
// shared memory that they use.
#pragma once

#include "gpu/bulk_copies.hpp"

#ifndef __CUDA_ARCH_FEAT_SM90_ALL
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

namespace parlab {

// Describes where an operand lies in shared memory, and in which pattern. Its
// rows have `swizzle` bytes, and eight of them are permuted in the same way as
// by bulk tensor copies. Along K (rows of the array are rows of a, columns of
// b): `group` is the distance of 8 rows, `panel` is unused. Across K (rows of
// the array are indices of K, so the operand is transposed): `panel` is the
// distance from 128 bytes of such a row to the next 128, `group` that of 8
// rows.
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

// The block's threads 64 p to 64 p + 63 wait for one another.
__device__ __forceinline__ void sync_pair_of_warps() {
  PARLAB_SM90A("bar.sync %0, 64;" ::"r"(1 + threadIdx.x / 64) : "memory");
}

// The block's first `threads`, whole warps, wait for one another.
template <int threads>
__device__ __forceinline__ void sync_first_threads() {
  PARLAB_SM90A("bar.sync 15, %0;" ::"n"(threads) : "memory");
}

__device__ __forceinline__ void begin_products() {
  PARLAB_NOT_EMULATED("warpgroup products");
  PARLAB_SM90A("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void end_products() {
  PARLAB_SM90A("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Waits until at most `pending` of the last groups are running.
template <int pending>
__device__ __forceinline__ void wait_for_products() {
  PARLAB_SM90A("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// The compiler does not know that products are still running. This keeps it
// from reading or writing their registers on the wrong side of a wait.
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

// The registers of an instruction, as operands and by number.
#define PARLAB_8(kind, s, i)                                                  \
  kind(s[i]), kind(s[i + 1]), kind(s[i + 2]), kind(s[i + 3]), kind(s[i + 4]), \
      kind(s[i + 5]), kind(s[i + 6]), kind(s[i + 7])
#define PARLAB_NEXT_16(kind, s, i) \
  PARLAB_8(kind, s, i), PARLAB_8(kind, s, i + 8)
#define PARLAB_16(kind, s) PARLAB_NEXT_16(kind, s, 0)
#define PARLAB_32(kind, s) PARLAB_16(kind, s), PARLAB_NEXT_16(kind, s, 16)
#define PARLAB_48(kind, s) PARLAB_32(kind, s), PARLAB_NEXT_16(kind, s, 32)
#define PARLAB_64(kind, s) PARLAB_48(kind, s), PARLAB_NEXT_16(kind, s, 48)
#define PARLAB_72(kind, s) PARLAB_64(kind, s), PARLAB_8(kind, s, 64)
#define PARLAB_88(kind, s) PARLAB_72(kind, s), PARLAB_NEXT_16(kind, s, 72)
#define PARLAB_96(kind, s) PARLAB_88(kind, s), PARLAB_8(kind, s, 88)
#define PARLAB_128(kind, s) \
  PARLAB_96(kind, s), PARLAB_NEXT_16(kind, s, 96), PARLAB_NEXT_16(kind, s, 112)
#define PARLAB_NUMBERS_16                                           \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14" \
  ", %15"
#define PARLAB_NUMBERS_32                                             \
  PARLAB_NUMBERS_16                                                   \
  ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28" \
  ", %29, %30, %31"
#define PARLAB_NUMBERS_48                                             \
  PARLAB_NUMBERS_32                                                   \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44" \
  ", %45, %46, %47"
#define PARLAB_NUMBERS_64                                             \
  PARLAB_NUMBERS_48                                                   \
  ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60" \
  ", %61, %62, %63"
#define PARLAB_NUMBERS_72 \
  PARLAB_NUMBERS_64       \
  ", %64, %65, %66, %67, %68, %69, %70, %71"
#define PARLAB_NUMBERS_88                                             \
  PARLAB_NUMBERS_72                                                   \
  ", %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84" \
  ", %85, %86, %87"
#define PARLAB_NUMBERS_96 \
  PARLAB_NUMBERS_88       \
  ", %88, %89, %90, %91, %92, %93, %94, %95"
#define PARLAB_NUMBERS_128                                             \
  PARLAB_NUMBERS_96                                                    \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106"     \
  ", %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117" \
  ", %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// Both operands from shared memory, with N columns of b; `add` false: sum = a
// b. FLAGS: the signs of both, if they have any, and whether they are
// transposed, if possible. A, B, ADD, AT, BT: the numbers of these operands.
#define PARLAB_PRODUCT(N, NUMBERS, REGISTERS, A, B, ADD, TYPES, FLAGS)      \
  PARLAB_SM90A("{\n.reg .pred add;\nsetp.ne.b32 add, " ADD                  \
               ", 0;\n"                                                     \
               "wgmma.mma_async.sync.aligned.m64n" N TYPES " {" NUMBERS     \
               "}, " A ", " B ", add" FLAGS ";\n}"                          \
               : REGISTERS                                                  \
               : "l"(a), "l"(b), "r"(static_cast<int>(add)), "n"(a_across), \
                 "n"(b_across))
// COUNT: registers of the sums, half of N. A_, B_, ADD_, AT_, BT_: as above.
#define PARLAB_PRODUCT_OF(N, COUNT, A_, B_, ADD_, TYPES, KIND, FLAGS)         \
  if constexpr (registers == COUNT) {                                         \
    PARLAB_PRODUCT(#N, PARLAB_NUMBERS_##COUNT, PARLAB_##COUNT(KIND, sum), A_, \
                   B_, ADD_, TYPES, FLAGS);                                   \
  }
#define PARLAB_PRODUCT_OF_ANY_SIZE(TYPES, KIND, SIGNS, TURNED)     \
  PARLAB_PRODUCT_OF(32, 16, "%16", "%17", "%18", TYPES, KIND,      \
                    SIGNS TURNED(", %19, %20"))                    \
  PARLAB_PRODUCT_OF(64, 32, "%32", "%33", "%34", TYPES, KIND,      \
                    SIGNS TURNED(", %35, %36"))                    \
  PARLAB_PRODUCT_OF(96, 48, "%48", "%49", "%50", TYPES, KIND,      \
                    SIGNS TURNED(", %51, %52"))                    \
  PARLAB_PRODUCT_OF(128, 64, "%64", "%65", "%66", TYPES, KIND,     \
                    SIGNS TURNED(", %67, %68"))                    \
  PARLAB_PRODUCT_OF(144, 72, "%72", "%73", "%74", TYPES, KIND,     \
                    SIGNS TURNED(", %75, %76"))                    \
  PARLAB_PRODUCT_OF(176, 88, "%88", "%89", "%90", TYPES, KIND,     \
                    SIGNS TURNED(", %91, %92"))                    \
  PARLAB_PRODUCT_OF(192, 96, "%96", "%97", "%98", TYPES, KIND,     \
                    SIGNS TURNED(", %99, %100"))                   \
  PARLAB_PRODUCT_OF(256, 128, "%128", "%129", "%130", TYPES, KIND, \
                    SIGNS TURNED(", %131, %132"))
#define PARLAB_TURNED(numbers) numbers
#define PARLAB_NOT_TURNED(numbers) ""

enum class Factor { f16, bf16, tf32, int8 };

// N is twice the number of registers of sum: 32, 64, 96, 128, 144, 176, 192 or
// 256.
// a_across, b_across: the operand lies across K, see operand_in_shared(); only
// possible for two-byte elements.
template <Factor factor, bool b_across = false, bool a_across = false,
          typename Sum, int registers>
__device__ __forceinline__ void multiply_add(Sum (&sum)[registers],
                                             std::uint64_t a, std::uint64_t b,
                                             bool add = true) {
  static_assert(registers % 8 == 0 && registers >= 16 && registers <= 128);
  constexpr bool narrow = factor == Factor::f16 || factor == Factor::bf16;
  static_assert(narrow || !(a_across || b_across),
                "only elements of two bytes can lie across K");
  if constexpr (factor == Factor::f16) {
    PARLAB_PRODUCT_OF_ANY_SIZE("k16.f32.f16.f16", "+f", ", 1, 1", PARLAB_TURNED)
  } else if constexpr (factor == Factor::bf16) {
    PARLAB_PRODUCT_OF_ANY_SIZE("k16.f32.bf16.bf16", "+f", ", 1, 1",
                               PARLAB_TURNED)
  } else if constexpr (factor == Factor::tf32) {
    PARLAB_PRODUCT_OF_ANY_SIZE("k8.f32.tf32.tf32", "+f", ", 1, 1",
                               PARLAB_NOT_TURNED)
  } else {
    PARLAB_PRODUCT_OF_ANY_SIZE("k32.s32.s8.s8", "+r", "", PARLAB_NOT_TURNED)
  }
}

// The same with a in registers, in TF32. A: the numbers of its registers; B,
// ADD: those of b and of add.
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
                                             std::uint64_t b, bool add = true) {
  static_assert(registers % 16 == 0 && registers >= 32 && registers <= 128);
#define PARLAB_PRODUCT_OF_REGISTERS(N, COUNT, A, B, ADD)                 \
  if constexpr (registers == COUNT) {                                    \
    PARLAB_PRODUCT_FROM_REGISTERS(#N, PARLAB_NUMBERS_##COUNT,            \
                                  PARLAB_##COUNT("+f", sum), A, B, ADD); \
  }
  PARLAB_PRODUCT_OF_REGISTERS(64, 32, "%32, %33, %34, %35", "%36", "%37")
  PARLAB_PRODUCT_OF_REGISTERS(96, 48, "%48, %49, %50, %51", "%52", "%53")
  PARLAB_PRODUCT_OF_REGISTERS(128, 64, "%64, %65, %66, %67", "%68", "%69")
  PARLAB_PRODUCT_OF_REGISTERS(192, 96, "%96, %97, %98, %99", "%100", "%101")
  PARLAB_PRODUCT_OF_REGISTERS(256, 128, "%128, %129, %130, %131", "%132",
                              "%133")
}

#ifndef __CUDA_ARCH_FEAT_SM90_ALL
#pragma GCC diagnostic pop
#endif
#undef PARLAB_8
#undef PARLAB_NEXT_16
#undef PARLAB_16
#undef PARLAB_32
#undef PARLAB_48
#undef PARLAB_64
#undef PARLAB_72
#undef PARLAB_88
#undef PARLAB_96
#undef PARLAB_128
#undef PARLAB_NUMBERS_16
#undef PARLAB_NUMBERS_32
#undef PARLAB_NUMBERS_48
#undef PARLAB_NUMBERS_64
#undef PARLAB_NUMBERS_72
#undef PARLAB_NUMBERS_88
#undef PARLAB_NUMBERS_96
#undef PARLAB_NUMBERS_128
#undef PARLAB_PRODUCT
#undef PARLAB_PRODUCT_OF
#undef PARLAB_PRODUCT_OF_ANY_SIZE
#undef PARLAB_TURNED
#undef PARLAB_NOT_TURNED
#undef PARLAB_PRODUCT_FROM_REGISTERS
#undef PARLAB_PRODUCT_OF_REGISTERS

}  // namespace parlab
