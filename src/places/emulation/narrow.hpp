// Two-byte arithmetic for emulated kernels, shared by cuda_fp16.h and
// cuda_bf16.h. Results of + - * / sqrt and fma are rounded once.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/narrow.hpp"
#include "places/emulation/cuda.hpp"

namespace parlab::emulation {

// a b + c of two-byte numbers, rounded to odd. Rounding that again to two bytes
// gives the same as rounding once (Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums", 2008).
inline double fused_multiply_add(double a, double b, double c) {
  const double product = a * b;  // exact
  const double sum = product + c;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (!std::isfinite(sum) || error == 0 || bits % 2 == 1) return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

// Storage: parlab::float16 or parlab::bfloat16. The functions are friends, so
// that each of the two types has its own and arguments convert as in CUDA.
template <typename Storage>
struct Narrow : Storage {
  Narrow() = default;
  constexpr Narrow(Storage value) : Storage(value) {}
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  constexpr Narrow(Number value) : Storage(value) {}

  static Narrow from_bits(std::uint16_t bits) {
    return std::bit_cast<Narrow>(bits);
  }

  // Double holds sums and products of two such numbers exactly, or so precisely
  // that rounding twice equals rounding once (Figueroa, "When is double
  // rounding innocuous?", 1995).
#define PARLAB_OPERATOR(op, name)                                \
  friend constexpr Narrow operator op(Narrow a, Narrow b) {      \
    return static_cast<double>(a) op static_cast<double>(b);     \
  }                                                              \
  friend constexpr Narrow& operator op##=(Narrow& a, Narrow b) { \
    return a = a op b;                                           \
  }                                                              \
  friend constexpr Narrow name(Narrow a, Narrow b) {             \
    return a op b;                                               \
  }                                                              \
  friend constexpr Narrow name##_rn(Narrow a, Narrow b) {        \
    return a op b;                                               \
  }
  PARLAB_OPERATOR(+, __hadd)
  PARLAB_OPERATOR(-, __hsub)
  PARLAB_OPERATOR(*, __hmul)
  PARLAB_OPERATOR(/, __hdiv)
#undef PARLAB_OPERATOR
  friend constexpr Narrow operator+(Narrow a) {
    return a;
  }
#define PARLAB_STEP(op, by)                             \
  friend constexpr Narrow& operator by(Narrow& a) {     \
    return a = a op Narrow(1);                          \
  }                                                     \
  friend constexpr Narrow operator by(Narrow& a, int) { \
    const Narrow before = a;                            \
    by a;                                               \
    return before;                                      \
  }
  PARLAB_STEP(+, ++)
  PARLAB_STEP(-, --)
#undef PARLAB_STEP
  friend Narrow operator-(Narrow a) {
    return from_bits(a.bits ^ 0x8000);
  }
  friend Narrow __hneg(Narrow a) {
    return -a;
  }
  friend Narrow __habs(Narrow a) {
    return from_bits(a.bits & 0x7fff);
  }
  friend Narrow __hfma(Narrow a, Narrow b, Narrow c) {
    return fused_multiply_add(a, b, c);
  }

#define PARLAB_COMPARISON(op, name)                        \
  friend constexpr bool operator op(Narrow a, Narrow b) {  \
    return static_cast<float>(a) op static_cast<float>(b); \
  }                                                        \
  friend constexpr bool name(Narrow a, Narrow b) {         \
    return a op b;                                         \
  }
  PARLAB_COMPARISON(==, __heq)
  PARLAB_COMPARISON(<, __hlt)
  PARLAB_COMPARISON(<=, __hle)
  PARLAB_COMPARISON(>, __hgt)
  PARLAB_COMPARISON(>=, __hge)
#undef PARLAB_COMPARISON
  // Unlike !=, false if one is not a number.
  friend constexpr bool operator!=(Narrow a, Narrow b) {
    return !(a == b);
  }
  friend constexpr bool __hne(Narrow a, Narrow b) {
    return a < b || a > b;
  }
  friend bool __hisnan(Narrow a) {
    return std::isnan(static_cast<float>(a));
  }
  friend int __hisinf(Narrow a) {
    return std::isinf(static_cast<float>(a)) ? (a < Narrow(0) ? -1 : 1) : 0;
  }
  // If one of the two is not a number, the other one.
  friend Narrow __hmax(Narrow a, Narrow b) {
    return std::fmax(float{a}, float{b});
  }
  friend Narrow __hmin(Narrow a, Narrow b) {
    return std::fmin(float{a}, float{b});
  }

#define PARLAB_MATH(name, ...)   \
  friend Narrow name(Narrow a) { \
    const double x = a;          \
    return __VA_ARGS__;          \
  }
  PARLAB_MATH(hsqrt, std::sqrt(x))
  PARLAB_MATH(hrsqrt, 1 / std::sqrt(x))
  PARLAB_MATH(hrcp, 1 / x)
  PARLAB_MATH(hexp, std::exp(x))
  PARLAB_MATH(hexp2, std::exp2(x))
  PARLAB_MATH(hlog, std::log(x))
  PARLAB_MATH(hlog2, std::log2(x))
  PARLAB_MATH(hsin, std::sin(x))
  PARLAB_MATH(hcos, std::cos(x))
  PARLAB_MATH(htanh, std::tanh(x))
  PARLAB_MATH(hfloor, std::floor(x))
  PARLAB_MATH(hceil, std::ceil(x))
  PARLAB_MATH(htrunc, std::trunc(x))
  PARLAB_MATH(hrint, std::nearbyint(x))
#undef PARLAB_MATH
};

