// CUDA C++ for the host compiler: everything that an emulated kernel uses.
//
// Qualifiers, built-in variables, vector types, barriers, warp intrinsics and
// atomics, with the meaning that the CUDA C++ Programming Guide gives them. The
// kernels are compiled with -fsanitize=thread, so that every memory access
// calls hooks.cpp; libtsan itself is never linked.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>

#include "gpu/emulated.hpp"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
// Each OS thread runs one block at a time. A variable in a function is static,
// like a variable of a block. nvcc aligns it like this in order to join
// accesses.
#define __shared__ thread_local __attribute__((aligned(16)))
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

// ---- types
#define PARLAB_VECTORS(T, name)                                      \
  struct alignas(2 * sizeof(T)) name##2 {                            \
    T x, y;                                                          \
  };                                                                 \
  struct name##3 {                                                   \
    T x, y, z;                                                       \
  };                                                                 \
  struct alignas(std::min<std::size_t>(4 * sizeof(T), 16)) name##4 { \
    T x, y, z, w;                                                    \
  };                                                                 \
  constexpr name##2 make_##name##2(T x, T y) {                       \
    return {x, y};                                                   \
  }                                                                  \
  constexpr name##3 make_##name##3(T x, T y, T z) {                  \
    return {x, y, z};                                                \
  }                                                                  \
  constexpr name##4 make_##name##4(T x, T y, T z, T w) {             \
    return {x, y, z, w};                                             \
  }
PARLAB_VECTORS(signed char, char)
PARLAB_VECTORS(unsigned char, uchar)
PARLAB_VECTORS(short, short)
PARLAB_VECTORS(unsigned short, ushort)
PARLAB_VECTORS(int, int)
PARLAB_VECTORS(unsigned, uint)
PARLAB_VECTORS(long long, longlong)
PARLAB_VECTORS(unsigned long long, ulonglong)
PARLAB_VECTORS(float, float)
PARLAB_VECTORS(double, double)
#undef PARLAB_VECTORS

struct dim3 : uint3 {
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
      : uint3{x_, y_, z_} {}
  constexpr dim3(uint3 v) : uint3(v) {}
};

// ---- the runtime, in block.cpp
namespace parlab::emulation {

__attribute__((const)) int lane_index();
__attribute__((const)) void* dynamic_shared();

// A place where threads wait for each other: at a barrier of a warp, a tile of
// several warps, a block or the grid, or for lanes of a warp to exchange
// values, which orders nothing else.
enum class Scope { lanes, warp, tile, block, grid };
struct Meeting {
  Scope scope;
  const char* operation;
  Site site;
  unsigned mask = ~0u;  // the lanes that take part
  std::uint64_t value = 0;
  // lane, or thread of the tile, whose value is wanted; -1: the sum
  int source = -1;
  bool whoever_comes = false;  // does not wait for threads that wait elsewhere
  unsigned tile = 0;           // threads in a tile of several warps
  // for `all`: the bytes at `mine` of each lane, lane after lane
  const void* mine = nullptr;
  std::size_t bytes = 0;
  void* all = nullptr;
  // empty: that lane does not take part
  std::optional<std::uint64_t> result{};
};
std::uint64_t meet(Meeting meeting);
// With arguments in registers. A kernel that writes a Meeting on its stack
// stalls on it there.
std::uint64_t meet(Scope scope, const char* operation, Site site,
                   unsigned mask = ~0u, std::uint64_t value = 0,
                   int source = -1);
// Notes a compare-and-swap, which checks what this thread read there before.
void note_swap(const void* address, std::size_t bytes);
void fence(bool within_block = false);
void pause();  // lets other threads run
void trap(const Site& site);
// Requires that a matrix tile for tensor cores has an address that is a
// multiple of 32 bytes and a row pitch that is a multiple of 16.
void require_tile(const void* matrix, std::size_t pitch_bytes,
                  const char* operation, const Site& site);

// See copy_async() in gpu/emulated.hpp.
void commit_copies();
void wait_copies(unsigned groups_in_flight);

// Replaces *p by f(*p) atomically and returns the old value. <atomic> would
// bring in <string>, and each file with a kernel would compile for 0.2 s more.
template <typename T, typename F>
T atomic_update(T* p, F f) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                "atomics take 2, 4 or 8 bytes");
  T old;
  __atomic_load(p, &old, __ATOMIC_SEQ_CST);
  for (;;) {
    T next = f(old);
    if (__atomic_compare_exchange(p, &old, &next, false, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST)) {
      return old;
    }
  }
}

}  // namespace parlab::emulation

