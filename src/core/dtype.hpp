// The types of elements, and how products of them are computed.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "core/named_enum.hpp"
#include "core/narrow.hpp"

namespace parlab {

PARLAB_ENUM(Dtype, "dtype", (f32, "float"), (f64, "double"), (i32, "int"),
            (f16, "half"), (bf16, "bfloat16"))

template <typename T>
constexpr Dtype dtype_of() {
  if constexpr (std::is_same_v<T, float>) {
    return Dtype::f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return Dtype::f64;
  } else if constexpr (std::is_same_v<T, half>) {
    return Dtype::f16;
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return Dtype::bf16;
  } else {
    static_assert(std::is_same_v<T, int>,
                  "a dtype is float, double, int, half or bfloat16");
    return Dtype::i32;
  }
}

std::size_t bytes_of(Dtype dtype);

// throws std::logic_error: no type of those dispatched to
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
  return dispatch<float, double, int, half, bfloat16>(dtype,
                                                      std::forward<F>(f));
}

// How a variant computes products of floats, and their sums, where that
// is not IEEE in the dtype: it decides the error bound. tf32, bf16, fp16:
// operands rounded to that type, sums in float. x3, x6, x9: each operand is
// split into parts of that type, two for x3 and three for the others; of the
// products of the parts this many are added up, the largest.
PARLAB_ENUM(Arithmetic, "arithmetic", (ieee, "ieee"), (tf32, "tf32"),
            (bf16, "bf16"), (fp16, "fp16"), (tf32x3, "tf32x3"),
            (bf16x3, "bf16x3"), (fp16x3, "fp16x3"), (bf16x6, "bf16x6"),
            (bf16x9, "bf16x9"))

}  // namespace parlab
