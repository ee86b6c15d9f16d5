// Claims of the report with three exercises in double: 3x3 convolution, ATAX, covariance.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "claims/published.hpp"
#include "claims/rule.hpp"
#include "core/numbers.hpp"

namespace parlab {
namespace {

constexpr const char *convolution = "patras-convolution", *atax = "patras-atax",
                     *covariance = "patras-covariance";
const Tunables block_16x16{{"block_x", 16}, {"block_y", 16}};
const Tunables block_32x32{{"block_x", 32}, {"block_y", 32}};

// Square problems from one size to another: the range of the report.
Selection between(const Selection& all, std::int64_t least, std::int64_t most) {
  return all.where([&](const Record& r) { return r.size[0] >= least && r.size[0] <= most; });
}
Selection conv2d(const Evidence& e) { return between(e.timed("conv2d", Dtype::f64), 4096, 9000); }
// The report's kernel as the report launched it.
Selection naive(const Evidence& e) { return conv2d(e).variant("cuda/naive").with(block_16x16); }
Selection atax_of(const Evidence& e, const std::string& variant) {
  return between(e.timed("atax", Dtype::f64), 4096, 12000).variant(variant);
}
// With means as means: not those of PolyBench's constant, which are measured once beside them.
Selection covariance_of(const Evidence& e, const std::string& variant) {
  const auto all = between(e.timed("covariance", Dtype::f64), 1024, 3000).variant(variant);
  return all.where([](const Record& r) { return r.size.size() == 3 && r.size[2] == 0; });
}

// ---- P1 .. P3: convolution ----------------------------------------------------------------------

Judgement convolution_grows(const Evidence& e) {
  const auto found = best_over_best(naive(e), conv2d(e).variant("serial/plain"));
  if (found.size() < 2) return needs(e, convolution);
  Tally steps;
  for (std::size_t i = 1; i < found.size(); ++i) {
    const auto &before = found[i - 1].ratio, &after = found[i].ratio;
    steps.add(after.interval.high >= before.interval.low, after.value,
              times(after.value) + " at " + place(found[i].size));
  }
  const auto &first = found.front(), &last = found.back();
  const auto growth = judged(last.ratio.interval.low > first.ratio.interval.high,
                             times(first.ratio.value) + " at " + place(first.size) + ", " +
                                 times(last.ratio.value) + " at " + place(last.size));
  if (growth.outcome == Outcome::does_not_hold) return growth;
  return together({growth, steps.judgement("without a fall:", {})});
}

Judgement low_utilization(const Evidence& e) {
  const auto sizes = naive(e).sizes();
  if (sizes.empty()) return needs(e, convolution);
  const auto& record = *naive(e).size(sizes.back()).best();
  const double of_roof = record.roof_s / record.summary().median;
  const auto effect =
      judged(of_roof < 0.5, percent(of_roof) + " of the roof at " + place(record.size));
  const auto& launch = record.launch;
  const auto registers =
      judged(launch.occupancy < 1 && launch.limited_by == "registers",
             std::to_string(launch.registers) + " registers, occupancy " +
                 percent(launch.occupancy) + ", limited by " + launch.limited_by);
  Tally reads;
  for (const auto* counted : naive(e).counted()) {
    const auto bytes = counter(*counted, "dram_read_bytes");
    if (!bytes) continue;
    const double each = *bytes / static_cast<double>(counted->size[0] * counted->size[1]) / 8;
    reads.add(each > 4.5, each,
              significant(each, 3) + " reads per point from memory at " + place(counted->size));
  }
  return together({effect, registers, reads.judgement("", needs_counters(e, convolution))});
}

Judgement large_blocks(const Evidence& e) {
  constexpr int counted_by_hand = 40, at_once = published::registers_per_multiprocessor;
  const int fit = at_once / (counted_by_hand * 256), warps = fit * 256 / 32;
  const auto computed =
      judged(counted_by_hand * 1024 > at_once && 2 * warps == published::warps_per_multiprocessor,
             "computed for that card: 32x32 needs 40960 of 32768 registers, 16x16 "
             "leaves " +
                 std::to_string(warps) + " of 48 warps");
  std::vector<Judgement> here;
  const auto tried = e.tried("conv2d", Dtype::f64).variant("cuda/naive").with(block_32x32);
  if (!tried.empty()) {
    const auto runs = [](const Record* r) { return r->verdict == Verdict::passed; };
    const bool some = std::any_of(tried.begin(), tried.end(), runs);
    here.push_back(judged(!some, std::string("here 32x32 ") + (some ? "runs" : "does not run")));
  }
  if (const auto* record = naive(e).best()) {
    here.push_back(judged(record->launch.occupancy <= 0.5,
                          "here 16x16 allows " + percent(record->launch.occupancy) + " with " +
                              std::to_string(record->launch.registers) + " registers"));
  }
  return supported(computed, here);
}

// ---- P4 .. P6: ATAX -----------------------------------------------------------------------------

Judgement atax_speedup(const Evidence& e) {
  const auto kernel = atax_of(e, "cuda/shared").with("block", 256);
  const auto found = best_over_best(kernel, atax_of(e, "serial/plain"));
  if (found.empty()) return needs(e, atax);
  Tally share, registers;
  for (const auto& [size, ratio] : found) {
    const auto& record = *kernel.size(size).best();
    const double of_roof = record.roof_s / record.summary().median;
    share.add(of_roof < 0.67, of_roof, percent(of_roof) + " at " + place(size));
    registers.add(record.launch.limited_by == "registers", 0,
                  record.launch.limited_by + " at " + place(size));
  }
  return together({at_least(found, 32).judgement("over serial:", {}),
                   share.judgement("of the roof:", {}),
                   registers.judgement("occupancy limited by", {})});
}

Judgement atax_blocks(const Evidence& e) {
  const auto all = atax_of(e, "cuda/shared");
  Tally alike, small;
  for (const auto& size : all.sizes()) {
    const auto here = all.size(size);
    const auto large = here.where([](const Record& r) {
      const auto block = r.tunables["block"];
      return block == 128 || block == 256 || block == 512;
    });
    if (large.values("block").size() == 3) {
      const auto ratio = gain(*large.best(), *large.worst());
      alike.add(ratio.value < 1.2, ratio, place(size));
    }
    for (const auto* record :
         here.where([](const Record& r) { return r.tunables["block"] < 32; })) {
      if (large.empty()) continue;
      const auto ratio = gain(*large.best(), *record);
      small.add(faster(ratio), ratio,
                place(size) + " block " + std::to_string(record->tunables["block"]));
    }
  }
  if (alike.empty() && small.empty()) return needs(e, atax);
  return together({alike.judgement("best over worst of 128, 256, 512:", needs(e, atax)),
                   small.judgement("best over blocks below 32:", needs(e, atax))});
}

Judgement atax_coalescing(const Evidence& e) {
  return at_least(best_over_best(atax_of(e, "cuda/shared"), atax_of(e, "cuda/naive")), 1.5)
      .judgement("shared over naive:", needs(e, atax));
}

// ---- P7 .. P9: covariance -----------------------------------------------------------------------

Judgement covariance_speedup(const Evidence& e) {
  const auto tiled = covariance_of(e, "cuda/tiled");
  const auto found = best_over_best(tiled, covariance_of(e, "serial/plain"));
  if (found.empty()) return needs(e, covariance);
  const auto highest = *std::max_element(
      found.begin(), found.end(),
      [](const Compared& a, const Compared& b) { return a.ratio.value < b.ratio.value; });
  return together({judged(faster(highest.ratio, 90),
                          "over serial " + to_string(highest.ratio) + " at " + place(highest.size)),
                   at_least(best_over_best(tiled, covariance_of(e, "cuda/naive")), 1.5)
                       .judgement("tiled over naive:", needs(e, covariance))});
}

Judgement column_sums(const Evidence& e) {
  const auto dmv = e.timed("dmv", Dtype::f32);
  Tally columns;
  for (const auto& [size, ratio] :
       best_over_best(dmv.variant("cuda/shmem"), dmv.variant("cuda/coalesced"))) {
    columns.add(!faster(ratio, 1.02), ratio, place(size));
  }
  return together(
      {columns.judgement("by columns, shared memory:", needs(e, "cslab-dmv")),
       at_least(best_over_best(dmv.variant("cuda/warp_per_row"), dmv.variant("cuda/naive_1d")), 1)
           .judgement("by rows, threads that share one:", needs(e, "cslab-dmv"))});
}

Judgement covariance_tiles(const Evidence& e) {
  const auto tiled = covariance_of(e, "cuda/tiled");
  const auto serial = covariance_of(e, "serial/plain");
  Tally better, large;
  for (const auto width : {8, 32}) {
    const auto other = tiled.with("tile", width);
    const auto against = std::to_string(width) + " at ";
    for (const auto& [size, ratio] : best_over_best(tiled.with("tile", 16), other)) {
      better.add(faster(ratio), ratio.value, to_string(ratio) + " for " + against + place(size));
    }
    for (const auto& [size, ratio] : best_over_best(other, serial)) {
      large.add(faster(ratio, 10), ratio.value,
                to_string(ratio) + " with " + against + place(size));
    }
  }
  return together({better.judgement("16 over", needs(e, covariance)),
                   large.judgement("over serial", needs(e, covariance))});
}

// ---- the digest's observations ------------------------------------------------------------------

Judgement clock_ticks(const Evidence&) {
  Tally tally;
  for (const auto& row : published::convolution) {
    const double ticks = row.cuda_s / 0.015625;
    tally.add(std::abs(ticks - std::round(ticks)) < 0.15, ticks,
              significant(ticks, 4) + " at " + std::to_string(row.n));
  }
  return tally.judgement("published times in ticks of 15.625 ms:", {});
}

Judgement copies_included(const Evidence& e) {
  Tally published_rate, here;
  for (const auto& row : published::convolution) {
    const double rate = 16e-9 * static_cast<double>(row.n * row.n) / row.cuda_s;
    published_rate.add(rate > 4 && rate < 8, rate,
                       significant(rate, 2) + " GB/s at " + std::to_string(row.n));
  }
  for (const auto* record : naive(e)) {
    if (!record->to_device_s || !record->to_host_s) continue;
    const double copies = *record->to_device_s + *record->to_host_s;
    const double share = copies / (copies + record->summary().median);
    here.add(share > 0.5, share, percent(share) + " at " + place(record->size));
  }
  return supported(published_rate.judgement("published, read and written once:", {}),
                   {here.judgement("share of the copies here:", {})});
}

Judgement hand_count(const Evidence& e) {
  const auto* record = naive(e).best();
  if (record == nullptr) return needs(e, convolution);
  return judged(record->launch.registers < 40,
                "the compiler needs " + std::to_string(record->launch.registers) + " registers");
}

Judgement blocks_beyond_resident(const Evidence&) {
  Tally tally;
  for (const int n : {8000, 10000, 12000}) {
    const int blocks = (n + 255) / 256;
    tally.add(blocks > 24, blocks, std::to_string(blocks) + " blocks at " + std::to_string(n));
  }
  return tally.judgement("computed; 24 are resident (6 on each of 4 multiprocessors):", {});
}

using Matrix = std::array<std::array<int, 3>, 3>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int l = 0; l < 3; ++l) c[i][j] += a[i][l] * b[l][j];
    }
  }
  return c;
}