// Indices of the running CUDA thread. They are variables and not macros,
// because a program may use these names itself. They are constants here, as
// they are for a kernel, so no access to them is watched.
extern __thread const uint3 threadIdx asm("parlab_thread_index");
extern __thread const uint3 blockIdx asm("parlab_block_index");
extern __thread const dim3 blockDim asm("parlab_block_extent");
extern __thread const dim3 gridDim asm("parlab_grid_extent");
constexpr int warpSize = 32;

// Dynamic shared memory as an array of T; the real build has its own version in
// gpu/gpu.hpp.
template <typename T>
T* shared_memory() {
  return static_cast<T*>(parlab::emulation::dynamic_shared());
}

// Kernels find the following names without a namespace.
namespace parlab::emulation::cuda {

// ---- barriers, fences and warp intrinsics. A site is where the kernel says
// it.
#define PARLAB_SITE const Site& site = Site::current()

inline void __syncthreads(PARLAB_SITE) {
  meet(Scope::block, __func__, site);
}
inline int __syncthreads_count(int predicate, PARLAB_SITE) {
  return static_cast<int>(
      meet(Scope::block, __func__, site, ~0u, predicate != 0));
}
inline int __syncthreads_or(int predicate, PARLAB_SITE) {
  return meet(Scope::block, __func__, site, ~0u, predicate != 0) != 0;
}
inline int __syncthreads_and(int predicate, PARLAB_SITE) {
  return meet(Scope::block, __func__, site, ~0u, predicate == 0) == 0;
}
inline void __syncwarp(unsigned mask = ~0u, PARLAB_SITE) {
  meet(Scope::warp, __func__, site, mask);
}
inline void __threadfence() {
  fence();
}
inline void __threadfence_system() {
  fence();
}
inline void __threadfence_block() {
  fence(true);
}

// The lanes of a warp form segments of `width`. `source` computes the lane
// whose value is wanted; outside the segment a lane gets its own value.
#define PARLAB_SHUFFLE(name, source)                                    \
  template <typename T>                                                 \
  T name(unsigned mask, T value, int by, int width = 32, PARLAB_SITE) { \
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>,    \
                  "at most 8 bytes");                                   \
    const int lane = lane_index(), first = lane / width * width,        \
              from = source;                                            \
    std::uint64_t bits = 0;                                             \
    __builtin_memcpy(&bits, &value, sizeof(T));                         \
    bits = meet(Scope::lanes, #name, site, mask, bits,                  \
                from < first + width ? from : lane);                    \
    __builtin_memcpy(&value, &bits, sizeof(T));                         \
    return value;                                                       \
  }
PARLAB_SHUFFLE(__shfl_sync, first + (by & (width - 1)))
PARLAB_SHUFFLE(__shfl_up_sync, lane - by < first ? lane : lane - by)
PARLAB_SHUFFLE(__shfl_down_sync, lane + by)
PARLAB_SHUFFLE(__shfl_xor_sync, lane ^ by)
#undef PARLAB_SHUFFLE
inline unsigned __ballot_sync(unsigned mask, int predicate, PARLAB_SITE) {
  const std::uint64_t vote = std::uint64_t{predicate != 0} << lane_index();
  return static_cast<unsigned>(meet(Scope::lanes, __func__, site, mask, vote));
}
// The lanes that reach this line together.
inline unsigned __activemask(PARLAB_SITE) {
  const auto own = std::uint64_t{1} << lane_index();
  return static_cast<unsigned>(
      meet({Scope::lanes, __func__, site, ~0u, own, -1, true}));
}
inline int __any_sync(unsigned mask, int predicate, PARLAB_SITE) {
  return __ballot_sync(mask, predicate, site) != 0;
}
inline int __all_sync(unsigned mask, int predicate, PARLAB_SITE) {
  return __ballot_sync(mask, !predicate, site) == 0;
}

// Combines the values of the lanes in the mask in order.
#define PARLAB_REDUCE(name, ...)                                           \
  template <typename T>                                                    \
  T name(unsigned mask, T value, PARLAB_SITE) {                            \
    static_assert(sizeof(T) == 4, "int or unsigned");                      \
    T all = __shfl_sync(mask, value, std::countr_zero(mask), 32, site);    \
    for (unsigned rest = mask & (mask - 1); rest != 0; rest &= rest - 1) { \
      const T one =                                                        \
          __shfl_sync(mask, value, std::countr_zero(rest), 32, site);      \
      all = __VA_ARGS__;                                                   \
    }                                                                      \
    return all;                                                            \
  }