// Two of them in one word: __half2, __nv_bfloat162.
template <typename T>
struct alignas(4) NarrowPair {
  T x, y;

  NarrowPair() = default;
  constexpr NarrowPair(T x_, T y_) : x(x_), y(y_) {}

#define PARLAB_OPERATOR(op, name)                                  \
  friend NarrowPair operator op(NarrowPair a, NarrowPair b) {      \
    return {a.x op b.x, a.y op b.y};                               \
  }                                                                \
  friend NarrowPair& operator op##=(NarrowPair& a, NarrowPair b) { \
    return a = a op b;                                             \
  }                                                                \
  friend NarrowPair name(NarrowPair a, NarrowPair b) {             \
    return a op b;                                                 \
  }
  PARLAB_OPERATOR(+, __hadd2)
  PARLAB_OPERATOR(-, __hsub2)
  PARLAB_OPERATOR(*, __hmul2)
  PARLAB_OPERATOR(/, __h2div)
#undef PARLAB_OPERATOR
  friend NarrowPair operator-(NarrowPair a) {
    return {-a.x, -a.y};
  }
  friend NarrowPair __hneg2(NarrowPair a) {
    return -a;
  }
  friend NarrowPair __habs2(NarrowPair a) {
    return {__habs(a.x), __habs(a.y)};
  }
  friend NarrowPair __hfma2(NarrowPair a, NarrowPair b, NarrowPair c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
  }

#define PARLAB_BOTH(name)                                      \
  friend NarrowPair __h##name##2(NarrowPair a, NarrowPair b) { \
    return {__h##name(a.x, b.x), __h##name(a.y, b.y)};         \
  }
  PARLAB_BOTH(max)
  PARLAB_BOTH(min)
  PARLAB_BOTH(eq)
  PARLAB_BOTH(ne)
  PARLAB_BOTH(lt)
  PARLAB_BOTH(le)
  PARLAB_BOTH(gt)
  PARLAB_BOTH(ge)
#undef PARLAB_BOTH
  friend bool __hbeq2(NarrowPair a, NarrowPair b) {
    return a.x == b.x && a.y == b.y;
  }
  friend bool operator==(NarrowPair a, NarrowPair b) {
    return __hbeq2(a, b);
  }
};

}  // namespace parlab::emulation

