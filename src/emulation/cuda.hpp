// CUDA C++ for the host compiler: what a kernel sees when it is emulated.
//
// Qualifiers, built-in variables, vector types, barriers, warp intrinsics and atomics, with the
// meaning the CUDA C++ Programming Guide gives them. The kernels are compiled with
// -fsanitize=thread, so that every access to memory calls the checks in hooks.cpp; libtsan itself
// is never linked.
#pragma once

#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>  // before __noinline__ below: libstdc++ uses that word
#include <source_location>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __shared__ static thread_local  // one block at a time on each OS thread
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

// ---- vector types
// --------------------------------------------------------------------------------
#define PARLAB_VECTORS(T, name, align2, align4)                         \
  struct name##1 {                                                      \
    T x;                                                                \
  };                                                                    \
  struct alignas(align2) name##2 {                                      \
    T x, y;                                                             \
  };                                                                    \
  struct name##3 {                                                      \
    T x, y, z;                                                          \
  };                                                                    \
  struct alignas(align4) name##4 {                                      \
    T x, y, z, w;                                                       \
  };                                                                    \
  constexpr name##1 make_##name##1(T x) { return {x}; }                 \
  constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
PARLAB_VECTORS(signed char, char, 2, 4)
PARLAB_VECTORS(unsigned char, uchar, 2, 4)
PARLAB_VECTORS(short, short, 4, 8)
PARLAB_VECTORS(unsigned short, ushort, 4, 8)
PARLAB_VECTORS(int, int, 8, 16)
PARLAB_VECTORS(unsigned, uint, 8, 16)
PARLAB_VECTORS(long long, longlong, 16, 16)
PARLAB_VECTORS(unsigned long long, ulonglong, 16, 16)
PARLAB_VECTORS(float, float, 8, 16)
PARLAB_VECTORS(double, double, 16, 16)
#undef PARLAB_VECTORS

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

// ---- the runtime, in block.cpp, warp.cpp and hooks.cpp
// ---------------------------------------------------
namespace parlab::emulation {

using Site = std::source_location;

// Of the CUDA thread that runs; zero outside a kernel.
__attribute__((const)) uint3 thread_index();
__attribute__((const)) uint3 block_index();
__attribute__((const)) uint3 block_extent();
__attribute__((const)) uint3 grid_extent();
__attribute__((const)) unsigned lane_index();
__attribute__((const)) void* dynamic_shared();

enum class Vote { none, count, all, any };
int block_barrier(Vote vote, int predicate, const Site& site);
void grid_barrier(const Site& site);
void fence();

// Operations of a warp; every lane named in mask takes part.
enum class WarpOp {
  sync,
  shuffle,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  ballot,
  match_any,
  add,
  min,
  max,
  min_signed,
  max_signed,
  bit_and,
  bit_or,
  bit_xor
};
const char* name_of(WarpOp op);
std::uint64_t warp(WarpOp op, unsigned mask, std::uint64_t value, int argument, int width,
                   const Site& site);
unsigned active_mask(const Site& site);

// Asynchronous copies to shared memory: done when they are waited for, not before.
void copy_async(void* to, const void* from, std::size_t bytes, std::size_t zero_bytes);
void commit_copies();
void wait_copies(int groups_in_flight);

template <typename T>
std::uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>, "at most 8 bytes");
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <typename T>
T from_bits(std::uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

template <typename T>
T warp_as(WarpOp op, unsigned mask, T value, int argument, int width, const Site& site) {
  return from_bits<T>(warp(op, mask, to_bits(value), argument, width, site));
}

// Replaces *p by f(*p) atomically; returns the old value. Compare-and-swap on the bits of T.
template <typename T, typename F>
T atomic_update(T* p, F f) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static_assert(sizeof(T) == sizeof(Bits), "atomics take 4 or 8 bytes");
  Bits* bits = reinterpret_cast<Bits*>(p);
  Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(bits, &old, std::bit_cast<Bits>(f(std::bit_cast<T>(old))),
                                      false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return std::bit_cast<T>(old);
}

}  // namespace parlab::emulation

#define threadIdx (::parlab::emulation::thread_index())
#define blockIdx (::parlab::emulation::block_index())
#define blockDim (::parlab::emulation::block_extent())
#define gridDim (::parlab::emulation::grid_extent())
constexpr int warpSize = 32;

// Dynamic shared memory as an array of T; the real build has its own in device/gpu.hpp.
template <typename T>
T* shared_memory() {
  return static_cast<T*>(parlab::emulation::dynamic_shared());
}

// ---- barriers and fences
// -------------------------------------------------------------------------
#define PARLAB_SITE const std::source_location& site = std::source_location::current()

inline void __syncthreads(PARLAB_SITE) {
  parlab::emulation::block_barrier(parlab::emulation::Vote::none, 0, site);
}
inline int __syncthreads_count(int predicate, PARLAB_SITE) {
  return parlab::emulation::block_barrier(parlab::emulation::Vote::count, predicate, site);
}
inline int __syncthreads_and(int predicate, PARLAB_SITE) {
  return parlab::emulation::block_barrier(parlab::emulation::Vote::all, predicate, site);
}
inline int __syncthreads_or(int predicate, PARLAB_SITE) {
  return parlab::emulation::block_barrier(parlab::emulation::Vote::any, predicate, site);
}
inline void __syncwarp(unsigned mask = 0xffffffff, PARLAB_SITE) {
  parlab::emulation::warp(parlab::emulation::WarpOp::sync, mask, 0, 0, 32, site);
}
inline void __threadfence() { parlab::emulation::fence(); }
inline void __threadfence_block() {}  // orders nothing between threads by itself
inline void __threadfence_system() { parlab::emulation::fence(); }
inline void __nanosleep(unsigned) {}

