// Claims of the report on the tiled matrix product: one tile of C per block
// compared with several; int.
#include <cmath>
#include <map>
#include <string>

#include "claims/rule.hpp"
#include "record/published.hpp"

namespace parlab::tiled_matmul {
namespace {

constexpr const char* report = "tiled-matmul";

Selection products(const Evidence& e, Dtype dtype) {
  return e.timed("matmul", dtype);
}

std::string where(const Record& record) {
  return place(record.size) + " tile " +
         std::to_string(record.tunables["tile"]);
}

// The kernel with this many tiles of C per block, at the size and tile width of
// another record; with one tile it is the report's "tile normal".
const Record* with_tiles(const Selection& all, const Record& like,
                         std::int64_t tiles) {
  const auto same = all.size(like.size).with("tile", like.tunables["tile"]);
  return tiles == 1 ? same.variant("cuda/tiled").best()
                    : same.variant("cuda/granularity")
                          .with("granularity", tiles)
                          .best();
}

// Compares two numbers of tiles per block, at every size and tile width that
// has both.
Tally more_tiles(const Selection& all, std::int64_t tiles, std::int64_t fewer) {
  Tally tally;
  for (const auto* one : all.variant("cuda/tiled")) {
    const auto *a = with_tiles(all, *one, tiles),
               *b = with_tiles(all, *one, fewer);
    if (a == nullptr || b == nullptr) continue;
    const auto ratio = gain(*a, *b);
    tally.add(faster(ratio), ratio, where(*one));
  }
  return tally;
}

// ---- T1 ---------------------------------------------------------------------

Judgement fewer_accesses(const Evidence& e) {
  const auto counted = products(e, Dtype::f32).counted();
  Tally tally;
  for (const auto* one : counted.variant("cuda/tiled")) {
    const auto* two = with_tiles(counted, *one, 2);
    if (two == nullptr) continue;
    const auto a = counter(*two, "global_load_sectors"),
               b = counter(*one, "global_load_sectors");
    if (!a || !b || *b <= 0) continue;
    tally.add(*a / *b > 0.72 && *a / *b < 0.78, *a / *b,
              number(*a / *b) + " of the sectors at " + where(*one));
  }
  return supported(
      by_construction(true, "computed: 3 tiles for 4, 0.75 of the loads"),
      {tally.judgement("counted:", {})});
}

// ---- T2 .. T4 ---------------------------------------------------------------

struct Times {
  double one = 0, two = 0;  // tiles per block
};

std::map<std::int64_t, Times> published_times() {
  std::map<std::int64_t, Times> times;
  for (const auto& row : published("tiled-matmul-times")) {
    auto& at = times[std::llround(row.number("n"))];
    (row.text("variant") == "tile_normal" ? at.one : at.two) =
        row.number("time_ms");
  }
  return times;
}

Judgement granularity_wins(const Evidence& e) {
  auto judgement = more_tiles(products(e, Dtype::i32), 2, 1)
                       .judgement("here", needs(e, report));
  if (judgement.numbers.empty()) return judgement;
  Text theirs;
  for (const auto& [n, time] : published_times()) {
    theirs += times(time.one / time.two) + " at " + std::to_string(n) + ", ";
  }
  judgement.numbers = "2 tiles over 1: published " + theirs + judgement.numbers;
  return judgement;
}

Judgement resources(const Evidence& e) {
  const auto all = products(e, Dtype::i32);
  Tally registers, shared, warps, filled;
  for (const auto* one : all.variant("cuda/tiled")) {
    const auto* two = with_tiles(all, *one, 2);
    if (two == nullptr) continue;
    const auto add = [&](Tally& tally, bool held, std::int64_t ours,
                         std::int64_t theirs) {
      tally.add(held, static_cast<double>(ours),
                std::to_string(ours) + " against " + std::to_string(theirs) +
                    " at " + where(*one));
    };
    const auto &a = two->launch, &b = one->launch;
    add(registers, a.registers > b.registers, a.registers, b.registers);
    add(shared, a.shared_bytes > b.shared_bytes, a.shared_bytes,
        b.shared_bytes);
    add(warps, a.active_warps < b.active_warps, a.active_warps, b.active_warps);
  }
  const auto sizes = all.variant("cuda/granularity").sizes();
  for (const auto* small :
       all.variant("cuda/tiled").size(sizes.empty() ? Size{} : sizes.front())) {
    const auto* large = all.variant("cuda/tiled")
                            .size(sizes.back())
                            .with("tile", small->tunables["tile"])
                            .best();
    const auto* four = with_tiles(all, *small, 4);
    const auto* large_four =
        large == nullptr ? nullptr : with_tiles(all, *large, 4);
    if (large == small || four == nullptr || large_four == nullptr) continue;
    const auto at_small = gain(*four, *small),
               at_large = gain(*large_four, *large);
    filled.add(at_small.interval.high < at_large.interval.low, at_small.value,
               with_interval(at_small) + " against " + with_interval(at_large) +
                   " with tile " + std::to_string(small->tunables["tile"]));
  }
  return together(
      {registers.judgement("registers", needs(e, report)),
       shared.judgement("shared bytes", needs(e, report)),
       warps.judgement("active warps", needs(e, report)),
       filled.judgement(
           "gain of 4 tiles at the smallest size for that at the largest:",
           needs(e, report))});
}

Judgement four_tiles(const Evidence& e) {
  const auto all = products(e, Dtype::i32);
  return together(
      {more_tiles(all, 2, 1).judgement("2 tiles over 1:", needs(e, report)),
       more_tiles(all, 4, 2).judgement("4 over 2:", needs(e, report))});
}

// ---- T5 ---------------------------------------------------------------------

std::int64_t threads_of(const Record& record) {
  std::int64_t count = 1;
  for (const auto extent : record.launch.grid)
    count *= extent;
  for (const auto extent : record.launch.block)
    count *= extent;
  return count;
}

Judgement fewer_threads(const Evidence& e) {
  const auto all = products(e, Dtype::f32);
  const auto granularity = all.variant("cuda/granularity");
  const std::vector<Selection> ladder{
      all.variant("cuda/tiled"), granularity.with("granularity", 2),
      granularity.with("granularity", 4), all.variant("cuda/register")};
  Tally tally;
  for (const auto& size : ladder.front().sizes()) {
    for (std::size_t rung = 1; rung < ladder.size(); ++rung) {
      const auto *more = ladder[rung - 1].size(size).best(),
                 *fewer = ladder[rung].size(size).best();
      if (more == nullptr || fewer == nullptr ||
          threads_of(*fewer) >= threads_of(*more))
        continue;
      const auto ratio = gain(*fewer, *more);
      const double share = static_cast<double>(threads_of(*fewer)) /
                           static_cast<double>(threads_of(*more));
      tally.add(faster(ratio), ratio,
                place(size) + " by " + fewer->variant + " with " +
                    number(share) + " of the threads");
    }
  }
  return tally.judgement("", needs(e, report));
}

// ---- the digest's observations ----------------------------------------------

Judgement tails(const Evidence&) {
  return by_construction(
      1000 % 16 != 0 && 1000 % 32 != 0 && 2000 % 16 == 0 && 2000 % 32 != 0,
      "computed: 1000 is 62.5 tiles of 16 or 31.25 of 32, 2000 is 62.5 of 32");
}

Judgement less_than_eight(const Evidence& e) {
  const auto theirs = published_times();
  const auto &small = theirs.at(1000), &large = theirs.at(2000);
  const double normal = large.one / small.one, two = large.two / small.two;
  const auto computed = by_construction(
      normal < 8 && two < 8, "published: " + number(normal) + " (one tile), " +
                                 number(two) + " (two)");
  Tally here;
  const auto all = products(e, Dtype::i32);
  for (const auto* variant : {"cuda/tiled", "cuda/granularity"}) {
    const auto *a = all.variant(variant).size({1000, 1000, 1000}).best(),
               *b = all.variant(variant).size({2000, 2000, 2000}).best();
    if (a == nullptr || b == nullptr) continue;
    const auto ratio = gain(*a, *b);
    here.add(ratio.interval.high < 8, ratio.value,
             number(ratio.value) + " " + variant);
  }
  return supported(computed, {here.judgement("here, at their best:", {})});
}

const Claims announced(
    5,
    {
        {"T1", report,
         "Two tiles of C per block save a quarter of the accesses to global "
         "memory.",
         "computed: three tiles are loaded instead of four; sectors loaded, "
         "counted, of "
         "granularity "
         "2 "
         "for tiled",
         "tiled-matmul-3-granularity", fewer_accesses},
        {"T2", report, "Two tiles per block are faster than one.",
         "int: granularity 2 faster than tiled of the same tile width",
         "tiled-matmul-3-granularity", granularity_wins},
        {"T3", report,
         "It needs more registers and shared memory: fewer blocks may fit, "
         "small matrices may not "
         "fill "
         "the GPU.",
         "int, granularity 2 against tiled: more registers, more shared "
         "memory, fewer active "
         "warps; "
         "granularity 4 gains less at the smallest size than at the largest",
         "tiled-matmul-3-granularity", resources},
        {"T4", report, "Up to 4 tiles side by side improve the performance.",
         "int: granularity 2 faster than tiled, 4 faster than 2, at every size "
         "and tile width",
         "tiled-matmul-3-granularity", four_tiles},
        {"T5", report, "Fewer threads with more work each are better.",
         "float, best tunables: from tiled to granularity 2, 4 and register "
         "each step, with fewer "
         "threads, is faster",
         "tiled-matmul-2-gflops", fewer_threads},
        {"T-obs3", report,
         "The sizes are no multiples of the tile widths: tails are lost or "
         "overrun.",
         "computed from 1000 and 2000 and widths of 16 and 32", "", tails},
        {"T-obs5", report,
         "From 1000 to 2000 time grows less than the work: 1000 fills the GPU "
         "badly.",
         "the ratio of the times is below 8, published and here",
         "tiled-matmul-1-time", less_than_eight},
    });

}  // namespace
}  // namespace parlab::tiled_matmul