PARLAB_REDUCE(__reduce_add_sync, all + one)
PARLAB_REDUCE(__reduce_min_sync, one < all ? one : all)
PARLAB_REDUCE(__reduce_max_sync, all < one ? one : all)
PARLAB_REDUCE(__reduce_and_sync, all& one)
PARLAB_REDUCE(__reduce_or_sync, all | one)
PARLAB_REDUCE(__reduce_xor_sync, all ^ one)
#undef PARLAB_REDUCE
// The lanes of the mask that have the same value.
template <typename T>
unsigned __match_any_sync(unsigned mask, T value, PARLAB_SITE) {
  unsigned same = 0;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (__shfl_sync(mask, value, lane, 32, site) == value) same |= 1u << lane;
  }
  return same;
}
template <typename T>
unsigned __match_all_sync(unsigned mask, T value, int* all_same, PARLAB_SITE) {
  const bool same = __match_any_sync(mask, value, site) == mask;
  *all_same = __all_sync(mask, same, site);
  return *all_same ? mask : 0;
}

// ---- atomics. value: of the same type, or one that converts to it, as with
// CUDA's overloads.
// There are three of each: for a device, for a block alone, and for host and
// device together.
#define PARLAB_SCOPE(name, scope, ...)                                \
  template <typename T>                                               \
  T name##scope(T* p, std::type_identity_t<T> value) {                \
    return atomic_update(p, [&](T old) -> T { return __VA_ARGS__; }); \
  }
#define PARLAB_ATOMIC(name, ...)          \
  PARLAB_SCOPE(name, , __VA_ARGS__)       \
  PARLAB_SCOPE(name, _block, __VA_ARGS__) \
  PARLAB_SCOPE(name, _system, __VA_ARGS__)
PARLAB_ATOMIC(atomicAdd, old + value)
PARLAB_ATOMIC(atomicSub, old - value)
PARLAB_ATOMIC(atomicMax, old < value ? value : old)
PARLAB_ATOMIC(atomicMin, value < old ? value : old)
PARLAB_ATOMIC(atomicExch, (static_cast<void>(old), value))
PARLAB_ATOMIC(atomicAnd, old& value)
PARLAB_ATOMIC(atomicOr, old | value)
PARLAB_ATOMIC(atomicXor, old ^ value)
PARLAB_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
PARLAB_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)
#undef PARLAB_SCOPE
#undef PARLAB_ATOMIC
#define PARLAB_SWAP(name)                                         \
  template <typename T>                                           \
  T name(T* p, std::type_identity_t<T> expected,                  \
         std::type_identity_t<T> value) {                         \
    const T before = atomic_update(                               \
        p, [&](T old) { return old == expected ? value : old; }); \
    note_swap(p, sizeof(T));                                      \
    return before;                                                \
  }
PARLAB_SWAP(atomicCAS)
PARLAB_SWAP(atomicCAS_block)
PARLAB_SWAP(atomicCAS_system)
#undef PARLAB_SWAP

// ---- loads and stores with a cache hint
inline constexpr auto __ldg = [](const auto* p) { return *p; };
inline constexpr auto __ldca = __ldg, __ldcg = __ldg, __ldcs = __ldg,
                      __ldlu = __ldg, __ldcv = __ldg;
inline constexpr auto __stwb =
    []<typename T>(T* p, std::type_identity_t<T> value) { *p = value; };
inline constexpr auto __stcg = __stwb, __stcs = __stwb, __stwt = __stwb;

// ---- arithmetic. Mixed types as in CUDA: the common type of C++'s arithmetic.
constexpr auto min(auto a, auto b) {
  return std::min<decltype(a + b)>(a, b);
}
constexpr auto max(auto a, auto b) {
  return std::max<decltype(a + b)>(a, b);
}
using std::abs, std::fabs, std::fma, std::fmax, std::fmin, std::sqrt, std::exp,
    std::log, std::pow;
using std::isfinite, std::isinf, std::isnan;
// Defines a function of one expression.
#define PARLAB_FUNCTION(T, name, parameters, ...) \
  inline T name parameters {                      \
    return __VA_ARGS__;                           \
  }
PARLAB_FUNCTION(float, rsqrtf, (float x), 1 / std::sqrt(x))
PARLAB_FUNCTION(double, rsqrt, (double x), 1 / std::sqrt(x))
// Functions that are fast and inexact on a GPU are exact here. The C library
// declares __expf() and its kin, and runtime.cpp defines them.
PARLAB_FUNCTION(float, __fdividef, (float a, float b), a / b)
// 0 for NaN
PARLAB_FUNCTION(float, __saturatef, (float x), x > 0 ? std::fmin(x, 1.0f) : 0)
PARLAB_FUNCTION(float, __fadd_rn, (float a, float b), a + b)
PARLAB_FUNCTION(float, __fmul_rn, (float a, float b), a* b)
PARLAB_FUNCTION(float, __fmaf_rn, (float a, float b, float c),
                std::fma(a, b, c))
