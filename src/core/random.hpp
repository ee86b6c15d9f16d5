// Inputs that are the same on every machine, and can be made in any
// order and in parallel.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/narrow.hpp"

namespace parlab {

// A counter-based generator: 64 random bits for the i-th element of a
// stream. SplitMix64: Steele, Lea and Flood, Fast Splittable Pseudorandom
// Number Generators, 2014.
inline std::uint64_t random_bits(std::uint64_t stream, std::uint64_t i) {
  std::uint64_t z =
      (i + 1) * 0x9e3779b97f4a7c15u + stream * 0xd1342543de82ef95u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Uniform in [-1, 1): multiples of 2^-53 for double, of 2^-24 for float, and
// these rounded to what is narrower. All bits of the significand are random.
template <typename T>
T random_uniform(std::uint64_t stream, std::uint64_t i) {
  constexpr int bits = std::is_same_v<T, double> ? 53 : 24;
  constexpr std::int64_t one = std::int64_t{1} << bits;
  const auto whole =
      static_cast<std::int64_t>(random_bits(stream, i) >> (63 - bits)) - one;
  return static_cast<T>(static_cast<double>(whole) / static_cast<double>(one));
}

// Either sign, a significand of random bits, and an exponent that is as
// likely as any other between -most and most: 60 for double, 6 for half,
// whose range is small, and 12 for the others. Products of three of them
// are still far from overflow in all but half.
template <typename T>
T random_wide(std::uint64_t stream, std::uint64_t i) {
  constexpr std::uint64_t most = std::is_same_v<T, double>    ? 60
                                 : std::is_same_v<T, float16> ? 6
                                                              : 12;
  constexpr int fraction = std::is_same_v<T, double>    ? 52
                           : std::is_same_v<T, float>   ? 23
                           : std::is_same_v<T, float16> ? 10
                                                        : 7;
  const std::uint64_t bits = random_bits(stream, i),
                      again = random_bits(~stream, i);
  const std::uint64_t exponent = 1023 - most + again % (2 * most + 1);
  return static_cast<T>(std::bit_cast<double>(
      bits >> 63 << 63 | exponent << 52 |
      (bits & ((std::uint64_t{1} << fraction) - 1)) << (52 - fraction)));
}

// Of a sum of n terms the wide inputs let about this many differ from
// zero: few, so that its error bound stays close to one rounding, and
// seldom none. True for one i of n / 8.
inline bool random_term(std::uint64_t stream, std::uint64_t i, std::int64_t n) {
  const auto one_in = static_cast<std::uint64_t>(n < 16 ? 1 : n / 8);
  return random_bits(stream, i) % one_in == 0;
}

// A whole number in [-limit, limit] that is not 0: who leaves one out, is
// wrong.
template <typename T>
T random_integer(std::uint64_t stream, std::uint64_t i, std::int64_t limit) {
  const auto drawn = static_cast<std::int64_t>(
      random_bits(stream, i) % static_cast<std::uint64_t>(2 * limit));
  return static_cast<T>(drawn < limit ? drawn - limit : drawn - limit + 1);
}

// Fills data[0..count) by element(i), on all cores.
template <typename T, typename F>
void fill_parallel(T* data, std::int64_t count, F element) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i)
    data[i] = element(i);
}

}  // namespace parlab
