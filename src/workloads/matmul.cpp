#include "workloads/matmul.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <vector>

#include "core/accuracy.hpp"
#include "core/roundoff.hpp"
#include "core/variant.hpp"
#include "workloads/dense.hpp"

namespace parlab {
namespace {

// Up to this many flops every element of C is compared with a reference;
// above, all of C is checked with random vectors and a few rows element by
// element. Long double sums are an order slower.
template <typename Wide>
constexpr double full_reference_flops =
    std::is_same_v<Wide, long double> ? 4e8 : 2e9;
constexpr double full_reference_elements = 1 << 25;

// Whole numbers in [-limit, limit] whose products, k of them, sum to
// something T can hold. For int this bounds the uniform inputs as well,
// only wider: integer arithmetic is exact or wrong.
std::int64_t integer_limit(Dtype dtype, std::int64_t k, InputKind kind) {
  const double exact =
      dtype == Dtype::i32 ? 0x1p31 - 1 : 1 / unit_roundoff(dtype);
  const double widest = kind == InputKind::integers ? 8 : 1 << 15;
  return static_cast<std::int64_t>(std::clamp(
      std::floor(std::sqrt(exact / static_cast<double>(k))), 1.0, widest));
}

template <typename T>
struct Operands {
  const T* a;
  const T* b;
  std::int64_t m, k, n;
  bool exact;  // equality is demanded
  Rounding rounds;

  // How many elements of a row of A are not zero.
  std::int64_t terms(std::int64_t row) const {
    return k - std::count(a + row * k, a + (row + 1) * k, T{0});
  }
  // |C - A B| <= factor |A| |B| in this row, element by element, for every
  // order of summation: Higham, (3.13). Terms that are zero cost no rounding;
  // own: the roundoff of the reference.
  double factor(std::int64_t row, double own) const {
    return rounds.of_products(terms(row)) + gamma(terms(row), own);
  }
  // The same for IEEE arithmetic in T: what errors are told in.
  double plain_factor(std::int64_t row) const {
    return rounding(dtype_of<T>(), Arithmetic::ieee).of_products(terms(row));
  }
};

// Some rows of C, or all, element by element: O(rows k n).
class RowsReference {
 public:
  template <typename Wide, typename T>
  static RowsReference make(const Operands<T>& p,
                            std::vector<std::int64_t> rows) {
    RowsReference reference;
    reference.n_ = p.n;
    reference.rows_ = std::move(rows);
    const auto count = static_cast<std::int64_t>(reference.rows_.size());
    reference.expected_.resize(count * p.n);
    if (!p.exact)
      reference.bound_.resize(count * p.n), reference.unit_.resize(count * p.n);
#pragma omp parallel
    {
      std::vector<Wide> sum(p.n);
      std::vector<double> magnitude(p.exact ? 0 : p.n);
#pragma omp for schedule(dynamic)
      for (std::int64_t r = 0; r < count; ++r) {
        const T* a = p.a + reference.rows_[r] * p.k;
        const double factor =
            p.exact ? 0 : p.factor(reference.rows_[r], wide_roundoff<Wide>);
        const double plain_factor =
            p.exact ? 0 : p.plain_factor(reference.rows_[r]);
        std::fill(sum.begin(), sum.end(), Wide{0});
        std::fill(magnitude.begin(), magnitude.end(), 0.0);
        for (std::int64_t i = 0; i < p.k; ++i) {
          const Wide factor_a = static_cast<Wide>(a[i]);
          const T* b = p.b + i * p.n;
          for (std::int64_t j = 0; j < p.n; ++j)
            sum[j] += factor_a * static_cast<Wide>(b[j]);
          if (magnitude.empty()) continue;
          const double size_a = std::abs(static_cast<double>(a[i]));
          for (std::int64_t j = 0; j < p.n; ++j) {
            magnitude[j] += size_a * std::abs(static_cast<double>(b[j]));
          }
        }
        for (std::int64_t j = 0; j < p.n; ++j) {
          reference.expected_[r * p.n + j] = static_cast<double>(sum[j]);
          if (magnitude.empty()) continue;
          // The last term: the expected value was rounded to double,
          // and so was the magnitude.
          reference.bound_[r * p.n + j] =
              factor * magnitude[j] * (1 + gamma(p.k, 0x1p-53)) +
              std::abs(static_cast<double>(sum[j])) * 0x1p-53;
          reference.unit_[r * p.n + j] = plain_factor * magnitude[j];
        }
      }
    }
    return reference;
  }