PARLAB_FUNCTION(double, __dadd_rn, (double a, double b), a + b)
PARLAB_FUNCTION(double, __dmul_rn, (double a, double b), a* b)
PARLAB_FUNCTION(double, __fma_rn, (double a, double b, double c),
                std::fma(a, b, c))
// Conversions, as in __float2int_rz(): to the nearest, towards zero, down, up.
#define PARLAB_ROUNDED(name, F, T, round) \
  PARLAB_FUNCTION(T, name, (F x), static_cast<T>(round(x)))
#define PARLAB_CONVERSIONS(F, T, name)                      \
  PARLAB_ROUNDED(__##F##2##name##_rn, F, T, std::nearbyint) \
  PARLAB_ROUNDED(__##F##2##name##_rz, F, T, std::trunc)     \
  PARLAB_ROUNDED(__##F##2##name##_rd, F, T, std::floor)     \
  PARLAB_ROUNDED(__##F##2##name##_ru, F, T, std::ceil)
#define PARLAB_CONVERSIONS_OF(T, name)                                      \
  PARLAB_CONVERSIONS(float, T, name)                                        \
  PARLAB_CONVERSIONS(double, T, name)                                       \
  PARLAB_FUNCTION(float, __##name##2float_rn, (T x), static_cast<float>(x)) \
  PARLAB_FUNCTION(double, __##name##2double_rn, (T x), static_cast<double>(x))
PARLAB_CONVERSIONS_OF(int, int)
PARLAB_CONVERSIONS_OF(unsigned, uint)
PARLAB_CONVERSIONS_OF(long long, ll)
PARLAB_CONVERSIONS_OF(unsigned long long, ull)
#undef PARLAB_CONVERSIONS_OF
#undef PARLAB_CONVERSIONS
#undef PARLAB_ROUNDED
PARLAB_FUNCTION(int, __float_as_int, (float x), std::bit_cast<int>(x))
PARLAB_FUNCTION(float, __int_as_float, (int x), std::bit_cast<float>(x))
PARLAB_FUNCTION(unsigned, __float_as_uint, (float x),
                std::bit_cast<unsigned>(x))
PARLAB_FUNCTION(float, __uint_as_float, (unsigned x), std::bit_cast<float>(x))
PARLAB_FUNCTION(long long, __double_as_longlong, (double x),
                std::bit_cast<long long>(x))
PARLAB_FUNCTION(double, __longlong_as_double, (long long x),
                std::bit_cast<double>(x))
PARLAB_FUNCTION(int, __popc, (unsigned x), std::popcount(x))
PARLAB_FUNCTION(int, __popcll, (unsigned long long x), std::popcount(x))
PARLAB_FUNCTION(int, __ffs, (int x), __builtin_ffs(x))
PARLAB_FUNCTION(int, __ffsll, (long long x), __builtin_ffsll(x))
PARLAB_FUNCTION(int, __clz, (int x), std::countl_zero(static_cast<unsigned>(x)))
PARLAB_FUNCTION(int, __clzll, (long long x),
                std::countl_zero(static_cast<unsigned long long>(x)))
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit)
    reversed = reversed << 1 | (x >> bit & 1);
  return reversed;
}
PARLAB_FUNCTION(unsigned, __umul24, (unsigned a, unsigned b), a* b)
PARLAB_FUNCTION(int, __mulhi, (int a, int b),
                static_cast<int>(std::int64_t{a} * b >> 32))
PARLAB_FUNCTION(float, __frcp_rn, (float x), 1 / x)
PARLAB_FUNCTION(float, __fsqrt_rn, (float x), std::sqrt(x))
PARLAB_FUNCTION(float, __frsqrt_rn, (float x), 1 / std::sqrt(x))
PARLAB_FUNCTION(float, __fdiv_rn, (float a, float b), a / b)
PARLAB_FUNCTION(float, __fsub_rn, (float a, float b), a - b)
PARLAB_FUNCTION(double, __dsub_rn, (double a, double b), a - b)
PARLAB_FUNCTION(double, __ddiv_rn, (double a, double b), a / b)
PARLAB_FUNCTION(float, rcbrtf, (float x), 1 / std::cbrt(x))
PARLAB_FUNCTION(unsigned, umin, (unsigned a, unsigned b), a < b ? a : b)
PARLAB_FUNCTION(unsigned, umax, (unsigned a, unsigned b), a < b ? b : a)
PARLAB_FUNCTION(float, __double2float_rn, (double x), static_cast<float>(x))
PARLAB_FUNCTION(int, __double2loint, (double x),
                static_cast<int>(std::bit_cast<std::uint64_t>(x)))
PARLAB_FUNCTION(int, __double2hiint, (double x),
                static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 32))
PARLAB_FUNCTION(double, __hiloint2double, (int high, int low),
                std::bit_cast<double>(std::uint64_t{static_cast<unsigned>(high)}
                                          << 32 |
                                      static_cast<unsigned>(low)))
PARLAB_FUNCTION(int, __mul24, (int a, int b), a* b)
PARLAB_FUNCTION(unsigned, __umulhi, (unsigned a, unsigned b),
                static_cast<unsigned>(std::uint64_t{a} * b >> 32))
PARLAB_FUNCTION(unsigned long long, __brevll, (unsigned long long x),
                std::uint64_t{__brev(static_cast<unsigned>(x))} << 32 |
                    __brev(static_cast<unsigned>(x >> 32)))
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const auto both = std::uint64_t{b} << 32 | a;
  unsigned bytes = 0;
  for (int i = 0; i < 32; i += 8)
    bytes |= (both >> (selector >> i / 2 & 7) * 8 & 0xff) << i;
  return bytes;
}
PARLAB_FUNCTION(
    unsigned, __funnelshift_l, (unsigned low, unsigned high, unsigned by),
    static_cast<unsigned>((std::uint64_t{high} << 32 | low) << (by & 31) >> 32))
PARLAB_FUNCTION(unsigned, __funnelshift_r,
                (unsigned low, unsigned high, unsigned by),
                static_cast<unsigned>((std::uint64_t{high} << 32 | low) >>
                                      (by & 31)))
PARLAB_FUNCTION(unsigned, __sad, (int a, int b, unsigned c),
                c + static_cast<unsigned>(std::abs(std::int64_t{a} - b)))
PARLAB_FUNCTION(unsigned, __usad, (unsigned a, unsigned b, unsigned c),
                c + (a < b ? b - a : a - b))
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8)
    c += static_cast<signed char>(a >> i) * static_cast<signed char>(b >> i);
  return c;
}
PARLAB_FUNCTION(unsigned long long, __umul64hi,
                (unsigned long long a, unsigned long long b),
                static_cast<unsigned long long>(
                    static_cast<unsigned __int128>(a) * b >> 64))
