#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "reference/number.hpp"

namespace parlab::reference {

Factors::Factors(const Rounding& variant, const Rounding& reference,
                 FactorOf what) {
  const auto factor = [&](const Rounding& rounding, std::int64_t roundings) {
    if (what == FactorOf::magnitudes) return rounding.of_products(roundings);
    if (what == FactorOf::squares) return rounding.of_squares(roundings);
    // A sum of terms that are not rounded has one rounding less than terms, and
    // may be as large as the root of their number times that of their squares.
    const auto n = static_cast<double>(std::max<std::int64_t>(roundings, 1));
    return std::sqrt(1 + 1 / n) * rounding.of_norm(roundings, Terms::random);
  };
  for (std::size_t at = 0; at < places; ++at) {
    // the most roundings that have this place
    const auto shift = at <= 256 ? 0 : (at - 257) / 128 + 1;
    const auto roundings =
        static_cast<std::int64_t>((at - 128 * shift) << shift);
    factors_[at] = factor(variant, roundings) + factor(reference, roundings);
  }
}

const Factors& Factors::of(const Rounding& variant, const Rounding& reference,
                           FactorOf what) {
  static std::mutex mutex;
  static std::map<std::tuple<double, double, int, bool, double, FactorOf>,
                  std::unique_ptr<const Factors>>
      known;
  const std::lock_guard lock(mutex);
  auto& factors = known[{variant.product, variant.sum, variant.parts,
                         variant.to_nearest, reference.sum, what}];
  if (!factors) factors.reset(new Factors(variant, reference, what));
  return *factors;
}

}  // namespace parlab::reference
