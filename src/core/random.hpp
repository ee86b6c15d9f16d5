// Inputs that are the same on every machine and can be made in any order and in
// parallel.
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

// n % divisor without a division per n: Granlund and Montgomery, Division by
// Invariant Integers using Multiplication, 1994, figure 4.1.
class Remainder {
 public:
  explicit constexpr Remainder(std::uint64_t divisor)  // 1 to 2^63
      : divisor_(divisor),
        bits_(std::bit_width(divisor - 1)),
        factor_(static_cast<std::uint64_t>(
                    (((Wide{1} << bits_) - divisor) << 64) / divisor) +
                1) {}
  constexpr std::uint64_t of(std::uint64_t n) const {
    const auto high = static_cast<std::uint64_t>(Wide{factor_} * n >> 64);
    const std::uint64_t quotient =
        bits_ == 0 ? n : (high + ((n - high) >> 1)) >> (bits_ - 1);
    return n - quotient * divisor_;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  std::uint64_t divisor_;
  int bits_;
  std::uint64_t factor_;
};

// Uniform in [-1, 1): multiples of 2^-53 for double and of 2^-24 for float,
// rounded to narrower types. All bits of the significand are random.
template <typename T>
T random_uniform(std::uint64_t stream, std::uint64_t i) {
  constexpr int bits = std::is_same_v<T, double> ? 53 : 24;
  constexpr std::int64_t one = std::int64_t{1} << bits;
  const auto whole =
      static_cast<std::int64_t>(random_bits(stream, i) >> (63 - bits)) - one;
  return static_cast<T>(static_cast<double>(whole) / static_cast<double>(one));
}

// Random sign and significand, with a uniformly chosen exponent between -most
// and most. `most` is 60 for double, 6 for half, whose range is small, and 12
// for the others. Products of three such numbers are still far from overflow,
// except in half.
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

// Wide inputs let only about this many terms of a sum of n terms differ from
// zero. With so few, the error bound stays close to one rounding, and a sum is
// rarely empty. True for one i in n / 8.
class FewTerms {
 public:
  constexpr FewTerms(std::int64_t n)
      : one_in_(static_cast<std::uint64_t>(n < 16 ? 1 : n / 8)) {}
  bool has(std::uint64_t stream, std::uint64_t i) const {
    return one_in_.of(random_bits(stream, i)) == 0;
  }

 private:
  Remainder one_in_;
};

// An integer in [-limit, limit] other than 0, so that a result that leaves one
// out is wrong.
class WholeRange {
 public:
  constexpr WholeRange(std::int64_t limit)
      : limit_(limit),
        all_(static_cast<std::uint64_t>(2 * (limit < 1 ? 1 : limit))) {}
  std::int64_t drawn(std::uint64_t stream, std::uint64_t i) const {
    const auto drawn =
        static_cast<std::int64_t>(all_.of(random_bits(stream, i)));
    return drawn < limit_ ? drawn - limit_ : drawn - limit_ + 1;
  }

 private:
  std::int64_t limit_;
  Remainder all_;
};
template <typename T>
T random_integer(std::uint64_t stream, std::uint64_t i,
                 const WholeRange& limit) {
  return static_cast<T>(limit.drawn(stream, i));
}

// Sets data[0..count) to element(i), on all cores.
template <typename T, typename F>
void fill_parallel(T* data, std::int64_t count, F element) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i)
    data[i] = element(i);
}

}  // namespace parlab
