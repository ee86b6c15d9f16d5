// The types of elements, and how their products are computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/named_enum.hpp"
#include "core/narrow.hpp"

namespace parlab {

PARLAB_ENUM(Dtype, "dtype", (f32, "float"), (f64, "double"), (i32, "int"),
            (f16, "half"), (bf16, "bfloat16"), (i8, "int8"), (u8, "uint8"),
            (u32, "uint32"))

// T may also be a type that names its dtype as T::dtype.
template <typename T>
constexpr Dtype dtype_of() {
  if constexpr (requires { T::dtype; }) {
    return T::dtype;
  } else if constexpr (std::is_same_v<T, float>) {
    return Dtype::f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return Dtype::f64;
  } else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, half>) {
    return Dtype::f16;
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return Dtype::bf16;
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return Dtype::i8;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return Dtype::u8;
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return Dtype::u32;
  } else {
    static_assert(std::is_same_v<T, int>, "a type that is no dtype");
    return Dtype::i32;
  }
}

constexpr bool is_integer(Dtype dtype) {
  return dtype == Dtype::i32 || dtype == Dtype::i8 || dtype == Dtype::u8 ||
         dtype == Dtype::u32;
}

std::size_t bytes_of(Dtype dtype);

// throws std::logic_error: dtype is not among the types dispatched to
[[noreturn]] void refuse(Dtype dtype);

// Calls f with a value of the C++ type that dtype names, which must be one
// of Types: dispatch<float, double>(d, [](auto zero) { ... }).
template <typename First, typename... Rest, typename F>
decltype(auto) dispatch(Dtype dtype, F&& f) {
  if constexpr (sizeof...(Rest) > 0) {
    if (dtype != dtype_of<First>())
      return dispatch<Rest...>(dtype, std::forward<F>(f));
  }
  if (dtype != dtype_of<First>()) refuse(dtype);
  return f(First{});
}
template <typename F>
decltype(auto) dispatch_all(Dtype dtype, F&& f) {
  return dispatch<float, double, int, float16, bfloat16, std::int8_t,
                  std::uint8_t, std::uint32_t>(dtype, std::forward<F>(f));
}

// Calls f with an unsigned integer as wide as an element of dtype.
template <typename F>
decltype(auto) dispatch_word(Dtype dtype, F&& f) {
  switch (bytes_of(dtype)) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

// How a variant computes products of floats and their sums, if not by IEEE
// arithmetic in the dtype. It decides the error bound. tf32, bf16, fp16:
// operands are rounded to that type, sums are float. x3, x6, x9: each operand
// is split into parts of that type, two for x3 and three for the others, and
// this many of the largest products of parts are added up. residues: exact
// integers modulo small ones, as accurate as IEEE.
PARLAB_ENUM(Arithmetic, "arithmetic", (ieee, "ieee"), (tf32, "tf32"),
            (bf16, "bf16"), (fp16, "fp16"), (tf32x3, "tf32x3"),
            (bf16x3, "bf16x3"), (fp16x3, "fp16x3"), (bf16x6, "bf16x6"),
            (bf16x9, "bf16x9"), (residues, "residues"))

}  // namespace parlab