Matrix transposed(const Matrix& a) {
  Matrix t{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) t[j][i] = a[i][j];
  }
  return t;
}

// A x, then the product with A^T, is A^T A x: with the operands mixed up it is A^T A^T x in the one
// exercise and D D in the other, which is the same for symmetric matrices only.
Judgement only_symmetric(const Evidence&) {
  const Matrix symmetric{{{0, 0, 0}, {0, 1, 2}, {0, 2, 4}}},
      general{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}};
  const auto right = [](const Matrix& a) { return product(transposed(a), a); };
  const bool atax_same =
      product(transposed(symmetric), transposed(symmetric)) == right(symmetric) &&
      product(transposed(general), transposed(general)) != right(general);
  const bool covariance_same = product(symmetric, symmetric) == right(symmetric) &&
                               product(general, general) != right(general);
  return judged(atax_same && covariance_same,
                "computed for a[i][j] = i j, which is symmetric, and for a matrix that is not");
}

Judgement ragged_sizes(const Evidence&) {
  bool ragged = true;
  for (const int n : {8000, 10000, 12000}) ragged &= n % 256 != 0;
  for (const int n : {1500, 2300, 3000}) ragged &= n % 16 != 0;
  return judged(ragged, "computed: 8000, 10000, 12000 by 256; 1500, 2300, 3000 by 16");
}

