// The two-byte dtypes as the host sees them: float16 (IEEE 754 binary16) and
// bfloat16. They are storage types. An operand in an expression becomes a
// float, which holds all of their values. half is the same as float16 on the
// host; in CUDA files it is the type of cuda_fp16.h with its arithmetic.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

// For functions of the framework that are also compiled for the device.
#ifdef __CUDACC__
struct __half;  // defined in cuda_fp16.h
#define PARLAB_ON_BOTH __host__ __device__
#else
#define PARLAB_ON_BOTH
#endif

namespace parlab {

// A sign, exponent_bits bits of exponent, and fraction bits for the rest.
// Infinities, NaN and subnormals are as in IEEE 754. Conversions to this type
// round to nearest, ties to even.
template <int exponent_bits>
struct NarrowFloat {
  std::uint16_t bits;

  NarrowFloat() = default;
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  explicit constexpr NarrowFloat(Number value)
      : bits(rounded(static_cast<double>(value))) {}
  constexpr operator float() const { return widened(bits); }

 private:
  static constexpr int fraction_bits = 15 - exponent_bits;
  static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  // the exponent of infinities and NaN
  static constexpr int most_exponent = (1 << exponent_bits) - 1;

  // Rounds directly from double, because going over float could round twice.
  static constexpr std::uint16_t rounded(double value) {
    const auto wide = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t sign = wide >> 63 << 15, magnitude = wide << 1 >> 1;
    constexpr std::uint64_t infinity = std::uint64_t{most_exponent}
                                       << fraction_bits;
    if (magnitude > 0x7ff0000000000000u) {
      return static_cast<std::uint16_t>(sign | infinity |
                                        1u << (fraction_bits - 1));
    }
    const int exponent = static_cast<int>(magnitude >> 52) - 1023 + bias;
    if (exponent >= most_exponent)
      return static_cast<std::uint16_t>(sign | infinity);
    // Below the smallest normal number the last place stays the same.
    const int dropped = 52 - fraction_bits + (exponent < 1 ? 1 - exponent : 0);
    if (dropped > 53) return static_cast<std::uint16_t>(sign);
    const std::uint64_t significand =
        (magnitude & 0xfffffffffffffu) | std::uint64_t{1} << 52;
    const std::uint64_t rest =
        significand & ((std::uint64_t{1} << dropped) - 1);
    const std::uint64_t tie = std::uint64_t{1} << (dropped - 1);
    std::uint64_t kept = significand >> dropped;
    if (rest > tie || (rest == tie && kept % 2 == 1)) ++kept;
    // The leading one of a normal number adds 1 to the exponent. So does a
    // carry out of the fraction, which gives the right result up to infinity.
    const auto below =
        static_cast<std::uint64_t>(exponent > 1 ? exponent - 1 : 0);
    return static_cast<std::uint16_t>(sign | ((below << fraction_bits) + kept));
  }

  static constexpr float widened(std::uint16_t narrow) {
    const std::uint32_t sign = std::uint32_t{narrow} >> 15 << 31;
    const int exponent = narrow >> fraction_bits & most_exponent;
    const std::uint32_t fraction = narrow & ((1u << fraction_bits) - 1);
    if (exponent == 0 && bias < 127) {
      constexpr float last_place =
          std::bit_cast<float>((128u - bias - fraction_bits) << 23);
      const float magnitude = static_cast<float>(fraction) * last_place;
      return sign != 0 ? -magnitude : magnitude;
    }
    const auto shifted = static_cast<std::uint32_t>(
        exponent == most_exponent ? 255 : exponent + 127 - bias);
    return std::bit_cast<float>(sign | shifted << 23 |
                                fraction << (23 - fraction_bits));
  }
};

using float16 = NarrowFloat<5>;
using bfloat16 = NarrowFloat<8>;

#if defined(__CUDACC__)
using half = ::__half;
#elif defined(PARLAB_KERNEL)
namespace emulation {
template <typename Storage>
struct Narrow;
}
using half = emulation::Narrow<float16>;
#else
using half = float16;
#endif

}  // namespace parlab
