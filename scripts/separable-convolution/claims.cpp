// Claims of the report on the separable convolution: row pass, then
// column pass; radius 16, float.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "claims/rule.hpp"
#include "record/published.hpp"

namespace parlab::separable_convolution {
namespace {

constexpr const char* report = "separable-convolution";
constexpr int radius = 16;
constexpr std::int64_t largest = 8192;

// The report's compiler flags as tunables, numbered as in gpu/cache_policy.hpp:
// none; dlcm=cg; dlcm=cs with dscm=wt.
const TunableValues normal{{"load", 0}, {"store", 0}};
const TunableValues no_l1{{"load", 2}, {"store", 0}};
const TunableValues streaming{{"load", 3}, {"store", 1}};

Selection with_radius(const Selection& all) {
  return all.where([](const Record& r) {
    return r.size.size() == 3 && r.size[2] == radius;
  });
}
Selection convsep(const Evidence& e, Dtype dtype = Dtype::f32) {
  return with_radius(e.timed("convsep", dtype));
}

TunableValues tiles(int block, int w1, int h1, int w2, int h2) {
  return {{"block_x", block}, {"block_y", block}, {"w1", w1},
          {"h1", h1},         {"w2", w2},         {"h2", h2}};
}
const TunableValues all_16 = tiles(16, 16, 16, 16, 16),
                    tall = tiles(16, 16, 16, 16, 128);

// The report's kernel without tiles: on the padded image if that was measured.
Selection global(const Evidence& e) {
  const auto padded = convsep(e).variant("cuda/padded");
  return padded.empty() ? convsep(e).variant("cuda/global") : padded;
}
Selection tiled(const Evidence& e, const TunableValues& how) {
  return convsep(e).variant("cuda/tiled").with(how);
}

const Record* at_largest(const Selection& records) {
  return records.size({largest, largest, radius}).best();
}

// ---- S1, S6: cache modes ----------------------------------------------------

Text cost(double ratio) {
  return Text(ratio >= 1 ? "+" : "-") + in_percent(std::abs(ratio - 1));
}

// The ratio of one mode's time to another's lies in a band.
Judgement costs(const Record& mode, const Record& usual, double low,
                double high, const std::string& what) {
  const auto ratio = gain(usual, mode);
  return judged(ratio.value >= low && ratio.value <= high,
                what + " " + cost(ratio.value) + " at " + place(usual.size));
}

Judgement cache_modes(const Evidence& e, const Selection& records,
                      std::array<double, 4> bands) {
  const auto *usual = at_largest(records.with(normal)),
             *first = at_largest(records.with(no_l1)),
             *second = at_largest(records.with(streaming));
  if (usual == nullptr || first == nullptr || second == nullptr)
    return needs(e, report);
  return together({costs(*first, *usual, bands[0], bands[1], "past L1"),
                   costs(*second, *usual, bands[2], bands[3],
                         "streaming, written through")});
}

Judgement nontiled_modes(const Evidence& e) {
  return cache_modes(e, global(e), {1.33, 2.3, 1.88, 4.5});
}
Judgement tiled_modes(const Evidence& e) {
  return cache_modes(e, tiled(e, all_16), {0.97, 1.03, 1.15, 1.6});
}

// ---- S2, S3, S5, S8: tiles --------------------------------------------------

Judgement best_tiles(const Evidence& e) {
  const auto all = convsep(e).variant("cuda/tiled").with(normal);
  const auto *claimed = at_largest(all.with(tall)), *best = at_largest(all);
  if (claimed == nullptr) return needs(e, report);
  const auto ahead = gain(*best, *claimed);
  return together(
      {judged(no_faster(ahead, margin_of_no_difference),
              "fastest " + name(*best) + ", over the claimed one " +
                  in_words(ahead)),
       judged(claimed->launch.occupancy < 1,
              "its kernel 2 has " + in_percent(claimed->launch.occupancy) +
                  " occupancy")});
}

Judgement small_blocks(const Evidence& e) {
  Tally tally;
  for (const int tile : {32, 64}) {
    const auto* small =
        at_largest(tiled(e, tiles(16, tile, tile, tile, tile)).with(normal));
    const auto* large =
        at_largest(tiled(e, tiles(32, tile, tile, tile, tile)).with(normal));
    if (small == nullptr || large == nullptr) continue;
    const auto ratio = gain(*small, *large);
    tally.add(faster(ratio), ratio, "tile " + std::to_string(tile));
  }
  return tally.judgement("16x16 over 32x32:", needs(e, report));
}

// Shared and constant reads per pixel relative to global ones, for a pass whose
// tile has this length in the direction of the filter.
double reuse(int tile) {
  return 2.0 * (2 * radius + 1) * tile / (tile + 2 * radius);
}

Judgement tall_tiles(const Evidence& e) {
  const auto computed =
      by_construction(std::round(reuse(16)) == 22 && reuse(128) > 2 * reuse(16),
                      "computed: ratio " + number(reuse(16)) + " with 16, " +
                          number(reuse(128)) + " with 128");
  const auto *a = at_largest(tiled(e, tall).with(normal)),
             *b = at_largest(tiled(e, all_16).with(normal));
  if (a == nullptr || b == nullptr) return computed;
  const auto ratio = gain(*a, *b);
  return together(
      {computed, judged(faster(ratio), "16x128 over 16x16 in kernel 2: " +
                                           in_words(ratio) + " at 8192")});
}

// Among the CUDA variants of one point: the fastest, and the fastest
// of those with more occupancy.
void occupancy_example(Tally& tally, const Selection& all) {
  // As on the page, reduced arithmetic does not compete with full.
  const auto kernels = all.backend("cuda").where([](const Record& r) {
    return r.launch.occupancy > 0 && r.arithmetic == Arithmetic::ieee;
  });
  const auto variants = [&](const Size& size) {
    std::set<std::string> names;
    for (const auto* record : kernels.size(size))
      names.insert(record->variant);
    return names.size();
  };
  // Larger sizes were measured for some variants only, for another question.
  std::size_t most = 0;
  auto sizes = kernels.sizes();
  for (const auto& size : sizes)
    most = std::max(most, variants(size));
  if (most < 2) return;
  while (4 * variants(sizes.back()) < 3 * most)
    sizes.pop_back();
  const auto here = kernels.size(sizes.back());
  const auto* best = here.best();
  const double occupancy = best->launch.occupancy;
  const auto more = here.where(
      [&](const Record& r) { return r.launch.occupancy > occupancy; });
  const auto less = here.where(
      [&](const Record& r) { return r.launch.occupancy < occupancy; });
  const auto text = [](const Record& r) {
    return name(r) + " " + in_percent(r.launch.occupancy);
  };
  const auto fastest =
      best->workload + " " + place(best->size) + ": " + text(*best);
  if (!more.empty()) {
    const auto ratio = gain(*best, *more.best());
    tally.add(decided(ratio) ? std::optional(true) : std::nullopt, occupancy,
              fastest + ", " + in_words(ratio) + " over " + text(*more.best()));
  } else if (!less.empty()) {  // if all are alike, nothing is learned
    tally.add(false, occupancy, fastest + ", no other has more");
  }
}

Judgement occupancy_is_not_all(const Evidence& e) {
  Tally tally;
  occupancy_example(tally, convsep(e));
  for (const auto* workload : {"matmul", "dmv"}) {
    occupancy_example(tally, e.timed(workload, Dtype::f32));
  }
  auto judgement = tally.judgement("", needs(e, report));
  // One example shows that it can happen. Without an example, it is still not
  // ruled out.
  if (tally.held() > 0) {
    judgement.outcome = Outcome::holds;
  } else if (!tally.empty()) {
    judgement = judged(std::nullopt, judgement.numbers);
  }
  return judgement;
}

// ---- S4, S7 -----------------------------------------------------------------

Judgement tiling_saves(const Evidence& e) {
  Tally tally;
  double sum = 0;
  for (const auto& [size, ratio] :
       best_over_best(tiled(e, all_16).with(normal), global(e).with(normal))) {
    if (size[0] < 128) continue;  // the report begins there
    sum += 1 - 1 / ratio.value;
    tally.add(faster(ratio), 1 - 1 / ratio.value,
              cost(1 / ratio.value) + " at " + place(size));
  }
  if (tally.empty()) return needs(e, report);
  const double mean = sum / tally.count();
  return together(
      {tally.judgement("time of tiled against padded:", {}),
       judged(mean > 0.5 && mean < 0.8, "in the mean " + cost(1 - mean))});
}

Judgement double_costs(const Evidence& e) {
  constexpr int limit = 48 << 10;
  const auto bytes = [](int tile) { return tile * (tile + 2 * radius) * 8; };
  std::vector<Judgement> parts{
      by_construction(bytes(64) == limit && bytes(128) > limit,
                      "computed: a 64x64 tile takes all of 48 KiB")};
  const auto doubles =
      with_radius(e.tried("convsep", Dtype::f64)).variant("cuda/tiled");
  const auto passed = doubles.where([](const Record& r) { return r.timed(); });
  Tally twice;
  for (const auto* record : passed) {
    const auto* same = convsep(e)
                           .variant("cuda/tiled")
                           .size(record->size)
                           .with(record->tunables)
                           .best();
    if (same == nullptr || same->launch.shared_bytes == 0) continue;
    const auto a = record->launch.shared_bytes, b = same->launch.shared_bytes;
    twice.add(a == 2 * b, static_cast<double>(a),
              std::to_string(a) + " against " + std::to_string(b) + " B (" +
                  setting(*record) + ")");
  }
  if (!twice.empty()) parts.push_back(twice.judgement("shared", {}));
  const auto big = passed.where([](const Record& r) {
    return r.tunables["w1"] * r.tunables["h1"] > 64 * 64 ||
           r.tunables["w2"] * r.tunables["h2"] > 64 * 64;
  });
  if (!big.empty())
    parts.push_back(
        judged(false, "here larger tiles run: " + name(**big.begin())));
  const auto at_8192 = doubles.size({largest, largest, radius});
  if (at_8192.empty()) {
    parts.push_back(needs(e, report));
    return together(parts);
  }
  const auto failed = [](const Record* r) {
    return r->verdict == Verdict::out_of_memory;
  };
  const bool out = std::all_of(at_8192.begin(), at_8192.end(), failed);
  parts.push_back(judged(out, std::string("8192 in double ") +
                                  (out ? "runs out of memory" : "fits here")));
  return together(parts);
}

// ---- the digest's observations ----------------------------------------------

// Seconds without tiles, by the compiler's flags.
struct Modes {
  double normal = 0, no_l1 = 0, streaming = 0;
};

std::map<std::int64_t, Modes> published_modes() {
  std::map<std::int64_t, Modes> modes;
  for (const auto& row : published("separable-convolution-nontiled-cache")) {
    auto& at = modes[std::llround(row.number("rows"))];
    const auto& flags = row.text("cache_mode");
    (flags == "default"   ? at.normal
     : flags == "dlcm_cg" ? at.no_l1
                          : at.streaming) = row.number("time_s");
  }
  return modes;
}

Judgement largest_only(const Evidence&) {
  const auto theirs = published_modes();
  const auto more = [](double time, double than) { return time / than - 1; };
  double first = 0, second = 0;
  for (const auto& [n, time] : theirs) {
    first += more(time.no_l1, time.normal) / static_cast<double>(theirs.size());
    second +=
        more(time.streaming, time.normal) / static_cast<double>(theirs.size());
  }
  const auto& last = theirs.at(largest);
  const double at_first = more(last.no_l1, last.normal),
               at_second = more(last.streaming, last.normal);
  return by_construction(
      std::abs(at_first - 0.65) < 0.02 && std::abs(at_second - 1.75) < 0.02 &&
          first < 0.6 && second < 1.6,
      "published: +" + in_percent(at_first) + " and +" + in_percent(at_second) +
          " at 8192, +" + in_percent(first) + " and +" + in_percent(second) +
          " in the mean");
}

// Time per pixel at the middle size, relative to the larger of its neighbours'.
double bump(double below, double middle, double above) {
  return middle / std::max(below, above);
}

Judgement outlier(const Evidence& e) {
  const auto pixel = [](double seconds, double n) {
    return seconds * 1e9 / (n * n);
  };
  const auto theirs = published_modes();
  std::array<double, 3> published_ns{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t n = 1024 << i;
    published_ns[i] = pixel(theirs.at(n).normal, static_cast<double>(n));
  }
  const auto text = [](const std::array<double, 3>& ns) {
    return number(ns[0]) + ", " + number(ns[1]) + ", " + number(ns[2]) +
           " ns per pixel at 1024, 2048, 4096";
  };
  const auto computed = by_construction(
      bump(published_ns[0], published_ns[1], published_ns[2]) > 1.2,
      "published " + text(published_ns));
  std::array<double, 3> ours{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t n = 1024 << i;
    const auto* record = global(e).with(normal).size({n, n, radius}).best();
    if (record == nullptr) return computed;
    ours[i] = pixel(record->summary().median, static_cast<double>(n));
  }
  return together({computed, judged(bump(ours[0], ours[1], ours[2]) < 1.2,
                                    "here " + text(ours))});
}

Judgement blocks_contradict(const Evidence&) {
  const auto& rows = published("separable-convolution-tile-sizes");
  const auto tiles_of = [](const PublishedRow& row) {
    return std::array{row.text("tile_w1"), row.text("tile_h1"),
                      row.text("tile_w2"), row.text("tile_h2")};
  };
  Tally tally;
  for (const auto& small : rows) {
    for (const auto& large : rows) {
      if (small.text("block_x") != "16" || large.text("block_x") != "32")
        continue;
      if (tiles_of(small) != tiles_of(large)) continue;
      const double ratio = small.number("time_s") / large.number("time_s");
      tally.add(ratio > 1, ratio,
                times(ratio) + " with tile " + large.text("tile_w1"));
    }
  }
  return by_construction(
      tally.judgement("published, 32x32 over 16x16 blocks:", {}));
}

Judgement double_over_float(const Evidence& e) {
  const auto doubles =
      convsep(e, Dtype::f64).variant("cuda/tiled").with(tall).with(normal);
  Tally tally;
  for (const auto* record : doubles) {
    if (record->size[0] < 1024) continue;
    const auto* same = tiled(e, tall).with(normal).size(record->size).best();
    if (same == nullptr) continue;
    const auto ratio = gain(*same, *record);
    tally.add(faster(ratio, 2), ratio, place(record->size));
  }
  return tally.judgement("double over float, in time:", needs(e, report));
}

Judgement l2_stays_on(const Evidence& e) {
  const auto* record = at_largest(global(e).with(streaming));
  const auto bandwidth = e.device_bandwidth();
  if (record == nullptr || !bandwidth) return needs(e, report);
  const double reads =
      2.0 * (2 * radius + 1) * static_cast<double>(largest * largest) * 4;
  return judged(record->summary().median < reads / *bandwidth,
                time_of(*record) + "; all reads from memory would take " +
                    Quantity{reads / *bandwidth, Unit::second});
}

Judgement double_buffers(const Evidence&) {
  const double bytes = 8.0 * static_cast<double>(largest * largest);
  return by_construction(
      3 * bytes >= 1536.0 * 1024 * 1024,
      "computed: " + Quantity{bytes, Unit::byte} + " a buffer, three are " +
          Quantity{3 * bytes, Unit::byte} + ", all of a GTX 480");
}

const Claims announced(
    2,
    {
        {"S1", report,
         "Without tiles, L1 off costs about 65 %, and L2 off too about 175 %.",
         "padded at 8192: loads past L1 cost 33 to 130 %, streaming loads with "
         "write-through "
         "stores "
         "88 "
         "to 350 %",
         "separable-convolution-1-nontiled-cache", nontiled_modes},
        {"S2", report,
         "At 8192 blocks of 16x16 with tiles of 16x16 and 16x128 are best, at "
         "67 % occupancy.",
         "no other setting of tiled is faster; occupancy of its second kernel "
         "below 100 %",
         "separable-convolution-2-tile-sizes", best_tiles},
        {"S3", report, "Blocks of 16x16 are generally faster than 32x32.",
         "tiled at 8192, tiles of 32x32 and 64x64: 16x16 faster",
         "separable-convolution-2-tile-sizes", small_blocks},
        {"S4", report, "Tiling saves about 65 % of the time.",
         "tiled with 16x16 faster than padded at every size from 128 on, and "
         "50 to 80 % saved in "
         "the "
         "mean",
         "separable-convolution-3-tiled-nontiled", tiling_saves},
        {"S5", report,
         "The ratio of shared to global reads grows with the tile along the "
         "filter.",
         "computed for tiles of 16 and 128; tiled at 8192 is faster with "
         "16x128 than with 16x16 in "
         "kernel 2",
         "separable-convolution-2-tile-sizes", tall_tiles},
        {"S6", report,
         "With tiles, L1 off changes nothing, and L2 off costs about 30 %.",
         "tiled with 16x16 at 8192: loads past L1 within 3 %, streaming loads "
         "with write-through "
         "stores cost 15 to 60 %",
         "separable-convolution-4-tiled-cache", tiled_modes},
        {"S7", report,
         "Double needs twice the shared memory, 64x64 is the largest tile, "
         "8192 does not fit.",
         "computed for 48 KiB; shared memory of the launches, larger tiles, "
         "and the verdict at "
         "8192 "
         "here",
         "separable-convolution-5-float-double", double_costs},
        {"S8", report, "Occupancy below 100 % does not rule out the best time.",
         "one example is enough: at the largest size that most variants were "
         "measured at, the fastest in full precision, here also of matmul and "
         "dmv, has less occupancy than another",
         "", occupancy_is_not_all},
        {"S-obs1", report, "S1 is true of the largest image only.",
         "computed from the published times",
         "separable-convolution-1-nontiled-cache", largest_only},
        {"S-obs2", report,
         "The published time at 2048 without tiles is an outlier.",
         "published time per pixel at 2048 more than 1.2 times that at 1024 "
         "and "
         "4096; padded here less",
         "separable-convolution-1-nontiled-cache", outlier},
        {"S-obs3", report, "S3 contradicts the report's own table.",
         "published: with equal tiles blocks of 32x32 are faster",
         "separable-convolution-2-tile-sizes", blocks_contradict},
        {"S-obs6", report, "Double costs more than its bytes.",
         "tiled with 16x16 and 16x128 from 1024 on: more than twice the time "
         "of "
         "float",
         "separable-convolution-5-float-double", double_over_float},
        {"S-obs7", report, "The compiler's flags do not switch the L2 off.",
         "padded at 8192 with streaming loads takes less time than all its "
         "reads from memory would "
         "at "
         "the measured bandwidth",
         "separable-convolution-1-nontiled-cache", l2_stays_on},
        {"S-obs8", report, "Three buffers in double at 8192 fill the GTX 480.",
         "computed", "", double_buffers},
    });

}  // namespace
}  // namespace parlab::separable_convolution
