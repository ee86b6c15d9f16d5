// Transposes small squares in vector registers.
#pragma once

#include <utility>

#include "host/vectors.hpp"

namespace parlab {
namespace {

// Elements of x and y in turn, from element `first` of both on.
template <int first, typename Vector, int... i>
Vector in_turn(Vector x, Vector y, std::integer_sequence<int, i...>) {
  constexpr int n = sizeof...(i);
#if defined(__clang__)
  return __builtin_shufflevector(x, y, (first + i / 2 + i % 2 * n)...);
#else
  using Lanes = decltype(x < y);  // integers of the same width
  return __builtin_shuffle(x, y, Lanes{(first + i / 2 + i % 2 * n)...});
#endif
}

// Transposes n vectors of n elements: vector i becomes the elements i of all.
// Each of log2 n rounds merges the first half with the second.
template <typename T>
void transpose(typename VectorOf<T>::type* vectors) {
  constexpr int n = vector_bytes / sizeof(T);
  constexpr std::make_integer_sequence<int, n> lanes;
#pragma GCC unroll 4
  for (int round = 1; round < n; round *= 2) {
    typename VectorOf<T>::type merged[n];
#pragma GCC unroll 8
    for (int i = 0; i < n / 2; ++i) {
      const auto x = vectors[i], y = vectors[i + n / 2];
      merged[2 * i] = in_turn<0>(x, y, lanes);
      merged[2 * i + 1] = in_turn<n / 2>(x, y, lanes);
    }
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i)
      vectors[i] = merged[i];
  }
}

}  // namespace
}  // namespace parlab
