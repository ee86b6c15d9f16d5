// Inputs that are only timed: what is in them decides how much power a device
// takes, and with that its clock. They are made of uniform ones, whatever the
// workload.
//
//   zeros, ones  all elements, but for the planted ones
//   whole        from -8 to 8, never 0
//   normal       of mean 0 and variance 1
//   spread       exponents that are as likely as any other in a wide range
//   sparse       one in ten as it is, the others zero
//
// Integers that are no structure are zeros, ones or sparse, too; else they
// stay as they are.
// Between executions a few elements take the value of others. Zeros and ones
// would stay the same. So some elements, the planted ones, have another value:
// of n elements one in each stretch of sqrt(n). Each row of a square matrix has
// one, so that a change in the matrix before it shows in their product.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/random.hpp"
#include "core/workload.hpp"

namespace parlab::reference {

// 64 or -64: large enough that a change shows beside ones, whose sums have a
// bound that grows with their number, and whole in every type.
constexpr int planted_value = 64;
constexpr bool has_planted(InputKind kind) {
  return kind == InputKind::zeros || kind == InputKind::ones;
}
// Elements for each planted one, in an array of so many.
inline std::int64_t stretch_of(std::int64_t count) {
  return std::max<std::int64_t>(
      static_cast<std::int64_t>(std::sqrt(static_cast<double>(count))), 1);
}
// How many elements of an array are planted, and where.
constexpr std::uint64_t planted_stream = 1 << 9;
inline std::int64_t count_planted(std::int64_t count) {
  return count / stretch_of(count);
}

inline std::int64_t planted_place(std::int64_t count, std::int64_t which) {
  const auto stretch = stretch_of(count);
  return which * stretch +
         static_cast<std::int64_t>(
             random_bits(planted_stream, static_cast<std::uint64_t>(which)) %
             static_cast<std::uint64_t>(stretch));
}

// Makes uniform inputs those of another kind. stream: for its random numbers.
void reshape(const Array& uniform, InputKind kind, std::uint64_t stream);

}  // namespace parlab::reference
