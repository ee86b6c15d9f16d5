// The last step of groups of warps (slices) that share a tile, each of which
// has multiplied its own part of every stage along k.
#pragma once

#include "gpu/gpu.hpp"

using namespace parlab;

namespace {

// A copy of a sum, for a vector whose elements lie in neighbouring registers.
// If these were the sum's own, it would share a bank of registers with its
// factors, which were read as a vector too, and each product would wait for the
// other. The result of an addition, even of zero, has a register of its own. A
// double takes one of each bank.
template <typename T>
__device__ __forceinline__ T apart(T sum) {
  return sizeof(T) == 4 ? sum + T{0} : sum;
}

// The sums that are passed on at once.
template <typename T>
struct alignas(16) SumVector {
  T element[16 / sizeof(T)];
};

// Each slice but the first passes its sums on in shared memory, and the first
// adds them, in order. sum: the thread's `count` sums. S: the number of slices,
// and the threads of one.
template <typename S, int count, typename T>
__device__ __forceinline__ void add_slices(int slice, T* shared, T* sum) {
  constexpr int width = 16 / sizeof(T), pieces = count / width;
  static_assert(count % width == 0);
  const auto place = [&](int of, int piece) {
    return reinterpret_cast<SumVector<T>*>(shared) +
           ((of - 1) * pieces + piece) * S::slice_threads +
           threadIdx.x % S::slice_threads;
  };
  __syncthreads();  // all have read the stages
  _Pragma("unroll")
  for (int p = 0; p < pieces; ++p) {
    SumVector<T> piece;
    _Pragma("unroll")
    for (int i = 0; i < width; ++i)
      piece.element[i] = apart(sum[p * width + i]);
    if (slice > 0) *place(slice, p) = piece;
  }

  __syncthreads();
  if (slice > 0) return;

  _Pragma("unroll")
  for (int of = 1; of < S::slices; ++of) {
    _Pragma("unroll")
    for (int p = 0; p < pieces; ++p) {
      const SumVector<T> piece = *place(of, p);
      _Pragma("unroll")
      for (int i = 0; i < width; ++i)
        sum[p * width + i] += piece.element[i];
    }
  }
}

// The same for many sums. No slice waits for the first: each adds one part of
// the sums, its own and then those of the following slices (the first follows
// the last), and calls store(part). By then the elements [part, part + 1) *
// count / slices of `sum` are those of the tile.
template <typename S, int count, typename T, typename Store>
__device__ __forceinline__ void share_slices(int slice, T* shared, T* sum,
                                             const Store& store) {
  constexpr int width = 16 / sizeof(T), pieces = count / width / S::slices;
  static_assert(count % (width * S::slices) == 0);
  // after: the distance from the part's own slice
  const auto place = [&](int part, int after, int piece) {
    return reinterpret_cast<SumVector<T>*>(shared) +
           ((part * (S::slices - 1) + after - 1) * pieces + piece) *
               S::slice_threads +
           threadIdx.x % S::slice_threads;
  };
  __syncthreads();  // all have read the stages
  // Unrolled loops select the parts, because the sums are registers and
  // registers have no index.
  _Pragma("unroll")
  for (int part = 0; part < S::slices; ++part) {
    if (part == slice) continue;
    const int after = (slice - part + S::slices) % S::slices;
    _Pragma("unroll")
    for (int p = 0; p < pieces; ++p) {
      SumVector<T> piece;
      _Pragma("unroll")
      for (int i = 0; i < width; ++i)
        piece.element[i] = apart(sum[(part * pieces + p) * width + i]);
      *place(part, after, p) = piece;
    }
  }

  __syncthreads();
  _Pragma("unroll")
  for (int part = 0; part < S::slices; ++part) {
    if (part != slice) continue;
    _Pragma("unroll")
    for (int after = 1; after < S::slices; ++after) {
      _Pragma("unroll")
      for (int p = 0; p < pieces; ++p) {
        const SumVector<T> piece = *place(part, after, p);
        _Pragma("unroll")
        for (int i = 0; i < width; ++i)
          sum[(part * pieces + p) * width + i] += piece.element[i];
      }
    }
    store(part);
  }
}

}  // namespace
