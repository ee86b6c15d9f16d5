#include "workloads/covariance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "core/roundoff.hpp"
#include "core/variant.hpp"
#include "workloads/covariance_bound.hpp"
#include "workloads/dense.hpp"

namespace parlab {
namespace {

// Up to this many products every element is compared with a reference;
// above, all of them are checked with random vectors, and a few rows element
// by element. Long double is an order slower.
template <typename Wide>
constexpr double full_reference_products =
    std::is_same_v<Wide, long double> ? 1e8 : 5e8;
constexpr double full_reference_entries = 1 << 20;
constexpr int vectors = 16;

// ---- inputs -----------------------------------------------------------------

// Whole numbers whose means, centred values and products are whole, and every
// partial sum of them something T holds: data[k][j] = mean_j + r[k][j] - r[k
// + 1][j], the last row followed by the first, so that the differences of a
// column sum to 0. r lies in [-limit, limit], and one element of `thin` is
// drawn, the others being 0. With float_n no mean but 0 is whole.
struct WholeNumbers {
  std::int64_t mean, limit, thin;
};

// The sums of products stay below an eighth of what T counts up to: so that a
// quotient tells them apart (see quotient_of). 4 m limit^2 bounds them without
// thinning; with it, in all likelihood, and the oracle makes sure.
WholeNumbers whole_numbers(const Size& size, Dtype dtype) {
  const double m = static_cast<double>(size[0]),
               exact = 1 / unit_roundoff(dtype);
  return {size[2] == 0 && 16 * m <= exact ? 3 : 0,
          static_cast<std::int64_t>(
              std::clamp(std::floor(std::sqrt(exact / (32 * m))), 1.0, 4.0)),
          static_cast<std::int64_t>(std::max(std::ceil(32 * m / exact), 1.0))};
}

template <typename T>
T whole_number(std::int64_t k, std::int64_t j, const Size& size,
               const WholeNumbers& range) {
  const auto drawn = [&](std::int64_t row) {
    const auto i = static_cast<std::uint64_t>(row * size[1] + j);
    if (random_bits(3, i) % static_cast<std::uint64_t>(range.thin) != 0)
      return T{0};
    return random_integer<T>(1, i, range.limit);
  };
  return random_integer<T>(2, static_cast<std::uint64_t>(j), range.mean) +
         drawn(k) - drawn(k + 1 < size[0] ? k + 1 : 0);
}

// Wide numbers: a column has one number and its opposite, and zeros.
// Whatever the order, its sum is zero, so that means cost no rounding
// and centred values are few; with others that have theirs in the same
// rows its product is not zero.
template <typename T>
T wide_number(std::int64_t k, std::int64_t j, const Size& size) {
  const auto m = size[0], n = size[1], middle = m / 2;
  const T number = random_wide<T>(1, static_cast<std::uint64_t>(j));
  if (middle == 0) return number;
  const auto places = std::min(middle, std::max<std::int64_t>(n / 8, 1));
  const auto place =
      static_cast<std::int64_t>(random_bits(6, static_cast<std::uint64_t>(j)) %
                                static_cast<std::uint64_t>(places));
  const auto row = place * middle / places;
  return k == row ? number : k == row + middle ? -number : T{0};
}

// ---- the oracle -------------------------------------------------------------

// Either output as n x n elements.
template <typename T>
struct Result {
  const T* cov;
  const T* packed;
  std::int64_t n;

  Result(const Arrays& outputs, std::int64_t count)
      : cov(outputs.get<const T>("cov")),
        packed(outputs.get<const T>("cov_packed")),
        n(count) {}
  T operator()(std::int64_t i, std::int64_t j) const {
    if (cov != nullptr) return cov[i * n + j];
    return packed[Covariance::packed_index(std::min(i, j), std::max(i, j), n)];
  }
  std::string name(std::int64_t i, std::int64_t j) const {
    if (cov != nullptr) return element_name("cov", i, j);
    const auto index =
        Covariance::packed_index(std::min(i, j), std::max(i, j), n);
    return "cov_packed[" + std::to_string(index) + "], element " +
           element_name("", i, j);
  }
};

// exact: whole numbers, and equality is demanded as long
// as all means are whole.
template <typename T, typename Wide>
class CovarianceOracle final : public Oracle {
 public:
  CovarianceOracle(const Covariance::Args<T>& p, bool exact,
                   Arithmetic arithmetic)
      : n_(p.n),
        divisor_(p.divisor),
        rounds_(rounding(dtype_of<T>(), arithmetic)) {
    const CovarianceColumns<T, Wide> columns(p);
    // Where elements have changed between executions, means need
    // not be whole any more.
    exact_ = exact && columns.whole();
    if (exact_ && columns.largest_sum() > 1 / unit_roundoff(dtype_of<T>())) {
      throw std::logic_error("covariance: whole inputs whose sums reach " +
                             std::to_string(columns.largest_product()) +
                             ", too much for " +
                             std::string(to_string(dtype_of<T>())));
    }
    const double row_products =
        static_cast<double>(p.m) * static_cast<double>(p.n);
    const double n = static_cast<double>(p.n);
    rows_.resize(p.n);
    std::iota(rows_.begin(), rows_.end(), 0);
    if (n * row_products > full_reference_products<Wide> ||
        n * n > full_reference_entries) {
      const double sample = full_reference_products<Wide> / 4 / row_products;
      rows_ = some_rows(p.n, std::clamp<std::int64_t>(
                                 static_cast<std::int64_t>(sample), 4, 64));
      make_vectors(columns);
    }
    make_rows(columns);
  }

