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

// Each slice but the first hands its sums over in shared memory, and the
// first adds them, in order. sum: of a thread, `count` of them. S: says
// how many slices there are, and threads in one.
template <typename S, int count, typename T>
__device__ __forceinline__ void add_slices(int slice, T* shared, T* sum) {
  struct alignas(16) Piece {
    T element[16 / sizeof(T)];
  };
  constexpr int width = 16 / sizeof(T), pieces = count / width;
  static_assert(count % width == 0);
  const auto place = [&](int of, int piece) {
    return reinterpret_cast<Piece*>(shared) +
           ((of - 1) * pieces + piece) * S::slice_threads +
           threadIdx.x % S::slice_threads;
  };
  __syncthreads();  // nobody reads a stage any more
  _Pragma("unroll")
  for (int p = 0; p < pieces; ++p) {
    Piece piece;
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
      const Piece piece = *place(of, p);
      _Pragma("unroll")
      for (int i = 0; i < width; ++i)
        sum[p * width + i] += piece.element[i];
    }
  }
}

}  // namespace