PARLAB_FUNCTION(double, __drcp_rn, (double x), 1 / x)
PARLAB_FUNCTION(double, __dsqrt_rn, (double x), std::sqrt(x))
PARLAB_FUNCTION(float, fdividef, (float a, float b), a / b)
PARLAB_FUNCTION(float, rhypotf, (float a, float b), 1 / std::hypot(a, b))
PARLAB_FUNCTION(double, rhypot, (double a, double b), 1 / std::hypot(a, b))
PARLAB_FUNCTION(float, norm3df, (float a, float b, float c),
                std::hypot(a, b, c))
PARLAB_FUNCTION(double, norm3d, (double a, double b, double c),
                std::hypot(a, b, c))
PARLAB_FUNCTION(double, rcbrt, (double x), 1 / std::cbrt(x))
// Exact where x is a multiple of a half.
inline double sinpi(double x) {
  const double r = std::remainder(x, 2);
  return std::sin(M_PI * (std::abs(r) > 0.5 ? std::copysign(1, r) - r : r));
}
PARLAB_FUNCTION(double, cospi, (double x),
                sinpi(0.5 - std::abs(std::remainder(x, 2))))
PARLAB_FUNCTION(float, sinpif, (float x), static_cast<float>(sinpi(x)))
PARLAB_FUNCTION(float, cospif, (float x), static_cast<float>(cospi(x)))
PARLAB_FUNCTION(long long, llmin, (long long a, long long b), a < b ? a : b)
PARLAB_FUNCTION(long long, llmax, (long long a, long long b), a < b ? b : a)
PARLAB_FUNCTION(long long, clock64, (),
                static_cast<long long>(__builtin_ia32_rdtsc()))
inline void __nanosleep(unsigned) {
  pause();
}
inline void __trap(PARLAB_SITE) {
  trap(site);
}

}  // namespace parlab::emulation::cuda

using namespace parlab::emulation::cuda;
