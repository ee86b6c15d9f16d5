// A CUDA variant's view of the device: launch() and scratch memory.
//
// The same header serves two builds. Compiled by nvcc, launch() is a checked
// CUDA launch. Compiled by the host compiler with PARLAB_EMULATED, it executes
// the kernel on the CPU.
#pragma once

#include <cuda_runtime.h>  // in the emulated build, the stand-in of this name

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <typeinfo>

#ifdef PARLAB_EMULATED
#include <functional>
#include <span>

#include "gpu/emulated.hpp"
#endif

#include "core/dtype.hpp"
#include "facts/cannot_run.hpp"

namespace parlab {

// Blocks in a grid, or threads in a block. Signed 64 bits, so that launch()
// refuses values too large for a device instead of truncating them. Written as
// {x, y, z}, as one number, or as a dim3.
struct Extent {
  std::int64_t x = 1, y = 1, z = 1;

  constexpr Extent() = default;
  template <typename X, typename Y = int, typename Z = int,
            std::enable_if_t<std::is_integral_v<X>, int> = 0>
  constexpr Extent(X x_, Y y_ = 1, Z z_ = 1)
      : x(static_cast<std::int64_t>(x_)),
        y(static_cast<std::int64_t>(y_)),
        z(static_cast<std::int64_t>(z_)) {}
  constexpr Extent(const dim3& e) : x(e.x), y(e.y), z(e.z) {}
};

struct LaunchConfig {
  Extent grid = {};
  Extent block = {};
  // dynamic shared memory per block; may exceed 48 KB
  std::size_t shared_bytes = 0;
  // all blocks are resident at once, and grid barriers are allowed
  bool cooperative = false;
  // may begin before the previous launch ends: see overlap.hpp
  bool overlaps = false;
};

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// Largest number of blocks of a grid along y or z. If there is more to do, a
// block takes several parts, one after another.
constexpr std::int64_t most_blocks_in_y = 65535;
constexpr std::int64_t blocks_in_y(std::int64_t extent, std::int64_t block) {
  const std::int64_t blocks = ceil_div(extent, block);
  return blocks < most_blocks_in_y ? blocks : most_blocks_in_y;
}

// Converts an argument of a launch to the kernel's parameter type. A kernel may
// take a plain pointer for a const input; writes through it are detected.
template <typename P, typename A>
P as_parameter(const A& argument) {
  if constexpr (std::is_pointer_v<P> && std::is_pointer_v<A> &&
                std::is_same_v<const std::remove_pointer_t<P>,
                               std::remove_pointer_t<A>>) {
    return const_cast<P>(argument);
  } else {
    static_assert(
        requires { static_cast<P>(argument); },
        "an argument of launch() is of another type than the kernel's");
    return static_cast<P>(argument);
  }
}

class Gpu {
 public:
  virtual ~Gpu() = default;
  Gpu() = default;
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  // Starts kernel(args...) on the stream of this Gpu. Throws
  // PointError(not_supported) when the configuration is too large for the
  // device, PointError(launch_failed) when the launch fails.
  template <typename... P, typename... A>
  void launch(const LaunchConfig& config, void (*kernel)(P...), A... args) {
    const auto identity = reinterpret_cast<const void*>(kernel);
    if constexpr (sizeof...(P) != sizeof...(A)) {
      static_assert(sizeof...(P) == sizeof...(A),
                    "launch() has more or fewer arguments than the kernel");
    } else {
#ifdef PARLAB_EMULATED
      // Not instrumented, because its own reads are not the kernel's.
      const auto thread = [ kernel, ... values = as_parameter<P>(args) ]()
          __attribute__((no_sanitize("thread"))) {
        kernel(values...);
      };
      start(config, identity, std::cref(thread),
            std::as_bytes(std::span(&thread, 1)));
#else
      const auto start_with = [&](std::decay_t<P>... value) {
        void* pointers[] = {static_cast<void*>(&value)..., nullptr};
        start(config, identity, pointers);
      };
      start_with(as_parameter<std::decay_t<P>>(args)...);
#endif
    }
  }

  // Device memory that belongs to the variant while its point is measured. The
  // n-th request of every execution returns the same block. Contents:
  // undefined.
  template <typename T>
  T* scratch(std::int64_t count) {
    return static_cast<T*>(
        scratch_bytes(static_cast<std::size_t>(count) * sizeof(T), false));
  }
  // The same, but zero before the first execution; the variant must leave it
  // zero for the next one.
  template <typename T>
  T* zeroed_scratch(std::int64_t count) {
    return static_cast<T*>(
        scratch_bytes(static_cast<std::size_t>(count) * sizeof(T), true));
  }

  // The number of blocks of this kernel that fit on one multiprocessor at once
  // (for grids of one wave). Throws PointError(not_supported) when none fits.
  template <typename... P>
  int resident_blocks(void (*kernel)(P...), int threads,
                      std::size_t shared_bytes = 0) {
    return occupancy(reinterpret_cast<const void*>(kernel), threads,
                     shared_bytes);
  }

  virtual int multiprocessors() const = 0;
  // dynamic shared memory that a block may request
  virtual std::size_t max_shared_bytes() const = 0;
  virtual std::size_t l2_bytes() const = 0;
  // Copies and fills in stream order.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  virtual void clear(void* data, std::size_t bytes) = 0;
  // Copies `count` elements from device or host memory into a __constant__
  // array of the same file, starting at its element `first`, in stream order.
  template <typename T, std::size_t n>
  void copy_to_constant(T (&array)[n], const T* from, std::int64_t count,
                        std::int64_t first = 0) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
#ifdef PARLAB_EMULATED
    write_constant(array + first, from, bytes);
#else
    copy(static_cast<T*>(address_of_constant(array)) + first, from, bytes);
#endif
  }
  // A cudaStream_t for libraries; nullptr in emulation.
  virtual void* stream() const = 0;
  // An object made at the first request that lives as long as this Gpu, such as
  // a library's handle.
  template <typename T>
  T& attached() {
    return *static_cast<T*>(attachment(
        typeid(T), []() -> void* { return new T; },
        [](void* object) { delete static_cast<T*>(object); }));
  }

 protected:
#ifdef PARLAB_EMULATED
  virtual void start(const LaunchConfig& config, const void* kernel,
                     std::function<void()> thread,
                     std::span<const std::byte> arguments) = 0;
  virtual void write_constant(void* to, const void* from,
                              std::size_t bytes) = 0;
#else
  virtual void* address_of_constant(const void* symbol) = 0;
  virtual void start(const LaunchConfig& config, const void* kernel,
                     void** arguments) = 0;
#endif
  virtual void* scratch_bytes(std::size_t bytes, bool zeroed) = 0;
  virtual int occupancy(const void* kernel, int threads,
                        std::size_t shared_bytes) = 0;
  // The object of this type, made at the first request and destroyed with this
  // Gpu.
  virtual void* attachment(const std::type_info& type, void* (*make)(),
                           void (*destroy)(void*)) = 0;
};

}  // namespace parlab

// Dynamic shared memory as an array of T: T* tile = shared_memory<T>(). Both
// builds use it, because CUDA's own extern __shared__ cannot be declared for
// two element types.
#ifndef PARLAB_EMULATED
template <typename T>
__device__ __forceinline__ T* shared_memory() {
  extern __shared__ __align__(16) unsigned char parlab_dynamic_shared[];
  return reinterpret_cast<T*>(parlab_dynamic_shared);
}
#endif