  template <typename T>
  std::optional<Mismatch> check(const T* c) const {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (std::int64_t j = 0; j < n_; ++j) {
        const auto at = r * n_ + j;
        const double found = static_cast<double>(c[rows_[r] * n_ + j]);
        const double bound = bound_.empty() ? 0 : bound_[at];
        // Written so that NaN, which compares false, fails.
        if (!(std::abs(found - expected_[at]) <= bound)) {
          return Mismatch{element_name("c", rows_[r], j), expected_[at], found,
                          bound};
        }
      }
    }
    return std::nullopt;
  }

  template <typename T>
  std::optional<LargestError> largest_error(const T* c) const {
    if (unit_.empty()) return std::nullopt;
    LargestError largest;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (std::int64_t j = 0; j < n_; ++j) {
        const auto at = r * n_ + j;
        const double error =
            std::abs(static_cast<double>(c[rows_[r] * n_ + j]) - expected_[at]);
        const double rounding_error =
            unit_roundoff(dtype_of<T>()) * std::abs(expected_[at]);
        if (unit_[at] > 0)
          largest.of_bound = std::max(largest.of_bound, error / unit_[at]);
        if (rounding_error > 0) {
          largest.of_rounding =
              std::max(largest.of_rounding, error / rounding_error);
        }
      }
    }
    return largest;
  }

 private:
  std::vector<std::int64_t> rows_;
  std::int64_t n_ = 0;
  // unit_: the bound of IEEE arithmetic
  std::vector<double> expected_, bound_, unit_;
};

