// Inputs that are the same on every machine, and can be made in any order and in parallel.
#pragma once

#include <cstdint>

namespace parlab {

// A counter-based generator: 64 random bits for the i-th element of a stream.
// SplitMix64: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014.
inline std::uint64_t random_bits(std::uint64_t stream, std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u + stream * 0xd1342543de82ef95u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Uniform in [-1, 1), with 25 random bits: the same numbers in float and double.
template <typename T>
T random_uniform(std::uint64_t stream, std::uint64_t i) {
  const auto whole = static_cast<std::int32_t>(random_bits(stream, i) >> 39) - (1 << 24);
  return static_cast<T>(static_cast<double>(whole) * 0x1p-24);
}

// A whole number in [-limit, limit].
template <typename T>
T random_integer(std::uint64_t stream, std::uint64_t i, std::int64_t limit) {
  return static_cast<T>(static_cast<std::int64_t>(random_bits(stream, i) %
                                                  static_cast<std::uint64_t>(2 * limit + 1)) -
                        limit);
}

// Fills data[0..count) by element(i), on all cores.
template <typename T, typename F>
void fill_parallel(T* data, std::int64_t count, F element) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) data[i] = element(i);
}

}  // namespace parlab