// The report's index of element (i, j) above the diagonal, from 0.
bool packs(std::int64_t n) {
  std::set<std::int64_t> seen;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = i + 1; j < n; ++j) seen.insert(i * n - i * (i + 1) / 2 + j - i - 1);
  }
  const std::int64_t count = n * (n - 1) / 2;
  return std::ssize(seen) == count &&
         (count == 0 || (*seen.begin() == 0 && *seen.rbegin() == count - 1));
}

Judgement one_triangle(const Evidence& e) {
  bool right = true;
  for (std::int64_t n = 1; n <= 40; ++n) right &= packs(n);
  const auto mirror = at_least(
      best_over_best(covariance_of(e, "cuda/mirror"), covariance_of(e, "cuda/tiled")), 1.5);
  return together({judged(right,
                          "computed: the index maps the n (n - 1) / 2 elements one to one, n "
                          "up to 40"),
                   mirror.judgement("mirror over tiled:", needs(e, covariance))});
}

Judgement slower_cpu(const Evidence& e) {
  const auto nanoseconds = [](double seconds, std::int64_t n) {
    return seconds * 1e9 / static_cast<double>(n * n);
  };
  const auto &small = published::convolution.front(), &large = published::convolution.back();
  const double from = nanoseconds(small.serial_s, small.n),
               to = nanoseconds(large.serial_s, large.n);
  const auto computed = judged(to > 1.1 * from, "published: " + significant(from, 3) + " to " +
                                                    significant(to, 3) + " ns per point");
  const auto serial = conv2d(e).variant("serial/plain");
  const auto sizes = serial.sizes();
  if (sizes.size() < 2) return computed;
  const auto each = [&](const Size& size) {
    return nanoseconds(serial.size(size).best()->summary().median, size[0]);
  };
  const double first = each(sizes.front()), last = each(sizes.back());
  return together(
      {computed, judged(last > 1.1 * first,
                        "here " + significant(first, 3) + " at " + place(sizes.front()) + " to " +
                            significant(last, 3) + " at " + place(sizes.back()))});
}

}  // namespace