// Freivalds' check: C r = A (B r) for random vectors r of +1 and -1, in O(m
// k + k n + m n) each. A wrong row of C passes one vector with probability
// at most 1/2, a row with a single wrong element never. R. Freivalds,
// Probabilistic machines can use less running time, 1977.
//
// With integer inputs equality is demanded of every vector, and the
// probability of overlooking anything is below 2^-24: this is what finds
// wrong indexing. With uniform inputs the bounds of a whole row of C add
// up, so that only errors of that order are found.
class VectorsReference {
 public:
  template <typename Wide, typename T>
  static VectorsReference make(const Operands<T>& p) {
    VectorsReference reference;
    reference.n_ = p.n;
    reference.count_ = p.exact ? 24 : 8;
    const std::vector<Wide> br = multiply<Wide>(
        p.b, p.k, p.n, reference.signs<Wide>().data(), reference.count_);
    const std::vector<Wide> abr =
        multiply<Wide>(p.a, p.m, p.k, br.data(), reference.count_);
    reference.expected_.assign(abr.begin(), abr.end());
    reference.bound_.resize(p.m);
    if (p.exact) return reference;
    // (|A| (|B| 1))_i, and the errors of C, of A (B r) and
    // of C r in terms of it.
    const double wide = wide_roundoff<Wide>;
    const std::vector<double> b1 =
        row_magnitudes(p.b, p.k, p.n, std::vector<double>(p.n, 1));
    const std::vector<double> ab1 = row_magnitudes(p.a, p.m, p.k, b1);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < p.m; ++i) {
      const double of_c = p.factor(i, wide);
      const double factor =
          of_c + gamma(p.n + p.k, wide) + (1 + of_c) * gamma(p.n, wide);
      reference.bound_[i] = factor * ab1[i] * (1 + gamma(p.n + p.k, 0x1p-53));
    }
    return reference;
  }

  template <typename Wide, typename T>
  std::optional<Mismatch> check(const T* c) const {
    const auto m = static_cast<std::int64_t>(bound_.size());
    const std::vector<Wide> cr =
        multiply<Wide>(c, m, n_, signs<Wide>().data(), count_);
    for (std::int64_t i = 0; i < m; ++i) {
      for (int v = 0; v < count_; ++v) {
        const long double expected = expected_[i * count_ + v];
        const long double found = cr[i * count_ + v];
        if (!(std::abs(found - expected) <= bound_[i])) {
          return Mismatch{
              "row " + std::to_string(i) + " of c times a random vector",
              static_cast<double>(expected), static_cast<double>(found),
              bound_[i]};
        }
      }
    }
    return std::nullopt;
  }

 private:
  // n x count_, row-major: the vectors side by side, so that one pass
  // over a matrix serves all.
  template <typename Wide>
  std::vector<Wide> signs() const {
    std::vector<Wide> r(n_ * count_);
    for (std::size_t i = 0; i < r.size(); ++i)
      r[i] = random_bits(3, i) >> 63 ? 1 : -1;
    return r;
  }

  // matrix (rows x cols) times r (cols x count).
  template <typename Wide, typename T>
  static std::vector<Wide> multiply(const T* matrix, std::int64_t rows,
                                    std::int64_t cols, const Wide* r,
                                    int count) {
    std::vector<Wide> product(rows * count);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < rows; ++i) {
      Wide sum[24] = {};
      for (std::int64_t j = 0; j < cols; ++j) {
        const Wide element = static_cast<Wide>(matrix[i * cols + j]);
        if (count == 24) {
          for (int v = 0; v < 24; ++v)
            sum[v] += element * r[j * 24 + v];
        } else {
          for (int v = 0; v < 8; ++v)
            sum[v] += element * r[j * 8 + v];
        }
      }
      std::copy(sum, sum + count, product.begin() + i * count);
    }
    return product;
  }

  // |matrix| x
  template <typename T>
  static std::vector<double> row_magnitudes(const T* matrix, std::int64_t rows,
                                            std::int64_t cols,
                                            const std::vector<double>& x) {
    std::vector<double> y(rows);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < cols; ++j) {
        sum += std::abs(static_cast<double>(matrix[i * cols + j])) * x[j];
      }
      y[i] = sum;
    }
    return y;
  }

  std::int64_t n_ = 0;
  int count_ = 0;  // 8 or 24
  std::vector<long double> expected_;
  std::vector<double> bound_;  // one per row
};

template <typename T, typename Wide>
class MatmulOracle final : public Oracle, public KnowsErrors {
 public:
  explicit MatmulOracle(const Operands<T>& p) {
    const double row_flops =
        2.0 * static_cast<double>(p.k) * static_cast<double>(p.n);
    const double m = static_cast<double>(p.m);
    const bool full = m * row_flops <= full_reference_flops<Wide> &&
                      m * static_cast<double>(p.n) <= full_reference_elements;
    std::vector<std::int64_t> rows(p.m);
    std::iota(rows.begin(), rows.end(), 0);
    if (!full) {
      const auto sample =
          static_cast<std::int64_t>(full_reference_flops<Wide> / 2 / row_flops);
      rows = some_rows(p.m, std::clamp<std::int64_t>(sample, 4, 64));
      vectors_ = VectorsReference::make<Wide>(p);
    }
    rows_ = RowsReference::make<Wide>(p, std::move(rows));
  }

  std::optional<Mismatch> check(const Arrays& outputs) const override {
    const T* c = outputs.get<const T>("c");
    if (auto mismatch = rows_.check(c)) return mismatch;
    return vectors_ ? vectors_->template check<Wide>(c) : std::nullopt;
  }
  // Of the elements that are compared one by one.
  std::optional<LargestError> largest_error(
      const Arrays& outputs) const override {
    return rows_.largest_error(outputs.get<const T>("c"));
  }

 private:
  RowsReference rows_;
  std::optional<VectorsReference> vectors_;
};

Dtype dtype_of_result(Dtype dtype) {
  return dispatch_all(
      dtype, []<typename T>(T) { return dtype_of<Matmul::Result<T>>(); });
}

