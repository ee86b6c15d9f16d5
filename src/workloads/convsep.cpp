#include "workloads/convsep.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/roundoff.hpp"
#include "reference/declared_workload.hpp"
#include "reference/number.hpp"
#include "reference/progress.hpp"

namespace parlab::reference {
namespace {

// sums[x] = the sum of weights[k] * line(k)[x], x < count. Takes two lines at
// once, so that sums are read and written half as often.
template <typename N, typename Line>
void weigh(const std::vector<double>& weights, const Line& line,
           std::int64_t count, N* sums) {
  std::fill_n(sums, count, N(0));
  const auto taps = std::ssize(weights);
  for (std::int64_t k = 0; k < taps; k += 2) {
    const auto next = std::min(k + 1, taps - 1);
    const double first = weights[k], second = next > k ? weights[next] : 0;
    const auto *const from = line(k), *const other = line(next);
    for (std::int64_t x = 0; x < count; ++x)
      sums[x] += N(from[x]) * first + N(other[x]) * second;
  }
}

// Both passes over a and w, or over |a| and |w|. store(i, b[i])
template <typename N, bool magnitudes, typename T, typename Store>
void filter(const T* a, const T* w, const Size& size, const Store& store) {
  constexpr std::int64_t height = 128, width = 256, zero = 0;  // of a tile
  const auto rows = size[0], cols = size[1], radius = size[2],
             across = (cols + width - 1) / width,
             down = (rows + height - 1) / height;
  const auto number = [](T x) {
    return static_cast<double>(magnitudes ? std::abs(x) : x);
  };
  std::vector<double> weights(2 * radius + 1);
  std::transform(w, w + 2 * radius + 1, weights.begin(), number);
  each_strip(0, down * across, [&](auto first, auto last) {
    std::vector<N> between((height + 2 * radius) * width), sums(width);
    std::vector<double> pixels(width + 2 * radius);
    for (auto tile = first; tile < last; ++tile) {
      const auto top = tile / across * height, left = tile % across * width,
                 tall = std::min(height, rows - top),
                 wide = std::min(width, cols - left);
      for (std::int64_t y = 0; y < tall + 2 * radius; ++y) {
        const auto row = top + y - radius,
                   begin = std::max(left - radius, zero),
                   end = std::min(left + wide + radius, cols);
        std::ranges::fill(pixels, 0);
        if (row >= 0 && row < rows) {
          std::transform(a + row * cols + begin, a + row * cols + end,
                         &pixels[begin - left + radius], number);
        }
        weigh(
            weights, [&](auto k) { return &pixels[k]; }, wide,
            &between[y * width]);
      }
      for (std::int64_t y = 0; y < tall; ++y) {
        weigh(
            weights, [&](auto k) { return &between[(y + k) * width]; }, wide,
            sums.data());
        for (std::int64_t x = 0; x < wide; ++x)
          store((top + y) * cols + left + x, static_cast<double>(sums[x]));
      }
    }
  });
}

// Integers: every partial sum is exact, and equality is demanded.
//
// Uniform: with n = 2 radius + 1, the row pass is wrong by gamma_n |w||a| at
// the most (Higham, section 3.1), which the column pass carries on and adds its
// own to: |b - exact| <= (2 gamma_n + gamma_n^2) M, where M is the same two
// passes over |w| and |a|. The error of the reference is added, and that of
// rounding it to double.
//
// Wide: one pixel in each square of n x n is not zero, so that each
// sum has one term: n is 1.
template <typename T>
std::unique_ptr<Oracle> make_oracle(const Arrays& inputs, const Size& size,
                                    InputKind kind, Arithmetic arithmetic) {
  const auto *a = inputs.get<const T>("a"), *w = inputs.get<const T>("w");
  const bool exact = kind == InputKind::integers;
  auto b = expected_matrix("b", dtype_of<T>(), size[0], size[1], !exact);
  const auto value = [&](auto i, double sum) { b.elements[i] = {sum, 0}; };
  if (exact) {
    filter<double, false>(a, w, size, value);
    return std::make_unique<LoopOracle>(std::move(b), false);
  }
  filter<Wide<T>, false>(a, w, size, value);
  const std::int64_t terms = kind == InputKind::wide ? 1 : 2 * size[2] + 1;
  const auto factor = [&](Arithmetic of) {
    const double pass = rounding(dtype_of<T>(), of).of_products(terms);
    return (2 * pass + pass * pass +
            gamma(2 * terms, rounding_of_wide<Wide<T>>.sum)) *
           (1 + gamma(2 * terms, 0x1p-53));
  };
  const double most = factor(arithmetic), unit = factor(Arithmetic::ieee);
  filter<double, true>(a, w, size, [&](auto i, double magnitude) {
    auto& [sum, bound] = b.elements[i];
    bound = most * magnitude + std::abs(sum) * 0x1p-53;
    b.unit[i] = unit * magnitude;
  });
  return std::make_unique<LoopOracle>(std::move(b), true);
}

// The pixels of wide images lie so far apart that no window has two, and each
// image has one in its centre.
bool fill_wide(const Arrays& inputs, const Size& size, Dtype dtype,
               InputKind kind) {
  if (kind != InputKind::wide) return false;
  dispatch<float, double>(dtype, [&]<typename T>(T) {
    const auto rows = size[0], cols = size[1], apart = 2 * size[2] + 1;
    fill_input<T>(inputs, "a", [=](std::int64_t i) {
      const bool lit = (i / cols - rows / 2) % apart == 0 &&
                       (i % cols - cols / 2) % apart == 0;
      return lit ? random_wide<T>(1, i) : T{0};
    });
    fill_input<T>(inputs, "w", [](auto i) { return random_wide<T>(2, i); });
  });
  return true;
}

std::int64_t radius_of(const Size& size) {
  return size[2];
}
std::int64_t taps_of(const Size& size) {
  return 2 * size[2] + 1;
}

template <typename T>
T weight(InputKind kind, std::int64_t i) {
  if (kind == InputKind::uniform) return random_uniform<T>(2, i);
  if (kind == InputKind::wide) return random_wide<T>(2, i);
  return random_integer<T>(2, i, 2);
}

const RegisterOracle<float, double> convsep_registered(
    {
        .name = "convsep",
        .summary = "B = A filtered along rows and then columns, row-major "
                   "(rows x cols), zeros outside of A",
        .extents = {"rows", "cols"},
        .parameters = {{"radius", 16, 0, Convsep::max_radius}},
        .arrays = {{.name = "a",
                    .role = Role::input,
                    .shape = {"rows", "cols"},
                    .halo = radius_of},
                   {.name = "a_padded",
                    .role = Role::input,
                    .shape = {"rows"},
                    .count =
                        [](const Size& size) {
                          return size[0] * (size[1] + 2 * size[2]);
                        },
                    .halo = radius_of,
                    .layout_of = "a",
                    .map =
                        [](const Size& size) {
                          return LayoutMap{.pitch = size[1],
                                           .down = size[1] + 2 * size[2],
                                           .across = 1,
                                           .start = size[2]};
                        }},
                   {.name = "w", .role = Role::input, .count = taps_of},
                   out("b", {"rows", "cols"})},
        // A pass: one product per tap and one sum less.
        .flops =
            [](const Size& size) {
              return 2.0 * size[0] * size[1] *
                     (2.0 * static_cast<double>(taps_of(size)) - 1);
            },
        .sums = {.terms =
                     [](const Size& size) {
                       return std::pow(static_cast<double>(taps_of(size)), 2);
                     },
                 .degree = 3},
        .fill = fill_wide,
    },
    []<typename T>(const Arrays& inputs, const Size& size, InputKind kind,
                   Arithmetic arithmetic, T) {
      return make_oracle<T>(inputs, size, kind, arithmetic);
    });

}  // namespace
}  // namespace parlab::reference
