#include "reference/loop_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/roundoff.hpp"

namespace parlab::reference {
namespace {

constexpr std::int64_t strip = 1 << 12;

template <typename T>
bool is_poison(const T& found) {
  unsigned char poison[sizeof(T)];
  std::memset(poison, poison_byte, sizeof poison);
  return std::memcmp(&found, poison, sizeof poison) == 0;
}

template <typename T>
bool is_right(const Expected& expected, const T& found) {
  // Written so that NaN, which compares false, fails.
  return std::abs(static_cast<double>(found) - expected.value) <=
             expected.bound ||
         (std::isnan(expected.value) && is_poison(found));
}

// Without a branch, so that it is vectorised.
template <typename T>
bool all_right(const Expected* expected, const T* found, std::int64_t count) {
  bool wrong = false;
  for (std::int64_t i = 0; i < count; ++i) {
    wrong |= !(std::abs(static_cast<double>(found[i]) - expected[i].value) <=
               expected[i].bound);
  }
  return !wrong;
}

// The first element that is wrong, or `count`.
template <typename T>
std::int64_t first_wrong(const ExpectedOutput& output, const T* found) {
  const auto count = output.spec.count;
  std::int64_t first = count;
#pragma omp parallel for schedule(static) \
    reduction(min                         \
              : first) if (count > strip)
  for (std::int64_t begin = 0; begin < count; begin += strip) {
    const auto length = std::min(strip, count - begin);
    const Expected* const expected = &output.elements[begin];
    if (begin >= first || all_right(expected, found + begin, length)) continue;
    for (std::int64_t i = 0; i < length; ++i) {
      if (is_right(expected[i], found[begin + i])) continue;
      first = begin + i;
      break;
    }
  }
  return first;
}

}  // namespace

ExpectedOutput expected_matrix(std::string name, Dtype dtype, std::int64_t rows,
                               std::int64_t cols, bool has_unit) {
  return {.spec = {.name = std::move(name),
                   .dtype = dtype,
                   .count = rows * cols,
                   .role = Role::output,
                   .shape = {"row", "column"}},
          .cols = cols,
          .elements = Untouched<Expected>(rows * cols),
          .unit = Untouched<double>(has_unit ? rows * cols : 0)};
}

std::string element_name(const ExpectedOutput& output, std::int64_t at) {
  const bool has_rows = output.spec.shape.size() > 1;
  const auto row = at / output.cols;
  return output.spec.name + "[" +
         (has_rows
              ? std::to_string(output.rows.empty() ? row : output.rows[row]) +
                    ","
              : "") +
         std::to_string(has_rows ? at % output.cols : at) + "]";
}

const ExpectedOutput& LoopOracle::output(const Array& array) const {
  const auto known = std::ranges::find_if(outputs_, [&](const auto& each) {
    return each.spec.name == array.spec.name;
  });
  if (known == outputs_.end())
    throw std::logic_error("no output is called " + array.spec.name);
  return *known;
}

std::optional<Mismatch> LoopOracle::check(const Arrays& found) const {
  for (const auto& array : found) {
    if (array.spec.role != Role::output) continue;
    const auto& expected = output(array);
    const auto wrong = dispatch_all(
        array.spec.dtype, [&]<typename T>(T) -> std::optional<Mismatch> {
          const T* const data = static_cast<const T*>(array.data);
          const auto at = first_wrong(expected, data);
          if (at == expected.spec.count) return std::nullopt;
          const auto [value, bound] = expected.elements[at];
          return Mismatch{element_name(expected, at), value,
                          static_cast<double>(data[at]), bound};
        });
    if (wrong) return wrong;
  }
  return std::nullopt;
}

std::optional<LargestError> LoopOracle::largest_error(
    const Arrays& found) const {
  if (!knows_errors_) return std::nullopt;
  double of_bound = 0, of_rounding = 0;
  for (const auto& array : found) {
    if (array.spec.role != Role::output) continue;
    const auto& expected = output(array);
    const double roundoff = unit_roundoff(array.spec.dtype);
    dispatch_all(array.spec.dtype, [&]<typename T>(T) {
      const T* const data = static_cast<const T*>(array.data);
#pragma omp parallel for schedule(static) reduction(max : of_bound, of_rounding)
      for (std::int64_t i = 0; i < expected.spec.count; ++i) {
        const auto [value, bound] = expected.elements[i];
        const double error = std::abs(static_cast<double>(data[i]) - value),
                     rounding = roundoff * std::abs(value),
                     unit = expected.unit.empty() ? bound : expected.unit[i];
        if (unit > 0) of_bound = std::max(of_bound, error / unit);
        if (rounding > 0 && bound > 0)
          of_rounding = std::max(of_rounding, error / rounding);
      }
    });
  }
  return LargestError{of_bound, of_rounding};
}

}  // namespace parlab::reference
