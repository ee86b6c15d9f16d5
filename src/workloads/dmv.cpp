#include "workloads/dmv.hpp"

#include <algorithm>
#include <cmath>

#include "core/variant.hpp"
#include "workloads/dense.hpp"

namespace parlab {
namespace {

// out (cols x rows) = in (rows x cols) transposed, in squares that fit a cache.
template <typename T>
void transpose(const T* in, T* out, std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t edge = 32;
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t r0 = 0; r0 < rows; r0 += edge) {
    for (std::int64_t c0 = 0; c0 < cols; c0 += edge) {
      for (std::int64_t c = c0; c < std::min(c0 + edge, cols); ++c) {
        for (std::int64_t r = r0; r < std::min(r0 + edge, rows); ++r) {
          out[c * rows + r] = in[r * cols + c];
        }
      }
    }
  }
}

class DmvContract final : public DenseWorkload<DmvContract> {
 public:
  std::string_view name() const override { return "dmv"; }
  std::string_view summary() const override {
    return "y = A x, dense matrix A (rows x cols, row-major) times vector x";
  }
  std::vector<std::string_view> dimensions() const override {
    return {"rows", "cols"};
  }

  Work work(const Size& size, Dtype dtype) const override {
    const double rows = size[0], cols = size[1];
    return {2 * rows * cols, (rows * cols + rows + cols) * bytes_of(dtype)};
  }

  std::vector<ArraySpec> arrays(const Size& size, Dtype dtype) const override {
    const auto rows = size[0], cols = size[1];
    return {{"a", dtype, rows * cols, Role::input, "", {"rows", "cols"}},
            {"a_transposed",
             dtype,
             rows * cols,
             Role::input,
             "a",
             {"cols", "rows"},
             0,
             {.pitch = cols, .down = 1, .across = rows}},
            {"x", dtype, cols, Role::input, "", {"cols"}},
            {"y", dtype, rows, Role::output, "", {"rows"}}};
  }

  template <typename T>
  static void fill_as(const Arrays& inputs, const Size& size, InputKind kind) {
    const auto rows = size[0], cols = size[1];
    // Products of at most limit^2, cols of them: their sum stays a
    // whole number T can hold.
    const double exact = 1 / unit_roundoff(dtype_of<T>());
    const auto limit = static_cast<std::int64_t>(
        std::clamp(std::floor(std::sqrt(exact / cols)), 1.0, 8.0));
    const auto element = [&](std::uint64_t stream) {
      return [=](std::int64_t i) {
        if (kind == InputKind::integers)
          return random_integer<T>(stream, i, limit);
        if (kind == InputKind::uniform) return random_uniform<T>(stream, i);
        const bool zero = stream == 1 && !random_term(3, i, cols);
        return zero ? T{0} : random_wide<T>(stream, i);
      };
    };
    fill_parallel(inputs.get<T>("a"), rows * cols, element(1));
    fill_parallel(inputs.get<T>("x"), cols, element(2));
    if (T* transposed = inputs.get<T>("a_transposed")) {
      transpose(inputs.get<T>("a"), transposed, rows, cols);
    }
  }

  // An error is told by the root of the sum of the squares of a row's terms
  // (see Rounding::of_norm): with uniform inputs these have random signs. What
  // is zero costs no rounding: instead of cols count the terms that are not.
  // The reference is summed in a wider type; its own error is added.
  template <typename T>
  static std::unique_ptr<Oracle> oracle_of(const Arrays& inputs,
                                           const Size& size, InputKind kind,
                                           Arithmetic arithmetic) {
    using Wide =
        std::conditional_t<std::is_same_v<T, float>, double, long double>;
    const auto rows = size[0], cols = size[1];
    const T* a = inputs.get<const T>("a");
    const T* x = inputs.get<const T>("x");
    const bool exact = kind == InputKind::integers;
    const Rounding rounds = rounding(dtype_of<T>(), arithmetic);
    const auto terms_are = terms_of(kind);
    std::vector<double> expected(rows), bound(rows);
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      Wide sum = 0;
      double squares = 0;
      std::int64_t terms = 0;
      for (std::int64_t col = 0; col < cols; ++col) {
        const Wide product =
            static_cast<Wide>(a[row * cols + col]) * static_cast<Wide>(x[col]);
        sum += product;
        squares += static_cast<double>(product) * static_cast<double>(product);
        terms += product != 0;
      }
      expected[row] = static_cast<double>(sum);
      if (exact) continue;
      // Rounding the expected value to double costs one more half unit.
      bound[row] = (rounds.of_norm(terms, terms_are) +
                    reference_rounding<Wide>.of_norm(terms, terms_are)) *
                       std::sqrt(squares) +
                   std::abs(expected[row]) * 0x1p-53;
    }
    return std::make_unique<ElementwiseOracle>("y", std::move(expected),
                                               std::move(bound));
  }
};

const RegisterWorkload dmv_registered(std::make_unique<DmvContract>());

}  // namespace
}  // namespace parlab
