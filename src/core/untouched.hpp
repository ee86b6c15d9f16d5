// Large arrays of the framework that are written before they are read.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <vector>

namespace parlab {

// An allocator that leaves elements uninitialized. So one thread does not fill
// hundreds of megabytes with zeros before many threads fill them. Uses large
// pages. Aligned at least to a cache line.
template <typename T>
struct UntouchedAllocator {
  using value_type = T;
  static_assert(std::is_trivial_v<T>);

  UntouchedAllocator() = default;
  template <typename U>
  UntouchedAllocator(const UntouchedAllocator<U>&) {}

  T* allocate(std::size_t count) {
    constexpr std::size_t page = std::size_t{2} << 20;
    const std::size_t bytes = count * sizeof(T);
    const bool large = bytes >= 2 * page;
    const std::size_t alignment = large ? page : 64;
    void* const memory = std::aligned_alloc(
        alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    if (large) madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }

  template <typename U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  bool operator==(const UntouchedAllocator&) const { return true; }
};

template <typename T>
using Untouched = std::vector<T, UntouchedAllocator<T>>;

}  // namespace parlab
