// CUDA C++ for the host compiler: what a kernel sees when it is emulated.
//
// Qualifiers, built-in variables, vector types, barriers, warp intrinsics and atomics, with the
// meaning the CUDA C++ Programming Guide gives them. The kernels are compiled with
// -fsanitize=thread, so that every access to memory calls hooks.cpp; libtsan itself is never
// linked.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <source_location>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static thread_local  // one block at a time on each OS thread
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

// ---- types
#define PARLAB_VECTORS(T, name)                                         \
  struct alignas(2 * sizeof(T)) name##2 {                               \
    T x, y;                                                             \
  };                                                                    \
  struct name##3 {                                                      \
    T x, y, z;                                                          \
  };                                                                    \
  struct alignas(std::min<std::size_t>(4 * sizeof(T), 16)) name##4 {    \
    T x, y, z, w;                                                       \
  };                                                                    \
  constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
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
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : uint3{x_, y_, z_} {}
  constexpr dim3(uint3 v) : uint3(v) {}
};

// ---- the runtime, in block.cpp
namespace parlab::emulation {

using Site = std::source_location;

// Of the CUDA thread that runs.
enum class BuiltIn { thread_index, block_index, block_extent, grid_extent };
__attribute__((const)) uint3 built_in(BuiltIn which);
__attribute__((const)) int lane_index();
__attribute__((const)) void* dynamic_shared();

// Where threads wait for each other: at a barrier of a warp, a block or the grid, or for lanes of a
// warp to exchange values, which orders nothing else.
enum class Scope { lanes, warp, block, grid };
struct Meeting {
  Scope scope;
  const char* operation;
  Site site;
  unsigned mask = ~0u;  // the lanes that take part
  std::uint64_t value = 0;
  int source = -1;                        // the lane whose value is wanted; -1: the sum of all
  std::optional<std::uint64_t> result{};  // nothing: that lane does not take part
};
std::uint64_t meet(Meeting meeting);
void fence();

// Asynchronous copies to shared memory: done when they are waited for, not before.
void copy_async(void* to, const void* from, std::size_t bytes, std::size_t zero_bytes);
void commit_copies();
void wait_copies(unsigned groups_in_flight);

// Replaces *p by f(*p) atomically; returns the old value.
template <typename T, typename F>
T atomic_update(T* p, F f) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomics take 4 or 8 bytes");
  const std::atomic_ref<T> word(*p);
  T old = word.load();
  while (!word.compare_exchange_strong(old, f(old))) {
  }
  return old;
}

}  // namespace parlab::emulation

#define threadIdx (::parlab::emulation::built_in(::parlab::emulation::BuiltIn::thread_index))
#define blockIdx (::parlab::emulation::built_in(::parlab::emulation::BuiltIn::block_index))
#define blockDim (::parlab::emulation::built_in(::parlab::emulation::BuiltIn::block_extent))
#define gridDim (::parlab::emulation::built_in(::parlab::emulation::BuiltIn::grid_extent))
constexpr int warpSize = 32;

// Dynamic shared memory as an array of T; the real build has its own in gpu/gpu.hpp.
template <typename T>
T* shared_memory() {
  return static_cast<T*>(parlab::emulation::dynamic_shared());
}

// What follows is found by kernels without a namespace.
namespace parlab::emulation::cuda {

// ---- barriers, fences and warp intrinsics. A site is where the kernel says it.
#define PARLAB_SITE const Site& site = Site::current()

inline void __syncthreads(PARLAB_SITE) { meet({Scope::block, __func__, site}); }
inline void __syncwarp(unsigned mask = ~0u, PARLAB_SITE) {
  meet({Scope::warp, __func__, site, mask});
}
inline void __threadfence() { fence(); }
inline void __threadfence_block() {}  // orders nothing between threads by itself

// The lanes of a warp count in segments of `width`. `source` says which lane's value is wanted;
// beyond the segment a lane gets its own.
#define PARLAB_SHUFFLE(name, source)                                                          \
  template <typename T>                                                                       \
  T name(unsigned mask, T value, int by, int width = 32, PARLAB_SITE) {                       \
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>, "at most 8 bytes");      \
    const int lane = lane_index(), first = lane / width * width, from = source;               \
    std::uint64_t bits = 0;                                                                   \
    __builtin_memcpy(&bits, &value, sizeof(T));                                               \
    bits = meet({Scope::lanes, #name, site, mask, bits, from < first + width ? from : lane}); \
    __builtin_memcpy(&value, &bits, sizeof(T));                                               \
    return value;                                                                             \
  }
PARLAB_SHUFFLE(__shfl_sync, first + (by & (width - 1)))
PARLAB_SHUFFLE(__shfl_up_sync, lane - by < first ? lane : lane - by)
PARLAB_SHUFFLE(__shfl_down_sync, lane + by)
PARLAB_SHUFFLE(__shfl_xor_sync, lane ^ by)
#undef PARLAB_SHUFFLE
inline unsigned __ballot_sync(unsigned mask, int predicate, PARLAB_SITE) {
  const std::uint64_t vote = std::uint64_t{predicate != 0} << lane_index();
  return static_cast<unsigned>(meet({Scope::lanes, __func__, site, mask, vote}));
}
inline int __any_sync(unsigned mask, int predicate, PARLAB_SITE) {
  return __ballot_sync(mask, predicate, site) != 0;
}
inline int __all_sync(unsigned mask, int predicate, PARLAB_SITE) {
  return __ballot_sync(mask, !predicate, site) == 0;
}

// ---- atomics. value: of the same type, or one that converts to it, as with CUDA's overloads.
#define PARLAB_ATOMIC(name, ...)                                      \
  template <typename T>                                               \
  T name(T* p, std::type_identity_t<T> value) {                       \
    return atomic_update(p, [&](T old) -> T { return __VA_ARGS__; }); \
  }
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
#undef PARLAB_ATOMIC
template <typename T>
T atomicCAS(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return atomic_update(p, [&](T old) { return old == expected ? value : old; });
}

// ---- loads and stores with a cache hint
inline constexpr auto __ldg = [](const auto* p) { return *p; };
inline constexpr auto __ldca = __ldg, __ldcg = __ldg, __ldcs = __ldg, __ldlu = __ldg,
                      __ldcv = __ldg;
inline constexpr auto __stwb = []<typename T>(T* p, std::type_identity_t<T> value) { *p = value; };
inline constexpr auto __stcg = __stwb, __stcs = __stwb, __stwt = __stwb;

// ---- arithmetic. Mixed types as in CUDA: the common type of C++'s arithmetic.
constexpr auto min(auto a, auto b) { return std::min<decltype(a + b)>(a, b); }
constexpr auto max(auto a, auto b) { return std::max<decltype(a + b)>(a, b); }
using std::abs, std::fabs, std::fma, std::fmax, std::fmin, std::sqrt, std::exp, std::log, std::pow;
using std::isfinite, std::isinf, std::isnan;
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }

}  // namespace parlab::emulation::cuda

using namespace parlab::emulation::cuda;
