// The kernel of `shared` and `copies`. A thread takes every n-th element.
#pragma once

#include "private.cuh"

namespace {

template <typename T>
__global__ void histogram_counting(const T* x, int* h, std::int64_t n,
                                   int copies) {
  PrivateBins bins(shared_memory<int>(), copies);
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       i < n; i += threads) {
    bins.add(Histogram::bin_of(x[i]), 1);
  }
  bins.add_to(h);
}

constexpr std::int64_t elements_per_thread = 16;  // at least

}  // namespace
