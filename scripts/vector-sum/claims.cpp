// Claims of the report on the vector sum: RW, with divergence, compared with
// BRW, without; int.
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "claims/rule.hpp"
#include "record/published.hpp"

namespace parlab::vector_sum {
namespace {

constexpr const char* report = "vector-sum";

// The different values of a column of the report's table of
// launch shapes, ascending.
std::vector<std::int64_t> values(const std::string& column) {
  std::set<std::int64_t> found;
  for (const auto& row : published("vector-sum-times")) {
    found.insert(std::llround(row.number(column)));
  }
  return {found.begin(), found.end()};
}
// The report's sizes: 32768 to 262144 elements, blocks of 32, 128, 256 and
// 1024.
std::vector<std::int64_t> sizes() {
  return values("n");
}
std::vector<std::int64_t> blocks() {
  return values("block_size");
}

Selection sums(const Evidence& e) {
  return e.timed("vector_sum", Dtype::i32);
}

const Record* shape(const Evidence& e, bool brw, std::int64_t n,
                    std::int64_t block) {
  return sums(e)
      .variant(brw ? "cuda/brw" : "cuda/rw")
      .size({n})
      .with("block", block)
      .best();
}

std::string where(std::int64_t n, std::int64_t block) {
  return std::to_string(n) + " block " + std::to_string(block);
}

// Both kernels at every launch shape of the report that has both.
void each_pair(
    const Evidence& e,
    const std::function<void(const Record& rw, const Record& brw,
                             std::int64_t n, std::int64_t block)>& f) {
  for (const auto n : sizes()) {
    for (const auto block : blocks()) {
      const auto *rw = shape(e, false, n, block),
                 *brw = shape(e, true, n, block);
      if (rw != nullptr && brw != nullptr) f(*rw, *brw, n, block);
    }
  }
}

// ---- means over the four block sizes, as in the report ---------------------

// nullopt unless all four are there.
std::optional<Uncertain> mean_time(const Evidence& e, bool brw,
                                   std::int64_t n) {
  std::vector<Uncertain> times;
  for (const auto block : blocks()) {
    const auto* record = shape(e, brw, n, block);
    if (record == nullptr) return std::nullopt;
    times.push_back(record->summary().estimate);
  }
  return mean_of(times);
}

// ---- accesses, counted as the kernels make them -----------------------------

struct Accesses {
  double additions = 0, reads = 0, writes = 0;
};

// For a whole sum: an addition reads two elements and writes one; a block reads
// its sum once more and writes it for the next launch.
Accesses accesses(std::int64_t n, std::int64_t block, bool brw) {
  Accesses total;
  total.additions = static_cast<double>(n - 1);
  for (std::int64_t left = n; left > 1;) {
    left = (left + block * (brw ? 2 : 1) - 1) / (block * (brw ? 2 : 1));
    total.reads += static_cast<double>(left);
  }
  total.writes = total.additions + total.reads;
  total.reads += 2 * total.additions;
  return total;
}

double cgma(std::int64_t n, std::int64_t block, bool brw) {
  const auto a = accesses(n, block, brw);
  return a.additions / (a.reads + a.writes);
}

std::optional<double> sectors(const Record& record) {
  const auto loads = counter(record, "global_load_sectors"),
             stores = counter(record, "global_store_sectors");
  if (!loads || !stores || *loads + *stores <= 0) return std::nullopt;
  return *loads + *stores;
}

// The report's measure: its theoretical reads and writes over the
// transactions, here sectors.
std::optional<double> coalescing(const Record& record, std::int64_t n,
                                 bool brw) {
  const auto count = sectors(record);
  if (!count) return std::nullopt;
  return (brw ? 1.5 : 3.0) * static_cast<double>(n) / *count;
}

// ---- V1 .. V4: times --------------------------------------------------------

Judgement brw_wins(const Evidence& e) {
  Tally time, mean, fewer, uniform;
  each_pair(e, [&](const Record& rw, const Record& brw, std::int64_t n,
                   std::int64_t block) {
    const auto ratio = gain(brw, rw);
    time.add(faster(ratio), ratio, where(n, block));
    const auto more = sectors(rw), less = sectors(brw);
    if (more && less) {
      fewer.add(*less < *more, *more / *less,
                times(*more / *less) + " at " + where(n, block));
    }
    const auto a = counter(rw, "branch_uniformity"),
               b = counter(brw, "branch_uniformity");
    if (a && b)
      uniform.add(*b > *a, *b - *a,
                  in_percent(*b) + " against " + in_percent(*a) + " at " +
                      where(n, block));
  });
  for (const auto n : sizes()) {
    const auto rw = mean_time(e, false, n), brw = mean_time(e, true, n);
    if (!rw || !brw) continue;
    const auto times = ratio(*rw, *brw);
    mean.add(faster(times, 2), times, std::to_string(n));
  }
  if (time.empty()) return needs(e, report);
  return together(
      {mean.judgement("means over block sizes:", needs(e, report)),
       time.judgement("shape by shape", needs(e, report)),
       fewer.judgement("sectors of RW over BRW", needs_counters(e, report)),
       uniform.judgement("uniform branches", needs_counters(e, report))});
}

Judgement gpu_beats_cpu(const Evidence& e) {
  std::vector<Judgement> parts;
  for (const bool brw : {false, true}) {
    const std::string method = brw ? "BRW" : "RW";
    Tally wins;
    std::vector<Ratio> ratios;
    for (const auto n : sizes()) {
      const auto* serial = sums(e).backend("serial").size({n}).best();
      const auto mean = mean_time(e, brw, n);
      if (serial == nullptr || !mean) continue;
      ratios.push_back(ratio(serial->summary().estimate, *mean));
      wins.add(faster(ratios.back()), ratios.back(), std::to_string(n));
    }
    parts.push_back(wins.judgement(method + " over serial:", needs(e, report)));
    if (ratios.size() < 2) continue;
    parts.push_back(
        judged(ratios.back().interval.low > ratios.front().interval.high,
               method + " gains from " + with_interval(ratios.front()) +
                   " to " + with_interval(ratios.back())));
  }
  return together(parts);
}

// The times at the four block sizes.
Text row(const std::vector<const Record*>& records) {
  Text text;
  for (const auto* record : records)
    text += Text(text.empty() ? "" : ", ") + time_of(*record);
  return text;
}

// Empty unless all four block sizes are there.
std::vector<const Record*> by_block(const Evidence& e, bool brw,
                                    std::int64_t n) {
  std::vector<const Record*> records;
  for (const auto block : blocks()) {
    if (const auto* record = shape(e, brw, n, block)) records.push_back(record);
  }
  if (records.size() < blocks().size()) records.clear();
  return records;
}

// How often the smaller of two neighbouring block sizes is faster.
int rising(const std::vector<const Record*>& records) {
  int count = 0;
  for (std::size_t i = 1; i < records.size(); ++i)
    count += faster(gain(*records[i - 1], *records[i]));
  return count;
}

Judgement more_blocks_are_faster(const Evidence& e) {
  Tally tally;
  for (const auto n : sizes()) {
    const auto records = by_block(e, false, n);
    if (records.empty()) continue;
    tally.add(rising(records) == std::ssize(records) - 1,
              static_cast<double>(n),
              row(records) + " at " + std::to_string(n));
  }
  return tally.judgement("RW with blocks of 32, 128, 256, 1024:",
                         needs(e, report));
}

Judgement balanced_shapes(const Evidence& e) {
  Tally balanced;
  int smaller = 0, pairs = 0;
  for (const auto n : sizes()) {
    for (const bool brw : {false, true}) {
      const auto records = by_block(e, brw, n);
      if (records.empty()) continue;
      smaller += rising(records);
      pairs += static_cast<int>(records.size()) - 1;
      if (!brw || n > 65536) continue;
      const auto* middle =
          records[1]->summary().median < records[2]->summary().median
              ? records[1]
              : records[2];
      balanced.add(
          both(no_faster(gain(*records[0], *middle), margin_of_no_difference),
               no_faster(gain(*records[3], *middle), margin_of_no_difference)),
          static_cast<double>(n), row(records) + " at " + std::to_string(n));
    }
  }
  if (pairs == 0) return needs(e, report);
  return together(
      {balanced.judgement("BRW with blocks of 32, 128, 256, 1024:",
                          needs(e, report)),
       judged(2 * smaller > pairs,
              "more blocks are faster in " + std::to_string(smaller) + " of " +
                  std::to_string(pairs) + " steps of both kernels")});
}

// ---- V5 .. V8: counters -----------------------------------------------------

// Whether block 32 has the highest (or with `lowest` the lowest) measure of its
// group, for each kernel and n.
Tally block_32(const Evidence& e, bool lowest) {
  Tally tally;
  for (const auto n : sizes()) {
    for (const bool brw : {false, true}) {
      const auto records = by_block(e, brw, n);
      std::vector<double> measures;
      for (const auto* record : records) {
        if (const auto measure = coalescing(*record, n, brw))
          measures.push_back(*measure);
      }
      if (measures.size() < blocks().size()) continue;
      const auto others =
          std::minmax_element(measures.begin() + 1, measures.end());
      const bool held =
          lowest ? measures[0] < *others.first : measures[0] > *others.second;
      tally.add(held, measures[0] / *others.second,
                number(measures[0]) + " against " + number(*others.first) +
                    ".." + number(*others.second) + " (" +
                    (brw ? "BRW " : "RW ") + std::to_string(n) + ")");
    }
  }
  return tally;
}

Judgement coalescing_measure(const Evidence& e) {
  Tally better;
  each_pair(e, [&](const Record& rw, const Record& brw, std::int64_t n,
                   std::int64_t block) {
    const auto a = coalescing(rw, n, false), b = coalescing(brw, n, true);
    if (!a || !b) return;
    better.add(
        *b > *a, *b / *a,
        number(*b) + " against " + number(*a) + " at " + where(n, block));
  });
  return together({better.judgement("BRW against RW, in sectors:",
                                    needs_counters(e, report)),
                   block_32(e, false).judgement("block 32 for the others",
                                                needs_counters(e, report))});
}

Judgement fewer_transactions(const Evidence& e) {
  Tally tally;
  each_pair(e, [&](const Record& rw, const Record& brw, std::int64_t n,
                   std::int64_t block) {
    const auto more = sectors(rw), less = sectors(brw);
    if (!more || !less) return;
    tally.add(*more > 2 * *less, *more / *less,
              times(*more / *less) + " at " + where(n, block));
  });
  const auto rw = accesses(sizes().front(), 256, false),
             brw = accesses(sizes().front(), 256, true);
  const double ratio = (brw.reads + brw.writes) / (rw.reads + rw.writes);
  const auto fewer =
      tally.judgement("sectors of RW over BRW", needs_counters(e, report));
  if (fewer.outcome == Outcome::cannot_be_tested) return fewer;
  return together(
      {fewer, judged(ratio < 0.55, "counted in the kernels, BRW makes " +
                                       times(ratio) +
                                       " the accesses of RW, not half")});
}

Judgement occupancy(const Evidence& e) {
  Tally theoretical, band;
  for (const bool brw : {false, true}) {
    for (const auto n : sizes()) {
      for (const auto block : blocks()) {
        const auto* record = shape(e, brw, n, block);
        if (record == nullptr) continue;
        const auto text = [&](double value) {
          return in_percent(value) + " at " + (brw ? "BRW " : "RW ") +
                 where(n, block);
        };
        const double expected = block == 32 ? 0.5 : 1,
                     most = record->launch.occupancy;
        theoretical.add(std::abs(most - expected) < 0.02, most, text(most));
        if (const auto measured = counter(*record, "achieved_occupancy")) {
          band.add(*measured > 0.45 && *measured < 0.65, *measured,
                   text(*measured));
        }
      }
    }
  }
  if (theoretical.empty()) return needs(e, report);
  return together({theoretical.judgement("theoretical", needs(e, report)),
                   band.judgement("measured", needs_counters(e, report))});
}

Judgement branch_efficiency(const Evidence& e) {
  Tally rw_high, brw_high;
  each_pair(e, [&](const Record& rw, const Record& brw, std::int64_t n,
                   std::int64_t block) {
    const auto a = counter(rw, "branch_uniformity"),
               b = counter(brw, "branch_uniformity");
    if (!a || !b) return;
    rw_high.add(*a >= 0.985, *a, in_percent(*a) + " at " + where(n, block));
    brw_high.add(*b >= 0.985, *b, in_percent(*b) + " at " + where(n, block));
  });
  if (rw_high.empty()) return needs_counters(e, report);
  auto parts =
      together({rw_high.judgement("RW", {}), brw_high.judgement("BRW", {})});
  // The claim is about "both methods": a few shapes do not make it true in
  // part.
  const bool one =
      rw_high.held() == rw_high.count() || brw_high.held() == brw_high.count();
  if (!one) parts.outcome = Outcome::does_not_hold;
  return parts;
}

// ---- V9 and the digest's observations: computed -----------------------------

Judgement cgma_doubles(const Evidence&) {
  Tally tally;
  for (const auto n : sizes()) {
    const double rw = cgma(n, 256, false), brw = cgma(n, 256, true);
    tally.add(
        brw > 1.9 * rw, brw / rw,
        number(brw) + " against " + number(rw) + " at " + std::to_string(n));
  }
  return by_construction(
      tally.judgement("computed, block 256, BRW against RW:", {}));
}

Judgement cgma_alike(const Evidence&) {
  Tally tally;
  for (const auto n : sizes()) {
    for (const auto block : blocks()) {
      const double rw = cgma(n, block, false), brw = cgma(n, block, true);
      const double off =
          std::max(std::abs(rw - 1.0 / 3), std::abs(brw - 1.0 / 3));
      tally.add(off < 0.01, off,
                number(brw) + " and " + number(rw) + " at " + where(n, block));
    }
  }
  return by_construction(tally.judgement("computed, BRW and RW", {}));
}

bool is_brw(const PublishedRow& shape) {
  return shape.text("method") == "BRW";
}
int launches_of(const PublishedRow& shape) {
  return shape.number("grid_blocks") > 1024 ? 3 : 2;
}

// Growth of the published time per doubling of n: largest factor less smallest.
double spread(const std::vector<double>& times) {
  double least = 1e300, most = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    least = std::min(least, times[i] / times[i - 1]);
    most = std::max(most, times[i] / times[i - 1]);
  }
  return most - least;
}

Judgement times_per_launch(const Evidence&) {
  Tally tally;
  for (const bool brw : {false, true}) {
    for (const auto block : blocks()) {
      std::vector<double> printed, whole;
      bool third = false;
      for (const auto& shape : published("vector-sum-times")) {
        if (is_brw(shape) != brw || shape.number("block_size") != block)
          continue;
        third |= launches_of(shape) == 3;
        printed.push_back(shape.number("time_ms"));
        whole.push_back(printed.back() * launches_of(shape));
      }
      if (!third) continue;
      tally.add(spread(whole) < spread(printed), spread(printed),
                number(spread(printed)) + " and " + number(spread(whole)) +
                    " against " + (brw ? "BRW " : "RW ") +
                    std::to_string(block));
    }
  }
  return by_construction(tally.judgement(
      "computed; spread of the factors, as printed and times launches:", {}));
}

Judgement artefact_of_block_32(const Evidence& e) {
  Tally computed;
  for (const bool brw : {false, true}) {
    double at_32 = 0, least = 1e300;
    for (const auto& shape : published("vector-sum-transactions")) {
      if (is_brw(shape) != brw || shape.number("n") != sizes().front())
        continue;
      const double measure = shape.number("accesses_per_transaction");
      if (shape.number("block_size") == 32)
        at_32 = measure;
      else
        least = std::min(least, measure);
    }
    computed.add(at_32 < least, at_32,
                 number(at_32) + " against " + number(least) +
                     (brw ? " (BRW)" : " (RW)"));
  }
  return supported(
      by_construction(computed.judgement(
          "published at 32768, block 32 for the least of the others:", {})),
      {block_32(e, true).judgement("here", {})});
}

Judgement real_measure(const Evidence& e) {
  Tally tally;
  each_pair(e, [&](const Record& rw, const Record& brw, std::int64_t n,
                   std::int64_t block) {
    const auto more = sectors(rw), less = sectors(brw);
    if (!more || !less) return;
    const auto a = accesses(n, block, false), b = accesses(n, block, true);
    const double ours = (b.reads + b.writes) / *less,
                 theirs = (a.reads + a.writes) / *more;
    tally.add(
        ours > 2.5 * theirs, ours / theirs,
        number(ours) + " for " + number(theirs) + " at " + where(n, block));
  });
  return tally.judgement("BRW against RW", needs_counters(e, report));
}

Judgement impossible_occupancy(const Evidence& e) {
  int beyond = 0;
  for (const auto& shape : published("vector-sum-occupancy")) {
    beyond += shape.number("block_size") == 32 &&
              shape.number("measured_occupancy_percent") > 50;
  }
  Tally here;
  for (const auto* record : sums(e).backend("cuda").counted()) {
    const auto measured = counter(*record, "achieved_occupancy");
    if (!measured || record->launch.occupancy <= 0) continue;
    here.add(*measured <= record->launch.occupancy, *measured,
             in_percent(*measured) + " of " +
                 in_percent(record->launch.occupancy) + " at " +
                 setting(*record));
  }
  return supported(
      by_construction(beyond == 6, "published: " + std::to_string(beyond) +
                                       " of 8 rows of block 32 above 50 %"),
      {here.judgement("here never more than is possible,", {})});
}

const Claims announced(
    4,
    {
        {"V1", report,
         "BRW is clearly faster than RW, and better in every metric.",
         "the mean over the four block sizes at least 2 times at every n; "
         "faster at "
         "every shape; fewer "
         "sectors; more uniform branches",
         "vector-sum-2-rw-brw", brw_wins},
        {"V2", report,
         "Both GPU kernels beat the sequential sum, and the gain grows with n.",
         "the mean over the four block sizes faster than serial at every n; "
         "the gain at the "
         "largest "
         "n "
         "above that at the smallest",
         "vector-sum-7-speedup", gpu_beats_cpu},
        {"V3", report, "RW: more and smaller blocks mean less time.",
         "at each n every step to a larger block is slower",
         "vector-sum-4-rw-blocks", more_blocks_are_faster},
        {"V4", report,
         "BRW: up to 64K shapes with about as many blocks as threads are "
         "fastest; else more blocks "
         "mostly are.",
         "at 32768 and 65536 block 128 or 256 is fastest or ties; most steps "
         "to a larger block are "
         "slower",
         "vector-sum-5-brw-blocks", balanced_shapes},
        {"V5", report,
         "The coalescing measure is higher for BRW, and block 32 always "
         "improves it.",
         "the report's reads and writes over counted sectors: BRW above RW at "
         "every shape; block "
         "32 "
         "above all other blocks",
         "", coalescing_measure},
        {"V6", report,
         "BRW has less than half the transactions, with half the reads and "
         "writes.",
         "sectors of RW more than 2 times those of BRW at every shape; "
         "accesses "
         "counted in the kernels",
         "", fewer_transactions},
        {"V7", report,
         "Measured occupancy is 50 to 60 % where 50 % (block 32) or 100 % is "
         "possible.",
         "theoretical 50 % and 100 % as said; measured between 45 and 65 %", "",
         occupancy},
        {"V8", report, "Branch efficiency is 99 to 100 % for both kernels.",
         "branches that all threads of a warp take the same way, at least 98.5 "
         "% at every shape",
         "", branch_efficiency},
        {"V9", report,
         "The operations per access (CGMA) of BRW are twice those of RW.",
         "computed: additions over the reads and writes that the kernels make; "
         "BRW at least 1.9 times",
         "", cgma_doubles},
        {"V-obs3", report,
         "The published times are very probably means over the launches of a "
         "sum.",
         "published times times launches grow more evenly with n than as "
         "printed, wherever a third "
         "launch comes in",
         "vector-sum-4-rw-blocks", times_per_launch},
        {"V-obs4", report,
         "That block 32 improves the measure (V5) comes from dividing by 3 "
         "launches.",
         "published at 32768, with two launches, block 32 is the lowest; here "
         "for whole sums",
         "", artefact_of_block_32},
        {"V-obs5", report, "CGMA is about 1/3 for both kernels.",
         "computed: within 0.01 of 1/3 at every shape", "", cgma_alike},
        {"V-obs6", report,
         "With real accesses and whole sums BRW coalesces about 3 times "
         "better.",
         "accesses the kernels make over counted sectors: BRW at least 2.5 "
         "times RW "
         "at every shape",
         "", real_measure},
        {"V-obs9", report,
         "Measured occupancy exceeds what is possible in six of eight rows.",
         "published rows of block 32 above 50 %; here measured against "
         "theoretical",
         "", impossible_occupancy},
    });

}  // namespace
}  // namespace parlab::vector_sum
