// Common parts of oracles that are written by hand.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/chance.hpp"
#include "core/random.hpp"
#include "core/workload.hpp"

namespace parlab {

// "b[3,5]"
inline std::string element_name(const char* array, std::int64_t row,
                                std::int64_t col) {
  return array + ("[" + std::to_string(row)) + "," + std::to_string(col) + "]";
}

// Whether all of found[begin] to found[end - 1] are right, in a form that is
// vectorised. bound: nullptr demands equality. NaN, which compares false,
// fails.
template <typename T>
bool all_within(const T* found, const double* expected, const double* bound,
                std::int64_t begin, std::int64_t end) {
  bool wrong = false;
  if (bound == nullptr) {
    for (std::int64_t i = begin; i < end; ++i)
      wrong |= !(static_cast<double>(found[i]) == expected[i]);
  } else {
    for (std::int64_t i = begin; i < end; ++i) {
      const double off = std::abs(static_cast<double>(found[i]) - expected[i]);
      wrong |= !(off <= bound[i]);
    }
  }
  return !wrong;
}

// The first row of which wrong(row) says so; `rows` where there is none.
template <typename Wrong>
std::int64_t first_wrong(std::int64_t rows, const Wrong& wrong) {
  std::int64_t first = rows;
#pragma omp parallel for schedule(dynamic, 16) reduction(min : first)
  for (std::int64_t row = 0; row < rows; ++row) {
    if (first > row && wrong(row)) first = row;
  }
  return first;
}

// The finding of check(row) in the first row in which it finds anything.
template <typename Check>
std::optional<Mismatch> first_mismatch(std::int64_t rows, const Check& check) {
  const auto first = first_wrong(
      rows, [&](std::int64_t row) { return check(row).has_value(); });
  return first < rows ? check(first) : std::nullopt;
}

// ---- samples, drawn when a result is checked --------------------------------

// How many rows are compared element by element, of as many as time allows.
inline std::int64_t rows_to_draw(double affordable) {
  return static_cast<std::int64_t>(std::clamp(affordable, 4.0, 16.0));
}

// `count` rows, at the most: a share f of all rows that is wrong has none
// among them with probability (1 - f)^count.
inline std::vector<std::int64_t> draw_rows(std::int64_t rows,
                                           std::int64_t count) {
  std::vector<std::int64_t> some(std::min(rows, count));
  std::ranges::generate(some, [=] { return random_below(rows); });
  std::ranges::sort(some);
  some.erase(std::unique(some.begin(), some.end()), some.end());
  return some;
}

// A whole number modulo 2^64. A row of them that is not zero, times a vector of
// random ones, is zero with probability 2^(v - 64), where 2^v is the largest
// power of two that divides them all. R. Freivalds, Probabilistic machines can
// use less running time, 1977.
using Modular = std::uint64_t;

inline std::vector<Modular> draw_vector(std::int64_t count) {
  std::vector<Modular> random(count);
  std::ranges::generate(random, SystemRandom());
  return random;
}

// Vectors of random signs side by side: element j of vector v is at
// [j * sign_vectors + v]. The errors of a row, times one of them, are as a rule
// as large as the root of the sum of their squares.
constexpr int sign_vectors = 2;

template <typename Wide>
std::vector<Wide> draw_signs(std::int64_t count) {
  std::vector<Wide> signs(count * sign_vectors);
  std::ranges::generate(
      signs, [random = SystemRandom(), bits = 0ull, left = 0]() mutable {
        if (left == 0) bits = random(), left = 64;
        return bits >> --left & 1 ? Wide{1} : Wide{-1};
      });
  return signs;
}

// The residues of a result, if it is whole and no larger than `most`.
template <typename T>
std::optional<Modular> modular(T found, double most) {
  const auto value = static_cast<double>(found);
  if (!(std::abs(value) <= most)) return std::nullopt;  // also NaN
  const auto whole = static_cast<std::int64_t>(value);
  if (static_cast<double>(whole) != value) return std::nullopt;
  return static_cast<Modular>(whole);
}

}  // namespace parlab
