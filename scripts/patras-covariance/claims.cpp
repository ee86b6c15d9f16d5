// Claims of the third of three exercises in double: a covariance matrix.
#include <algorithm>
#include <set>

#include "claims/rule.hpp"

namespace parlab::patras_covariance {
namespace {

constexpr const char* report = "patras-covariance";

// With true means, not PolyBench's constant, which is measured once beside
// them.
Selection covariance(const Evidence& e, const std::string& variant) {
  const auto all = e.timed("covariance", Dtype::f64).variant(variant);
  return in_range_of("patras-cuda-covariance", all).where([](const Record& r) {
    return r.size.size() == 3 && r.size[2] == 0;
  });
}

// ---- P7 .. P9: covariance ---------------------------------------------------

Judgement covariance_speedup(const Evidence& e) {
  const auto tiled = covariance(e, "cuda/tiled");
  const auto found = best_over_best(tiled, covariance(e, "serial/plain"));
  if (found.empty()) return needs(e, report);
  const auto highest = *std::max_element(
      found.begin(), found.end(), [](const Compared& a, const Compared& b) {
        return a.ratio.value < b.ratio.value;
      });
  return together(
      {judged(within(highest.ratio, 45, 180), "over serial " +
                                                  in_words(highest.ratio) +
                                                  " at " + place(highest.size)),
       at_least(best_over_best(tiled, covariance(e, "cuda/naive")), 1.5)
           .judgement("tiled over naive:", needs(e, report))});
}

Judgement column_sums(const Evidence& e) {
  const auto dmv = e.timed("dmv", Dtype::f32);
  Tally columns;
  for (const auto& [size, ratio] : best_over_best(
           dmv.variant("cuda/shmem"), dmv.variant("cuda/coalesced"))) {
    columns.add(no_faster(ratio, margin_of_no_difference), ratio, place(size));
  }
  return together(
      {columns.judgement("by columns, shared memory:", needs(e, "cslab-dmv")),
       at_least(best_over_best(dmv.variant("cuda/warp_per_row"),
                               dmv.variant("cuda/naive_1d")),
                1)
           .judgement("by rows, threads that share one:",
                      needs(e, "cslab-dmv"))});
}

Judgement covariance_tiles(const Evidence& e) {
  const auto tiled = covariance(e, "cuda/tiled");
  const auto serial = covariance(e, "serial/plain");
  Tally better, large;
  for (const auto width : {8, 32}) {
    const auto other = tiled.with("tile", width);
    const auto against = std::to_string(width) + " at ";
    for (const auto& [size, ratio] :
         best_over_best(tiled.with("tile", 16), other)) {
      better.add(faster(ratio), ratio.value,
                 in_words(ratio) + " for " + against + place(size));
    }
    for (const auto& [size, ratio] : best_over_best(other, serial)) {
      large.add(faster(ratio, 10), ratio.value,
                in_words(ratio) + " with " + against + place(size));
    }
  }
  return together({better.judgement("16 over", needs(e, report)),
                   large.judgement("over serial", needs(e, report))});
}

// ---- the digest's observations ----------------------------------------------

// The report's index of element (i, j) above the diagonal, from 0.
bool packs(std::int64_t n) {
  std::set<std::int64_t> seen;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = i + 1; j < n; ++j)
      seen.insert(i * n - i * (i + 1) / 2 + j - i - 1);
  }
  const std::int64_t count = n * (n - 1) / 2;
  return std::ssize(seen) == count &&
         (count == 0 || (*seen.begin() == 0 && *seen.rbegin() == count - 1));
}

Judgement one_triangle(const Evidence& e) {
  bool right = true;
  for (std::int64_t n = 1; n <= 40; ++n)
    right &= packs(n);
  const auto mirror = at_least(
      best_over_best(covariance(e, "cuda/mirror"), covariance(e, "cuda/tiled")),
      1.5);
  return together(
      {by_construction(
           right,
           "computed: the index maps the n (n - 1) / 2 elements one to one, n "
           "up to 40"),
       mirror.judgement("mirror over tiled:", needs(e, report))});
}

const Claims announced(
    1,
    {
        {"P7", report, "Up to 90 times over serial, thanks to tiles.",
         "double: the highest speedup of tiled over serial/plain from 45 to "
         "180; tiled at least 1.5 times naive",
         "patras-covariance-3-speedup", covariance_speedup},
        {"P8", report,
         "Column sums need neither shared memory nor a reduction; row sums "
         "would gain by sharing.",
         "by the same accesses in dmv: by columns shmem is not 2 % faster than "
         "coalesced; by rows "
         "warp_per_row is faster than naive_1d",
         "cslab-dmv-7-all-gflops", column_sums},
        {"P9", report,
         "Tiles of 8 and 32 are worse than 16, but still very much faster than "
         "serial.",
         "tile 16 of tiled faster than 8 and 32; these at least 10 times over "
         "serial/plain",
         "patras-covariance-4-tiles", covariance_tiles},
        {"P-obs13", report,
         "The packing is right, and one triangle would halve the work.",
         "computed: the index is one to one; mirror at least 1.5 times tiled",
         "patras-covariance-1-time", one_triangle},
    });

}  // namespace
}  // namespace parlab::patras_covariance
