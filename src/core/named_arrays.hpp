// The arrays of a problem, from which a workload makes its arguments.
#pragma once

#include "core/dtype.hpp"

namespace parlab {

class NamedArrays {
 public:
  // The data of the named array, or nullptr when this set was made
  // without it. Throws std::logic_error when T is not its element type.
  template <typename T>
  T* get(const char* name) const {
    return static_cast<T*>(find(name, dtype_of<std::remove_cv_t<T>>()));
  }

 protected:
  ~NamedArrays() = default;
  virtual void* find(const char* name, Dtype dtype) const = 0;
};

}  // namespace parlab
