// Tensor maps describe an array for the bulk tensor copies (TMA) of compute
// capability 9.0.
#pragma once

#include <cstdint>

#include "gpu/gpu.hpp"

#ifndef PARLAB_EMULATED
#include <cuda.h>
#endif

namespace parlab {

// The type of an element for the copy. tf32 rounds to nearest during the copy;
// the others are copied unchanged.
enum class MapElement { int8, f16, bf16, float32, float64, tf32 };

__host__ __device__ constexpr int element_bytes(MapElement element) {
  return element == MapElement::int8                                     ? 1
         : element == MapElement::float64                                ? 8
         : element == MapElement::float32 || element == MapElement::tf32 ? 4
                                                                         : 2;
}

// An array in device memory of up to three dimensions, the first without gaps,
// and the box that one copy moves. Parts of a box outside the extents are read
// as zero and not written.
struct TensorLayout {
  MapElement element;
  const void* data;        // aligned to 16 bytes
  std::int64_t extent[3];  // in elements; 1 for unused dimensions
  // bytes between neighbouring indices of the 2nd and the 3rd dimension;
  // multiples of 16
  std::int64_t pitch[2];
  int box[3];  // at most 256 each
  // bytes of a box in the 1st dimension: 32, 64 or 128, permuted as warpgroup
  // products read them; 0: in order
  int swizzle;
};

#ifdef PARLAB_EMULATED

using TensorMap = TensorLayout;

inline TensorMap tensor_map(const TensorLayout& layout) {
  const auto past = reinterpret_cast<std::uintptr_t>(layout.data) |
                    static_cast<std::uintptr_t>(layout.pitch[0]) |
                    static_cast<std::uintptr_t>(layout.pitch[1]);
  if (past % 16 != 0)
    cannot_run("no tensor map: an address or a pitch is no multiple of 16");
  const int bytes = layout.box[0] * element_bytes(layout.element);
  bool possible =
      bytes % 16 == 0 && (layout.swizzle == 0 || bytes <= layout.swizzle);
  for (int i = 0; i < 3; ++i) {
    possible = possible && layout.extent[i] > 0 && layout.box[i] >= 1 &&
               layout.box[i] <= 256;
  }
  if (!possible) {
    cannot_run("no tensor map with boxes of %dx%dx%d elements", layout.box[0],
               layout.box[1], layout.box[2]);
  }
  return layout;
}

#else

using TensorMap = CUtensorMap;

// A value to pass to a kernel as `const __grid_constant__ TensorMap`. Throws
// PointError(not_supported) when the driver has no tensor maps or the layout
// does not fit one.
inline TensorMap tensor_map(const TensorLayout& layout) {
  // Obtained from the runtime, so that the program does not link to the driver.
  static const auto encode = [] {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    const auto status = cudaGetDriverEntryPointByVersion(
        "cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found);
    const bool there =
        status == cudaSuccess && found == cudaDriverEntryPointSuccess;
    return there ? reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry)
                 : nullptr;
  }();
  if (encode == nullptr) {
    cannot_run(
        "the driver has no tensor maps; install one for CUDA 12 or newer");
  }
  const auto type = [&] {
    switch (layout.element) {
      case MapElement::int8:
        return CU_TENSOR_MAP_DATA_TYPE_UINT8;
      case MapElement::f16:
        return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
      case MapElement::bf16:
        return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
      case MapElement::float32:
        return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
      case MapElement::float64:
        return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
      case MapElement::tf32:
        return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
    }
    return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }();
  const auto swizzle = layout.swizzle == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                       : layout.swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                       : layout.swizzle == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                              : CU_TENSOR_MAP_SWIZZLE_NONE;
  cuuint64_t extent[3], pitch[2];
  cuuint32_t box[3], stride[3];
  for (int i = 0; i < 3; ++i) {
    extent[i] = static_cast<cuuint64_t>(layout.extent[i]);
    box[i] = static_cast<cuuint32_t>(layout.box[i]);
    stride[i] = 1;
    if (i < 2) pitch[i] = static_cast<cuuint64_t>(layout.pitch[i]);
  }
  TensorMap map;
  const CUresult result = encode(
      &map, type, 3, const_cast<void*>(layout.data), extent, pitch, box, stride,
      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
      CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    cannot_run(
        "no tensor map of %ldx%ldx%ld elements with rows of %ld bytes: CUDA "
        "error %d",
        long{layout.extent[0]}, long{layout.extent[1]}, long{layout.extent[2]},
        long{layout.pitch[0]}, static_cast<int>(result));
  }
  return map;
}

#endif

}  // namespace parlab