// Conversions whose names contain the type: half or bfloat16.
#define PARLAB_CONVERSIONS(T, name)                                          \
  PARLAB_FUNCTION(T, __float2##name, (float x), x)                           \
  PARLAB_FUNCTION(T, __float2##name##_rn, (float x), x)                      \
  PARLAB_FUNCTION(T, __double2##name, (double x), x)                         \
  PARLAB_FUNCTION(T, __int2##name##_rn, (int x), x)                          \
  PARLAB_FUNCTION(T, __uint2##name##_rn, (unsigned x), x)                    \
  PARLAB_FUNCTION(T, __short2##name##_rn, (short x), x)                      \
  PARLAB_FUNCTION(T, __ushort2##name##_rn, (unsigned short x), x)            \
  PARLAB_FUNCTION(T, __float2##name##_rz, (float x), x)                      \
  PARLAB_FUNCTION(unsigned, __##name##2uint_rn, (T x),                       \
                  static_cast<unsigned>(std::nearbyint(float{x})))           \
  PARLAB_FUNCTION(short, __##name##2short_rn, (T x),                         \
                  static_cast<short>(std::nearbyint(float{x})))              \
  PARLAB_FUNCTION(float, __##name##2float, (T x), x)                         \
  PARLAB_FUNCTION(int, __##name##2int_rn, (T x),                             \
                  static_cast<int>(std::nearbyint(float{x})))                \
  PARLAB_FUNCTION(int, __##name##2int_rz, (T x), static_cast<int>(float{x})) \
  PARLAB_FUNCTION(int, __##name##2int_rd, (T x),                             \
                  static_cast<int>(std::floor(float{x})))                    \
  PARLAB_FUNCTION(int, __##name##2int_ru, (T x),                             \
                  static_cast<int>(std::ceil(float{x})))                     \
  PARLAB_FUNCTION(unsigned short, __##name##_as_ushort, (T x), x.bits)       \
  PARLAB_FUNCTION(short, __##name##_as_short, (T x),                         \
                  static_cast<short>(x.bits))                                \
  PARLAB_FUNCTION(T, __ushort_as_##name, (unsigned short bits),              \
                  T::from_bits(bits))                                        \
  PARLAB_FUNCTION(T, __short_as_##name, (short bits),                        \
                  T::from_bits(static_cast<unsigned short>(bits)))           \
  PARLAB_FUNCTION(T##2, __##name##2##name##2, (T x), {x, x})                 \
  PARLAB_FUNCTION(T##2, __halves2##name##2, (T x, T y), {x, y})              \
  PARLAB_FUNCTION(T##2, make_##name##2, (T x, T y), {x, y})                  \
  PARLAB_FUNCTION(T##2, __float2##name##2_rn, (float x), {x, x})             \
  PARLAB_FUNCTION(T##2, __floats2##name##2_rn, (float x, float y), {x, y})   \
  PARLAB_FUNCTION(T##2, __float22##name##2_rn, (float2 v), {v.x, v.y})       \
  PARLAB_FUNCTION(float2, __##name##22float2, (T##2 v), {v.x, v.y})          \
  PARLAB_FUNCTION(float, __low2float, (T##2 v), v.x)                         \
  PARLAB_FUNCTION(float, __high2float, (T##2 v), v.y)                        \
  PARLAB_FUNCTION(T, __low2##name, (T##2 v), v.x)                            \
  PARLAB_FUNCTION(T, __high2##name, (T##2 v), v.y)                           \
  PARLAB_FUNCTION(T##2, __low2##name##2, (T##2 v), {v.x, v.x})               \
  PARLAB_FUNCTION(T##2, __high2##name##2, (T##2 v), {v.y, v.y})              \
  PARLAB_FUNCTION(T##2, __lows2##name##2, (T##2 a, T##2 b), {a.x, b.x})      \
  PARLAB_FUNCTION(T##2, __highs2##name##2, (T##2 a, T##2 b), {a.y, b.y})     \
  PARLAB_FUNCTION(T##2, __lowhigh2highlow, (T##2 v), {v.y, v.x})
