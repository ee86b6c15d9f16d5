// half and bfloat16 in kernels: CUDA's types, with the same layout in memory as
// the host's.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "core/narrow.hpp"

namespace parlab {
namespace narrow {

template <typename T>
struct OnDevice {
  using type = T;
};
template <>
struct OnDevice<float16> {
  using type = __half;
};
template <>
struct OnDevice<bfloat16> {
  using type = __nv_bfloat16;
};

}  // namespace narrow

// __half for half, __nv_bfloat16 for bfloat16, every other type itself.
template <typename T>
using device_type = typename narrow::OnDevice<T>::type;

// The same array with the type that a kernel takes.
template <typename T>
const device_type<T>* as_device(const T* data) {
  static_assert(sizeof(T) == sizeof(device_type<T>));
  return reinterpret_cast<const device_type<T>*>(data);
}
template <typename T>
device_type<T>* as_device(T* data) {
  return const_cast<device_type<T>*>(as_device(static_cast<const T*>(data)));
}

}  // namespace parlab
