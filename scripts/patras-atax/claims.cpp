// Claims of the second of three exercises in double: ATAX, y = A^T (A x).
#include <array>
#include <set>

#include "claims/rule.hpp"
#include "record/published.hpp"

namespace parlab::patras_atax {
namespace {

constexpr const char* report = "patras-atax";

const std::string table = "patras-cuda-atax";

Selection atax(const Evidence& e, const std::string& variant) {
  return in_range_of(table, e.timed("atax", Dtype::f64).variant(variant));
}

// ---- P4 .. P6: ATAX ---------------------------------------------------------

Judgement atax_speedup(const Evidence& e) {
  const auto kernel = atax(e, "cuda/shared").with("block", 256);
  const auto found = best_over_best(kernel, atax(e, "serial/plain"));
  if (found.empty()) return needs(e, report);
  Tally share, registers;
  for (const auto& [size, ratio] : found) {
    const auto& record = *kernel.size(size).best();
    const double of_roof = record.roof_s / record.summary().median;
    share.add(of_roof > 0.33 && of_roof < 0.67, of_roof,
              in_percent(of_roof) + " at " + place(size));
    registers.add(record.launch.limited_by == "registers", 0,
                  record.launch.limited_by + " at " + place(size));
  }
  return together({within(found, 32, 38).judgement("over serial:", {}),
                   share.judgement("of the roof:", {}),
                   registers.judgement("occupancy limited by", {})});
}

Judgement atax_blocks(const Evidence& e) {
  const auto all = atax(e, "cuda/shared");
  Tally alike, small;
  for (const auto& size : all.sizes()) {
    const auto here = all.size(size);
    const auto large = here.where([](const Record& r) {
      const auto block = r.tunables["block"];
      return block == 128 || block == 256 || block == 512;
    });
    if (large.values("block").size() == 3) {
      const auto ratio = gain(*large.best(), *large.worst());
      alike.add(no_faster(ratio, 0.2), ratio, place(size));
    }
    for (const auto* record :
         here.where([](const Record& r) { return r.tunables["block"] < 32; })) {
      if (large.empty()) continue;
      const auto ratio = gain(*large.best(), *record);
      small.add(
          faster(ratio), ratio,
          place(size) + " block " + std::to_string(record->tunables["block"]));
    }
  }
  if (alike.empty() && small.empty()) return needs(e, report);
  return together(
      {alike.judgement("best over worst of 128, 256, 512:", needs(e, report)),
       small.judgement("best over blocks below 32:", needs(e, report))});
}

Judgement atax_coalescing(const Evidence& e) {
  return at_least(best_over_best(atax(e, "cuda/shared"), atax(e, "cuda/naive")),
                  1.5)
      .judgement("shared over naive:", needs(e, report));
}

// ---- the digest's observations ----------------------------------------------

// The sizes of a published table, ascending.
std::set<int> sizes_of(const std::string& name) {
  std::set<int> sizes;
  for (const auto& row : published(name))
    sizes.insert(static_cast<int>(row.number("rows")));
  return sizes;
}

Judgement blocks_beyond_resident(const Evidence&) {
  Tally tally;
  for (const int n : sizes_of(table)) {
    if (n < 8000) continue;
    const int blocks = (n + 255) / 256;
    tally.add(blocks > 24, blocks,
              std::to_string(blocks) + " blocks at " + std::to_string(n));
  }
  return by_construction(tally.judgement(
      "computed; 24 are resident (6 on each of 4 multiprocessors):", {}));
}

using Matrix = std::array<std::array<int, 3>, 3>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int l = 0; l < 3; ++l)
        c[i][j] += a[i][l] * b[l][j];
    }
  }
  return c;
}

Matrix transposed(const Matrix& a) {
  Matrix t{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      t[j][i] = a[i][j];
  }
  return t;
}

// A x, then the product with A^T, is A^T A x. With its operands swapped it is
// A^T A^T x in one exercise and D D in the other, which are the same only for
// symmetric matrices.
Judgement only_symmetric(const Evidence&) {
  const Matrix symmetric{{{0, 0, 0}, {0, 1, 2}, {0, 2, 4}}},
      general{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}};
  const auto right = [](const Matrix& a) { return product(transposed(a), a); };
  const bool atax_same =
      product(transposed(symmetric), transposed(symmetric)) ==
          right(symmetric) &&
      product(transposed(general), transposed(general)) != right(general);
  const bool covariance_same =
      product(symmetric, symmetric) == right(symmetric) &&
      product(general, general) != right(general);
  return by_construction(atax_same && covariance_same,
                         "computed for a[i][j] = i j, which is symmetric, and "
                         "for a matrix that is not");
}

Judgement ragged_sizes(const Evidence&) {
  const auto ragged = [](const std::string& name, int block) {
    std::string text;
    for (const int n : sizes_of(name)) {
      if (n % block != 0)
        text += (text.empty() ? "" : ", ") + std::to_string(n);
    }
    return text;
  };
  const auto atax = ragged(table, 256),
             covariance = ragged("patras-cuda-covariance", 16);
  return by_construction(
      !atax.empty() && !covariance.empty(),
      "computed: " + atax + " by 256; " + covariance + " by 16");
}

const Claims announced(
    1,
    {
        {"P4", report,
         "32 to 38 times over serial at 33 to 67 % utilization, limited by "
         "registers.",
         "double, shared with 256: 32 to 38 times over serial/plain, 33 to "
         "67 % of the roof, occupancy limited by registers",
         "patras-atax-2-speedup", atax_speedup},
        {"P5", report,
         "Blocks of 128, 256 and 512 are alike; below 32 they are worse.",
         "the worst of the three within 20 % of the best; smaller than 32 "
         "slower than the best",
         "patras-atax-3-blocks", atax_blocks},
        {"P6", report,
         "Coalesced reads, one thread per column and not per row, have an "
         "important effect.",
         "shared, all reads coalesced, at least 1.5 times naive, one thread "
         "per row "
         "in its first "
         "product",
         "patras-atax-3-blocks", atax_coalescing},
        {"P-obs5", report,
         "From 8000 on more blocks exist than are resident: phase 2 can read "
         "too early.",
         "computed: blocks of 256 columns against 24 resident ones", "",
         blocks_beyond_resident},
        {"P-obs6", report,
         "As printed, the ATAX and covariance kernels are right for symmetric "
         "input only.",
         "computed with a symmetric and another matrix: A^T A^T for A^T A, D D "
         "for D^T D",
         "", only_symmetric},
        {"P-obs7", report,
         "Sizes that are no multiples of the block overrun the arrays, without "
         "a check.",
         "computed from the published sizes", "", ragged_sizes},
    });

}  // namespace
}  // namespace parlab::patras_atax