std::vector<Claim> patras_claims() {
  return {
      {"P1", convolution, "The speedup over serial grows with the size (published 6.25 to 12.96).",
       "double, naive with 16x16: more over serial/plain at the largest size than at the smallest, "
       "and no fall on the way",
       "patras-convolution-3-speedup", convolution_grows},
      {"P2", convolution,
       "Utilization is low because of registers, and nine reads per point ask too much of memory.",
       "naive with 16x16 at the largest size below half of the roof; occupancy limited by "
       "registers; "
       "more than 4.5 of the nine reads go to memory, counted",
       "patras-convolution-5-percent-of-roof", low_utilization},
      {"P3", convolution,
       "Blocks of 32x32 are impossible, and 16x16 allow half of the occupancy at most.",
       "computed from the printed limits and 40 registers per thread; here whether naive with "
       "32x32 "
       "runs, and its occupancy with 16x16",
       "patras-convolution-4-blocks", large_blocks},
      {"P4", atax, "32 to 38 times over serial at 33 to 67 % utilization, limited by registers.",
       "double, shared with 256: at least 32x over serial/plain, below 67 % of the roof, occupancy "
       "limited by registers",
       "patras-atax-2-speedup", atax_speedup},
      {"P5", atax, "Blocks of 128, 256 and 512 are alike; below 32 they are worse.",
       "the worst of the three within 20 % of the best; smaller than 32 slower than the best",
       "patras-atax-3-blocks", atax_blocks},
      {"P6", atax, "Coalesced reads, one thread a column and not a row, have an important effect.",
       "shared, all reads coalesced, at least 1.5x naive, one thread per row in its first product",
       "patras-atax-3-blocks", atax_coalescing},
      {"P7", covariance, "Up to 90 times over serial, thanks to tiles.",
       "double: the highest speedup of tiled over serial/plain at least 90; tiled at least 1.5x "
       "naive",
       "patras-covariance-3-speedup", covariance_speedup},
      {"P8", covariance,
       "Column sums need neither shared memory nor a reduction; row sums would gain by sharing.",
       "by the same accesses in dmv: by columns shmem is not 2 % faster than coalesced; by rows "
       "warp_per_row is faster than naive_1d",
       "cslab-dmv-7-all-gflops", column_sums},
      {"P9", covariance,
       "Tiles of 8 and 32 are worse than 16, but still very much faster than serial.",
       "tile 16 of tiled faster than 8 and 32; these at least 10x over serial/plain",
       "patras-covariance-4-tiles", covariance_tiles},
  };
}

std::vector<Claim> patras_observations() {
  return {
      {"P-obs1", convolution,
       "The published times of the convolution are whole ticks of a coarse clock.",
       "published times within 0.15 of a whole number of ticks", "", clock_ticks},
      {"P-obs2", convolution, "The published convolution times probably contain the copies.",
       "published: 4 to 8 GB/s, as PCI Express; here copies take more than half of copies and "
       "kernel",
       "patras-convolution-3-speedup", copies_included},
      {"P-obs4", convolution,
       "40 registers per thread, counted by hand, are not what a compiler needs.",
       "registers of naive in the launch record below 40", "patras-convolution-4-blocks",
       hand_count},
      {"P-obs5", atax,
       "From 8000 on more blocks exist than are resident: phase 2 can read too early.",
       "computed: blocks of 256 columns against 24 resident ones", "", blocks_beyond_resident},
      {"P-obs6", atax,
       "As printed, the ATAX and covariance kernels are right for symmetric input only.",
       "computed with a symmetric and another matrix: A^T A^T for A^T A, D D for D^T D", "",
       only_symmetric},
      {"P-obs7", atax,
       "Sizes that are no multiples of the block overrun the arrays, without a check.",
       "computed from the published sizes", "", ragged_sizes},
      {"P-obs13", covariance, "The packing is right, and one triangle would halve the work.",
       "computed: the index is one to one; mirror at least 1.5x tiled", "patras-covariance-1-time",
       one_triangle},
      {"P-obs14", convolution, "Part of the growing speedup (P1) is the CPU becoming slower.",
       "serial time per point at the largest size more than 1.1x that at the smallest",
       "patras-convolution-1-time", slower_cpu},
  };
}

}  // namespace parlab
