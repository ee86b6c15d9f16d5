// Shared by `wide` and `async`: a thread's 8 x 8 elements of a tile of C, read,
// multiplied and stored 16 bytes at a time. A block of 16 x 16 threads has a
// tile of 128 x 128. A thread's elements come in vectors, and those of
// neighbouring threads follow each other.
#pragma once

#include <cstdint>

#include "gpu/store_whole.hpp"

using namespace parlab;

namespace {

constexpr int edge = 128, deep = 8;  // of a tile of C; columns of A per step
constexpr int per_thread = 8, across = 16, block_threads = across * across;

template <typename T>
struct alignas(16) Vector {
  static constexpr int size = 16 / sizeof(T);
  T element[size];
};

// sum += one column of A times one row of B, both in shared memory. y, x: the
// thread's first elements in them.
template <typename T>
__device__ __forceinline__ void multiply_add(const T* a, const T* b, int y,
                                             int x,
                                             T (&sum)[per_thread][per_thread]) {
  constexpr int size = Vector<T>::size;
  Vector<T> a_column[per_thread / size], b_row[per_thread / size];
  _Pragma("unroll")
  for (int v = 0; v < per_thread / size; ++v) {
    a_column[v] =
        *reinterpret_cast<const Vector<T>*>(&a[y + v * across * size]);
    b_row[v] = *reinterpret_cast<const Vector<T>*>(&b[x + v * across * size]);
  }

  _Pragma("unroll")
  for (int r = 0; r < per_thread; ++r) {
    _Pragma("unroll")
    for (int s = 0; s < per_thread; ++s) {
      sum[r][s] += a_column[r / size].element[r % size] *
                   b_row[s / size].element[s % size];
    }
  }
}

// row0, col0: the thread's first element in C. ALIGNED: the rows of C start at
// multiples of 16 bytes.
template <bool ALIGNED, typename T>
__device__ __forceinline__ void store(T* c, std::int64_t m, std::int64_t n,
                                      std::int64_t row0, std::int64_t col0,
                                      const T (&sum)[per_thread][per_thread]) {
  constexpr int size = Vector<T>::size;
  _Pragma("unroll")
  for (int r = 0; r < per_thread; ++r) {
    const std::int64_t row = row0 + r / size * across * size + r % size;
    if (row >= m) continue;
    _Pragma("unroll")
    for (int s = 0; s < per_thread; s += size) {
      const std::int64_t col = col0 + s * across;
      Vector<T> out;
      _Pragma("unroll")
      for (int i = 0; i < size; ++i)
        out.element[i] = sum[r][s + i];
      if (ALIGNED) {
        if (col < n) store_whole(c + row * n + col, out);
      } else {
        _Pragma("unroll")
        for (int i = 0; i < size; ++i) {
          if (col + i < n) c[row * n + col + i] = out.element[i];
        }
      }
    }
  }
}

}  // namespace