  std::optional<Mismatch> check(const Arrays& outputs) const override {
    const Result<T> result(outputs, n_);
    if (auto mismatch = check_rows(result)) return mismatch;
    return expected_vectors_.empty() ? std::nullopt : check_vectors(result);
  }

 private:
  using ResultOf = Result<T>;

  using Bound = typename CovarianceColumns<T, Wide>::Bound;
  // Of a variant, and of this reference.
  std::pair<Bound, Bound> bounds(const CovarianceColumns<T, Wide>& c) const {
    return {Bound(c, rounds_, unit_roundoff(dtype_of<T>())),
            Bound(c, {.sum = wide_roundoff<Wide>}, wide_roundoff<Wide>)};
  }

  // The product of rows_ with all columns: O(rows m n).
  void make_rows(const CovarianceColumns<T, Wide>& c) {
    const auto count = static_cast<std::int64_t>(rows_.size());
    const auto both = bounds(c);
    const Bound &computed = both.first, &here = both.second;
    expected_.resize(count * n_);
    if (!exact_) bound_.resize(count * n_);
#pragma omp parallel
    {
      std::vector<Wide> sum(n_);
#pragma omp for schedule(dynamic)
      for (std::int64_t r = 0; r < count; ++r) {
        const auto i = rows_[r];
        std::fill(sum.begin(), sum.end(), Wide{0});
        for (std::int64_t k = 0; k < c.m(); ++k) {
          const Wide factor = c.centred(k, i);
          for (std::int64_t j = 0; j < n_; ++j)
            sum[j] += factor * c.centred(k, j);
        }
        for (std::int64_t j = 0; j < n_; ++j) {
          const auto at = r * n_ + j;
          if (exact_) {
            expected_[at] =
                static_cast<double>(quotient_of(static_cast<double>(sum[j])));
          } else {
            expected_[at] =
                static_cast<double>(sum[j] / static_cast<Wide>(divisor_));
            // The last term: the expected value was rounded to double.
            bound_[at] =
                computed(i, j) + here(i, j) + std::abs(expected_[at]) * 0x1p-53;
          }
        }
      }
    }
  }

  std::optional<Mismatch> check_rows(const ResultOf& result) const {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (std::int64_t j = 0; j < n_; ++j) {
        const auto at = r * n_ + j;
        const double found = static_cast<double>(result(rows_[r], j));
        const double bound = exact_ ? 0 : bound_[at];
        // Written so that NaN, which compares false, fails.
        if (!(std::abs(found - expected_[at]) <= bound)) {
          return Mismatch{result.name(rows_[r], j), expected_[at], found,
                          bound};
        }
      }
    }
    return std::nullopt;
  }

  // Freivalds' check: cov r = C^T (C r) / divisor, C the centred data, for
  // random vectors r of +1 and -1: O(m n + n^2). A wrong row passes one vector
  // with probability at most 1/2, a row with one wrong element never. R.
  // Freivalds, Probabilistic machines can use less running time, 1977.
  void make_vectors(const CovarianceColumns<T, Wide>& c) {
    std::vector<Wide> cr(c.m() * vectors);
#pragma omp parallel for schedule(static)
    for (std::int64_t k = 0; k < c.m(); ++k) {
      Wide sum[vectors] = {};
      for (std::int64_t j = 0; j < n_; ++j)
        add_signed(sum, c.centred(k, j), j);
      std::copy(sum, sum + vectors, cr.begin() + k * vectors);
    }
    expected_vectors_.assign(n_ * vectors, 0);
    constexpr std::int64_t width = 64;
#pragma omp parallel for schedule(static)
    for (std::int64_t first = 0; first < n_; first += width) {
      const std::int64_t end = std::min(first + width, n_);
      for (std::int64_t k = 0; k < c.m(); ++k) {
        for (std::int64_t j = first; j < end; ++j) {
          const Wide factor = c.centred(k, j);
          for (int v = 0; v < vectors; ++v) {
            expected_vectors_[j * vectors + v] += factor * cr[k * vectors + v];
          }
        }
      }
      for (std::int64_t at = first * vectors; !exact_ && at < end * vectors;
           ++at) {
        expected_vectors_[at] /= static_cast<Wide>(divisor_);
      }
    }
    bound_of_row_.assign(n_, 0);
    if (exact_) return;
    // The elements of a row may all err by their bounds; and this reference by
    // its own, in which C r adds up n numbers, and so does the result times r.
    const auto [computed, here] = bounds(c);
    for (std::int64_t i = 0; i < n_; ++i) {
      bound_of_row_[i] = computed.of_row(i, 0) + here.of_row(i, 3 * n_);
    }
  }