// ---- warp intrinsics
// -----------------------------------------------------------------------------
template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32, PARLAB_SITE) {
  return parlab::emulation::warp_as(parlab::emulation::WarpOp::shuffle, mask, value, lane, width,
                                    site);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, PARLAB_SITE) {
  return parlab::emulation::warp_as(parlab::emulation::WarpOp::shuffle_up, mask, value,
                                    static_cast<int>(delta), width, site);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, PARLAB_SITE) {
  return parlab::emulation::warp_as(parlab::emulation::WarpOp::shuffle_down, mask, value,
                                    static_cast<int>(delta), width, site);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, PARLAB_SITE) {
  return parlab::emulation::warp_as(parlab::emulation::WarpOp::shuffle_xor, mask, value, lane_mask,
                                    width, site);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, PARLAB_SITE) {
  return static_cast<unsigned>(parlab::emulation::warp(parlab::emulation::WarpOp::ballot, mask,
                                                       predicate != 0, 0, 32, site));
}
inline int __any_sync(unsigned mask, int predicate, PARLAB_SITE) {
  return __ballot_sync(mask, predicate, site) != 0;
}
inline int __all_sync(unsigned mask, int predicate, PARLAB_SITE) {
  return __ballot_sync(mask, !predicate, site) == 0;
}
template <typename T>
unsigned __match_any_sync(unsigned mask, T value, PARLAB_SITE) {
  return static_cast<unsigned>(parlab::emulation::warp(
      parlab::emulation::WarpOp::match_any, mask, parlab::emulation::to_bits(value), 0, 32, site));
}
inline unsigned __activemask(PARLAB_SITE) { return parlab::emulation::active_mask(site); }

#define PARLAB_REDUCE(name, T, op)                                                              \
  inline T __reduce_##name##_sync(unsigned mask, T value, PARLAB_SITE) {                        \
    return parlab::emulation::warp_as(parlab::emulation::WarpOp::op, mask, value, 0, 32, site); \
  }
PARLAB_REDUCE(add, unsigned, add)
PARLAB_REDUCE(add, int, add)
PARLAB_REDUCE(min, unsigned, min)
PARLAB_REDUCE(min, int, min_signed)
PARLAB_REDUCE(max, unsigned, max)
PARLAB_REDUCE(max, int, max_signed)
PARLAB_REDUCE(and, unsigned, bit_and)
PARLAB_REDUCE(or, unsigned, bit_or)
PARLAB_REDUCE(xor, unsigned, bit_xor)
#undef PARLAB_REDUCE
#undef PARLAB_SITE

// ---- atomics
// ------------------------------------------------------------------------------------- value: of
// the same type, or one that converts to it, as with CUDA's overloads.
#define PARLAB_ATOMIC(name, ...)                                                         \
  template <typename T>                                                                  \
  T name(T* p, std::type_identity_t<T> value) {                                          \
    return parlab::emulation::atomic_update(p, [&](T old) -> T { return __VA_ARGS__; }); \
  }                                                                                      \
  template <typename T>                                                                  \
  T name##_block(T* p, std::type_identity_t<T> value) {                                  \
    return name(p, value);                                                               \
  }
PARLAB_ATOMIC(atomicAdd, static_cast<T>(old + value))
PARLAB_ATOMIC(atomicSub, static_cast<T>(old - value))
PARLAB_ATOMIC(atomicMax, old < value ? value : old)
PARLAB_ATOMIC(atomicMin, value < old ? value : old)
PARLAB_ATOMIC(atomicExch, (static_cast<void>(old), value))
PARLAB_ATOMIC(atomicAnd, old& value)
PARLAB_ATOMIC(atomicOr, old | value)
PARLAB_ATOMIC(atomicXor, old ^ value)
PARLAB_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
PARLAB_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)
#undef PARLAB_ATOMIC
template <typename T>
T atomicCAS(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}

// ---- loads and stores with a cache hint
// ----------------------------------------------------------
#define PARLAB_LOAD(name) \
  template <typename T>   \
  T name(const T* p) {    \
    return *p;            \
  }
#define PARLAB_STORE(name)                         \
  template <typename T>                            \
  void name(T* p, std::type_identity_t<T> value) { \
    *p = value;                                    \
  }
PARLAB_LOAD(__ldg)
PARLAB_LOAD(__ldca)
PARLAB_LOAD(__ldcg)
PARLAB_LOAD(__ldcs)
PARLAB_LOAD(__ldlu)
PARLAB_LOAD(__ldcv)
PARLAB_STORE(__stwb)
PARLAB_STORE(__stcg)
PARLAB_STORE(__stcs)
PARLAB_STORE(__stwt)
#undef PARLAB_LOAD
#undef PARLAB_STORE

// ---- arithmetic
// ---------------------------------------------------------------------------------- Mixed types as
// in CUDA: the common type of C++'s arithmetic.
template <typename A, typename B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) constexpr auto min(A a, B b) {
  using T = decltype(a + b);
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <typename A, typename B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) constexpr auto max(A a, B b) {
  using T = decltype(a + b);
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}
using std::abs, std::fabs, std::fma, std::fmax, std::fmin, std::sqrt, std::exp, std::log, std::pow;
using std::isfinite, std::isinf, std::isnan;
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline float rsqrt(float x) { return 1 / std::sqrt(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __saturatef(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
// Not to be contracted into a fused multiply-add.
__noinline__ inline float __fmul_rn(float a, float b) { return a * b; }
__noinline__ inline double __dmul_rn(double a, double b) { return a * b; }
__noinline__ inline float __fadd_rn(float a, float b) { return a + b; }
__noinline__ inline double __dadd_rn(double a, double b) { return a + b; }
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __mul24(int a, int b) { return a * b; }
long long clock64();
