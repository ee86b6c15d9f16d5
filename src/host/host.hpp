// A CPU variant's view of the machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parlab {

class Host {
 public:
  virtual ~Host() = default;
  virtual int cores() const = 0;  // physical cores that this process may use
  // Memory that belongs to the variant while its point is measured, 64-byte
  // aligned. The n-th request of every execution returns the same block.
  // Contents: undefined.
  template <typename T>
  T* scratch(std::int64_t count) {
    return static_cast<T*>(
        scratch_bytes(static_cast<std::size_t>(count) * sizeof(T)));
  }

 protected:
  virtual void* scratch_bytes(std::size_t bytes) = 0;
};

}  // namespace parlab