  std::optional<Mismatch> check_vectors(const ResultOf& result) const {
    return first_mismatch(
        n_, [&](std::int64_t i) { return check_row_times_vectors(result, i); });
  }

  std::optional<Mismatch> check_row_times_vectors(const ResultOf& result,
                                                  std::int64_t i) const {
    Wide sum[vectors] = {};
    for (std::int64_t j = 0; j < n_; ++j) {
      const T found = result(i, j);
      if (!exact_) {
        add_signed(sum, static_cast<Wide>(found), j);
        continue;
      }
      // The whole number this is the quotient of, if it is one.
      const double whole = std::nearbyint(static_cast<double>(found) *
                                          static_cast<double>(divisor_));
      if (!(quotient_of(whole) == found)) {
        return Mismatch{result.name(i, j) + ", as a quotient of whole numbers",
                        static_cast<double>(quotient_of(whole)),
                        static_cast<double>(found), 0};
      }
      add_signed(sum, static_cast<Wide>(whole), j);
    }
    for (int v = 0; v < vectors; ++v) {
      const Wide expected = expected_vectors_[i * vectors + v];
      if (!(std::abs(sum[v] - expected) <= bound_of_row_[i])) {
        return Mismatch{
            "row " + std::to_string(i) + " of the result times a random vector",
            static_cast<double>(expected), static_cast<double>(sum[v]),
            bound_of_row_[i]};
      }
    }
    return std::nullopt;
  }

  // The signs of r are the bits of a hash: element j of every vector.
  static void add_signed(Wide (&sum)[vectors], Wide value, std::int64_t j) {
    const std::uint64_t bits = random_bits(5, static_cast<std::uint64_t>(j));
    for (int v = 0; v < vectors; ++v)
      sum[v] += bits >> v & 1 ? value : -value;
  }

  // What a sum, whole and something T holds, becomes by the division.
  T quotient_of(double whole) const {
    return static_cast<T>(whole) / divisor_;
  }

  std::int64_t n_;
  T divisor_;
  Rounding rounds_;
  bool exact_ = false;
  std::vector<std::int64_t> rows_;
  // of rows_; bound_: empty when equality is demanded
  std::vector<double> expected_, bound_;
  std::vector<Wide> expected_vectors_;  // n x vectors, or empty
  std::vector<double> bound_of_row_;
};

class CovarianceContract final : public DenseWorkload<CovarianceContract> {
 public:
  std::string_view name() const override { return "covariance"; }
  std::string_view summary() const override {
    return "covariance matrix of n variables, the columns of m observations (m "
           "x n, row-major)";
  }
  std::vector<std::string_view> dimensions() const override {
    return {"m", "n", "float_n"};
  }
  std::vector<Tunable> parameters() const override {
    return {
        {.name = "float_n", .fallback = 0, .min = 0, .max = 1'000'000'000'000}};
  }

  // Of the product one triangle: the other is a copy.
  Work work(const Size& size, Dtype dtype) const override {
    const double m = static_cast<double>(size[0]),
                 n = static_cast<double>(size[1]);
    const double element = static_cast<double>(bytes_of(dtype));
    const double written =
        static_cast<double>(Covariance::packed_count(size[1])) * element;
    return {m * n * (n + 1) + 2 * m * n, m * n * element + written, written};
  }

  std::vector<ArraySpec> arrays(const Size& size, Dtype dtype) const override {
    const auto m = size[0], n = size[1];
    return {{"data", dtype, m * n, Role::input, "", {"m", "n"}},
            {"cov", dtype, n * n, Role::output, "", {"n", "n"}},
            {"cov_packed", dtype, Covariance::packed_count(n), Role::output,
             "cov"}};
  }

  template <typename T>
  static void fill_as(const Arrays& inputs, const Size& size, InputKind kind) {
    const WholeNumbers range = whole_numbers(size, dtype_of<T>());
    fill_parallel(
        inputs.get<T>("data"), size[0] * size[1], [&](std::int64_t i) {
          if (kind == InputKind::uniform) return random_uniform<T>(1, i);
          if (kind == InputKind::wide)
            return wide_number<T>(i / size[1], i % size[1], size);
          return whole_number<T>(i / size[1], i % size[1], size, range);
        });
  }

  template <typename T>
  static std::unique_ptr<Oracle> oracle_of(const Arrays& inputs,
                                           const Size& size, InputKind kind,
                                           Arithmetic arithmetic) {
    const bool exact = kind == InputKind::integers;
    const auto p = Covariance::bind<T>(inputs, size.data());
    // Sums of whole numbers stay exact in double.
    if (std::is_same_v<T, double> && !exact) {
      return std::make_unique<CovarianceOracle<T, long double>>(p, exact,
                                                                arithmetic);
    }
    return std::make_unique<CovarianceOracle<T, double>>(p, exact, arithmetic);
  }
};

const RegisterWorkload covariance_registered(
    std::make_unique<CovarianceContract>());

}  // namespace
}  // namespace parlab
