#include "workloads/covariance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "core/roundoff.hpp"
#include "reference/declared_workload.hpp"
#include "reference/progress.hpp"
#include "workloads/covariance_bound.hpp"
#include "workloads/dense.hpp"

namespace parlab {
namespace {

using reference::each_row, reference::for_all_kinds, reference::in,
    reference::out;

// Up to this many products every element is compared with a reference;
// above, all of them are checked with random vectors, and real numbers in a few
// rows element by element. Long double is an order slower.
template <typename Wide>
constexpr double full_reference_products =
    std::is_same_v<Wide, long double> ? 1e8 : 5e8;
constexpr double full_reference_entries = 1 << 20;

// ---- inputs -----------------------------------------------------------------

// Whole numbers whose means, centred values and products are whole, and every
// partial sum of them something T holds: data[k][j] = mean_j + r[k][j] - r[k
// + 1][j], the last row followed by the first, so that the differences of a
// column sum to 0. r lies in [-limit, limit], and is even in even rows and odd
// in odd ones: no difference is 0, but between the ends of an odd number of
// rows. One element of `thin` is drawn, the others being 0. With float_n no
// mean but 0 is whole.
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
    // of the numbers of this parity, the first one
    const auto least = -range.limit + (range.limit + row) % 2;
    const auto count = (range.limit - least) / 2 + 1;
    return static_cast<T>(
        least + 2 * static_cast<std::int64_t>(
                        random_bits(1, i) % static_cast<std::uint64_t>(count)));
  };
  const auto mean =
      range.mean == 0
          ? T{0}
          : random_integer<T>(2, static_cast<std::uint64_t>(j), range.mean);
  return mean + drawn(k) - drawn(k + 1 < size[0] ? k + 1 : 0);
}

// Wide numbers: a column has one number, its opposite, and zeros. Its sum is
// zero in any order, so the means cost no rounding and few centred values
// differ from zero. Columns whose numbers are in the same rows have a product
// that is not zero.
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

// Whole numbers: equality is demanded as long as all means are whole.
template <typename T, typename Wide>
class CovarianceOracle final : public Oracle {
 public:
  CovarianceOracle(const Covariance::Args<T>& p, InputKind kind,
                   Arithmetic arithmetic)
      : n_(p.n),
        divisor_(p.divisor),
        columns_(p),
        // Where elements have changed between executions, means need
        // not be whole any more.
        exact_(kind == InputKind::integers && columns_.whole()),
        computed_(columns_, rounding(dtype_of<T>(), arithmetic),
                  unit_roundoff(dtype_of<T>()), terms_of(kind)),
        here_(columns_, reference_rounding<Wide>, wide_roundoff<Wide>,
              Terms::any) {
    if (exact_ && columns_.largest_sum() > 1 / unit_roundoff(dtype_of<T>())) {
      throw std::logic_error("covariance: whole inputs whose sums reach " +
                             std::to_string(columns_.largest_product()) +
                             ", too much for " +
                             std::string(to_string(dtype_of<T>())));
    }
    const double row_products =
        static_cast<double>(p.m) * static_cast<double>(p.n);
    const double n = static_cast<double>(p.n);
    if (n * row_products <= full_reference_products<Wide> &&
        n * n <= full_reference_entries) {
      std::vector<std::int64_t> rows(p.n);
      std::iota(rows.begin(), rows.end(), 0);
      all_ = reference(std::move(rows));
    }
    sample_ = rows_to_draw(full_reference_products<Wide> / 16 / row_products);
  }

  std::optional<Mismatch> check(const Arrays& outputs) const override {
    const Result<T> result(outputs, n_);
    if (all_) return compare(result, *all_);
    if (exact_) return check_whole(result);
    if (auto mismatch = compare(result, reference(draw_rows(n_, sample_))))
      return mismatch;
    return check_signs(result);
  }

 private:
  using Bound = typename CovarianceColumns<T, Wide>::Bound;

  struct RowsReference {
    std::vector<std::int64_t> rows;
    // bound: empty where equality is demanded
    std::vector<double> expected = {}, bound = {};
  };

