// What groups of warps that share a tile do at the end, each of which has
// multiplied its own part of every stage along k.
#pragma once

#include "gpu/gpu.hpp"

using namespace parlab;

namespace {

// A sum as it is stored in a vector, whose elements lie in neighbouring
// registers. Were these the sum's own, it would be in the same bank of
// registers as what it is multiplied from, which was read as a vector too, and
// each product would wait for the other. What an addition makes, if only of
// zero, is in a register of its own. A double takes one of each bank.
template <typename T>
__device__ __forceinline__ T apart(T sum) {
  return sizeof(T) == 4 ? sum + T{0} : sum;
}

// As many sums as are handed over at once.
template <typename T>
struct alignas(16) SumVector {
  T element[16 / sizeof(T)];
};

// Each slice but the first hands its sums over in shared memory, and the
// first adds them, in order. sum: of a thread, `count` of them. S: says
// how many slices there are, and threads in one.
template <typename S, int count, typename T>
__device__ __forceinline__ void add_slices(int slice, T* shared, T* sum) {
  constexpr int width = 16 / sizeof(T), pieces = count / width;
  static_assert(count % width == 0);
  const auto place = [&](int of, int piece) {
    return reinterpret_cast<SumVector<T>*>(shared) +
           ((of - 1) * pieces + piece) * S::slice_threads +
           threadIdx.x % S::slice_threads;
  };
  __syncthreads();  // nobody reads a stage any more
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

// The same where sums are many: in place of waiting for the first, each slice
// adds one part of them, its own and then those of the slices after it, the
// last being followed by the first, and calls store(part). By then the elements
// [part, part + 1) * count / slices of `sum` are those of the tile.
template <typename S, int count, typename T, typename Store>
__device__ __forceinline__ void share_slices(int slice, T* shared, T* sum,
                                             const Store& store) {
  constexpr int width = 16 / sizeof(T), pieces = count / width / S::slices;
  static_assert(count % (width * S::slices) == 0);
  // after: how many slices after the part's own
  const auto place = [&](int part, int after, int piece) {
    return reinterpret_cast<SumVector<T>*>(shared) +
           ((part * (S::slices - 1) + after - 1) * pieces + piece) *
               S::slice_threads +
           threadIdx.x % S::slice_threads;
  };
  __syncthreads();  // nobody reads a stage any more
  // Parts are told apart by loops that are unrolled: sums are registers, which
  // have no index.
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