// A matrix in the element type of the result: a copy where that is another one.
template <typename T>
class Widened {
 public:
  using Element = Matmul::Result<T>;
  Widened(const T* matrix, std::int64_t count) : matrix_(matrix) {
    if constexpr (!std::is_same_v<T, Element>) {
      copy_.resize(count);
      fill_parallel(copy_.data(), count, [=](std::int64_t i) {
        return static_cast<Element>(matrix[i]);
      });
    }
  }
  const Element* data() const {
    if constexpr (std::is_same_v<T, Element>)
      return matrix_;
    else
      return copy_.data();
  }

 private:
  const T* matrix_;
  std::vector<Element> copy_;
};

class MatmulContract final : public Workload {
 public:
  std::string_view name() const override { return "matmul"; }
  std::string_view summary() const override {
    return "C = A B, dense row-major matrices, A m x k and B k x n";
  }
  std::vector<std::string_view> dimensions() const override {
    return {"m", "k", "n"};
  }

  Size complete(const std::vector<std::int64_t>& typed) const override {
    if (typed.size() == 1) return {typed[0], typed[0], typed[0]};
    if (typed.size() == 3) return typed;
    throw UsageError(
        "matmul takes one size (n x n times n x n) or three (m k n)");
  }

  std::vector<Dtype> dtypes() const override {
    return {Dtype::f32, Dtype::f64, Dtype::i32, Dtype::f16, Dtype::bf16};
  }

  Work work(const Size& size, Dtype dtype) const override {
    const double m = size[0], k = size[1], n = size[2];
    const double written = m * n * bytes_of(dtype_of_result(dtype));
    return {2 * m * k * n, (m * k + k * n) * bytes_of(dtype) + written,
            written};
  }

  std::vector<ArraySpec> arrays(const Size& size, Dtype dtype) const override {
    const auto m = size[0], k = size[1], n = size[2];
    return {{"a", dtype, m * k, Role::input, "", {"m", "k"}},
            {"b", dtype, k * n, Role::input, "", {"k", "n"}},
            {"c", dtype_of_result(dtype), m * n, Role::output, "", {"m", "n"}}};
  }

  void fill(const Arrays& inputs, const Size& size, Dtype dtype,
            InputKind kind) const override {
    dispatch_all(dtype, [&]<typename T>(T) {
      const auto m = size[0], k = size[1], n = size[2];
      const bool whole = kind == InputKind::integers || std::is_same_v<T, int>;
      const auto limit = integer_limit(dtype, k, kind);
      const auto element = [=](std::uint64_t stream) {
        return [=](std::int64_t i) {
          if (whole) return random_integer<T>(stream, i, limit);
          if (kind == InputKind::uniform) return random_uniform<T>(stream, i);
          if constexpr (std::is_same_v<T, int>) {
            return T{};  // always whole
          } else {
            const bool zero = stream == 1 && !random_term(5, i, k);
            return zero ? T{} : random_wide<T>(stream, i);
          }
        };
      };
      fill_parallel(inputs.get<T>("a"), m * k, element(1));
      fill_parallel(inputs.get<T>("b"), k * n, element(2));
    });
  }

  std::unique_ptr<Oracle> oracle(const Arrays& inputs, const Size& size,
                                 Dtype dtype, InputKind kind,
                                 Arithmetic arithmetic) const override {
    return dispatch_all(dtype, [&]<typename T>(T) -> std::unique_ptr<Oracle> {
      using Element = Matmul::Result<T>;  // holds each value of T
      const bool exact = kind == InputKind::integers || std::is_same_v<T, int>;
      const auto m = size[0], k = size[1], n = size[2];
      const Widened<T> a(inputs.get<const T>("a"), m * k),
          b(inputs.get<const T>("b"), k * n);
      const Operands<Element> problem{
          a.data(), b.data(), m, k, n, exact, rounding(dtype, arithmetic)};
      // Sums of whole numbers stay exact in double.
      if (std::is_same_v<T, double> && !exact) {
        return std::make_unique<MatmulOracle<Element, long double>>(problem);
      }
      return std::make_unique<MatmulOracle<Element, double>>(problem);
    });
  }
};

const RegisterWorkload matmul_registered(std::make_unique<MatmulContract>());

}  // namespace
}  // namespace parlab