  // The product of these rows with all columns: O(rows m n).
  RowsReference reference(std::vector<std::int64_t> rows) const {
    RowsReference made{.rows = std::move(rows)};
    const auto count = std::ssize(made.rows);
    made.expected.resize(count * n_);
    if (!exact_) made.bound.resize(count * n_);
    // rows of many columns are shared
    constexpr std::int64_t width = 1024;
    const auto parts = (n_ + width - 1) / width;
    each_row(0, count * parts, [&](std::int64_t part) {
      const auto first = part % parts * width;
      fill(made, part / parts, first, std::min(width, n_ - first));
    });
    return made;
  }

  // Row r of the reference, `count` columns.
  void fill(RowsReference& made, std::int64_t r, std::int64_t first,
            std::int64_t count) const {
    const auto i = made.rows[r];
    std::vector<Wide> sum(count);
    for (std::int64_t k = 0; k < columns_.m(); ++k) {
      const Wide factor = columns_.centred(k, i);
      for (std::int64_t j = 0; j < count; ++j)
        sum[j] += factor * columns_.centred(k, first + j);
    }
    for (std::int64_t j = 0; j < count; ++j) {
      const auto at = r * n_ + first + j;
      if (exact_) {
        made.expected[at] =
            static_cast<double>(quotient_of(static_cast<double>(sum[j])));
        continue;
      }
      made.expected[at] =
          static_cast<double>(sum[j] / static_cast<Wide>(divisor_));
      // The last term: the expected value was rounded to double.
      made.bound[at] = computed_(i, first + j) + here_(i, first + j) +
                       std::abs(made.expected[at]) * 0x1p-53;
    }
  }

  std::optional<Mismatch> compare(const Result<T>& result,
                                  const RowsReference& with) const {
    for (std::size_t r = 0; r < with.rows.size(); ++r) {
      for (std::int64_t j = 0; j < n_; ++j) {
        const auto at = r * n_ + j;
        const double found = static_cast<double>(result(with.rows[r], j));
        const double bound = exact_ ? 0 : with.bound[at];
        // Written so that NaN, which compares false, fails.
        if (!(std::abs(found - with.expected[at]) <= bound)) {
          return Mismatch{result.name(with.rows[r], j), with.expected[at],
                          found, bound};
        }
      }
    }
    return std::nullopt;
  }

  // Freivalds' check: cov x = C^T (C x) / divisor, C the centred data, for a
  // random vector x, or several side by side: O(m n + n^2). Here C^T (C x).
  template <typename Sum, int count>
  std::vector<Sum> product(const std::vector<Sum>& x) const {
    using Number =
        std::conditional_t<std::is_same_v<Sum, Modular>, std::int64_t, Sum>;
    const auto centred = [&](std::int64_t k, std::int64_t j) {
      return static_cast<Sum>(static_cast<Number>(columns_.centred(k, j)));
    };
    const auto m = columns_.m();
    std::vector<Sum> cx(m * count), result(n_ * count);
    each_row(0, m, [&](std::int64_t k) {
      Sum sum[count] = {};
      for (std::int64_t j = 0; j < n_; ++j) {
        for (int v = 0; v < count; ++v)
          sum[v] += centred(k, j) * x[j * count + v];
      }
      std::copy(sum, sum + count, cx.begin() + k * count);
    });
    constexpr std::int64_t width = 64;
#pragma omp parallel for schedule(static)
    for (std::int64_t first = 0; first < n_; first += width) {
      const std::int64_t end = std::min(first + width, n_);
      for (std::int64_t k = 0; k < m; ++k) {
        for (std::int64_t j = first; j < end; ++j) {
          for (int v = 0; v < count; ++v)
            result[j * count + v] += centred(k, j) * cx[k * count + v];
        }
      }
    }
    return result;
  }

  // Whole numbers, modulo 2^64. No sum is larger than the largest square of a
  // norm, less than 2^50: of 2^14 wrong rows one is overlooked, at most.
  std::optional<Mismatch> check_whole(const Result<T>& result) const {
    const auto x = draw_vector(n_);
    const auto expected = product<Modular, 1>(x);
    const double most = columns_.largest_product();
    const auto row = first_wrong(n_, [&](std::int64_t i) {
      Modular sum = 0;
      for (std::int64_t j = 0; j < n_; ++j) {
        const T found = result(i, j);
        // The whole number this is the quotient of, if it is one.
        const double whole = std::nearbyint(static_cast<double>(found) *
                                            static_cast<double>(divisor_));
        const auto sum_of_products = modular(whole, most);
        if (!sum_of_products || quotient_of(whole) != found) return true;
        sum += *sum_of_products * x[j];
      }
      return sum != expected[i];
    });
    return row < n_ ? compare(result, reference({row})) : std::nullopt;
  }

  // With vectors of random signs. The reference adds up n numbers in C x, and
  // so does the result times x.
  std::optional<Mismatch> check_signs(const Result<T>& result) const {
    const auto signs = draw_signs<Wide>(n_);
    const auto expected = product<Wide, sign_vectors>(signs);
    const auto check_row = [&](std::int64_t i) -> std::optional<Mismatch> {
      Wide sum[sign_vectors] = {};
      for (std::int64_t j = 0; j < n_; ++j) {
        for (int v = 0; v < sign_vectors; ++v)
          sum[v] +=
              static_cast<Wide>(result(i, j)) * signs[j * sign_vectors + v];
      }
      const double bound =
          most_deviations * computed_.of_row(i, 0) +
          std::sqrt(static_cast<double>(n_)) * here_.of_row(i, 3 * n_);
      for (int v = 0; v < sign_vectors; ++v) {
        const Wide right =
            expected[i * sign_vectors + v] / static_cast<Wide>(divisor_);
        if (std::abs(sum[v] - right) <= bound) continue;
        return Mismatch{
            "row " + std::to_string(i) + " of the result times a random vector",
            static_cast<double>(right), static_cast<double>(sum[v]), bound};
      }
      return std::nullopt;
    };
    const auto row = first_wrong(
        n_, [&](std::int64_t i) { return check_row(i).has_value(); });
    if (row == n_) return std::nullopt;
    const auto mismatch = compare(result, reference({row}));
    return mismatch ? mismatch : check_row(row);
  }

  // The quotient of a whole sum that T can hold.
  T quotient_of(double whole) const {
    return static_cast<T>(whole) / divisor_;
  }

  std::int64_t n_;
  T divisor_;
  CovarianceColumns<T, Wide> columns_;
  bool exact_;
  Bound computed_, here_;  // of a variant, and of this reference
  std::optional<RowsReference> all_;
  std::int64_t sample_ = 0;  // where not all are compared
};

const reference::RegisterOracle<float, double> covariance_registered(
    {
        .name = "covariance",
        .summary = "covariance matrix of n variables, the columns of m "
                   "observations (m x n, row-major)",
        .extents = {"m", "n"},
        .parameters = {{.name = "float_n",
                        .fallback = 0,
                        .min = 0,
                        .max = 1'000'000'000'000}},
        .arrays = {in("data", {"m", "n"}),
                   out("cov", {"n", "n"}),
                   {.name = "cov_packed",
                    .role = Role::output,
                    .count =
                        [](const Size& size) {
                          return Covariance::packed_count(size[1]);
                        },
                    .layout_of = "cov"}},
        // The product has one triangle; the other is a copy.
        .work =
            [](const Size& size, Dtype dtype) {
              const auto m = static_cast<double>(size[0]),
                         n = static_cast<double>(size[1]),
                         element = static_cast<double>(bytes_of(dtype)),
                         written = n * (n + 1) / 2 * element;
              return Work{m * n * (n + 1) + 2 * m * n,
                          m * n * element + written, written};
            },
        .fill = for_all_kinds<float, double>(
            []<typename T>(T, const Arrays& inputs, const Size& size,
                           InputKind kind) {
              const auto n = size[1];
              const WholeNumbers range = whole_numbers(size, dtype_of<T>());
              reference::fill_input<T>(inputs, "data", [&](std::int64_t i) {
                if (kind == InputKind::uniform) return random_uniform<T>(1, i);
                if (kind == InputKind::wide)
                  return wide_number<T>(i / n, i % n, size);
                return whole_number<T>(i / n, i % n, size, range);
              });
            }),
    },
    []<typename T>(const Arrays& inputs, const Size& size, InputKind kind,
                   Arithmetic arithmetic, T) -> std::unique_ptr<Oracle> {
      const auto p = Covariance::bind<T>(inputs, size.data());
      // Sums of whole numbers stay exact in double.
      if (std::is_same_v<T, double> && kind != InputKind::integers) {
        return std::make_unique<CovarianceOracle<T, long double>>(p, kind,
                                                                  arithmetic);
      }
      return std::make_unique<CovarianceOracle<T, double>>(p, kind, arithmetic);
    });

}  // namespace
}  // namespace parlab
