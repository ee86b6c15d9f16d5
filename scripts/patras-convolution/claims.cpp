// Claims of the first of three exercises in double: a 3x3 convolution.
#include <algorithm>
#include <cmath>

#include "claims/rule.hpp"
#include "record/published.hpp"

namespace parlab::patras_convolution {
namespace {

constexpr const char* report = "patras-convolution";
const TunableValues block_16x16{{"block_x", 16}, {"block_y", 16}};
const TunableValues block_32x32{{"block_x", 32}, {"block_y", 32}};

const std::string table = "patras-cuda-convolution";

Selection conv2d(const Evidence& e) {
  return in_range_of(table, e.timed("conv2d", Dtype::f64));
}
// The report's kernel as the report launched it.
Selection naive(const Evidence& e) {
  return conv2d(e).variant("cuda/naive").with(block_16x16);
}

// ---- P1 .. P3: convolution --------------------------------------------------

// The report's rows of one of its two variants.
std::vector<PublishedRow> published_of(const std::string& variant) {
  auto rows = published(table);
  std::erase_if(rows, [&](const PublishedRow& row) {
    return row.text("variant") != variant;
  });
  return rows;
}

// By the interval of their ratio, since their own intervals may overlap
// nonetheless.
std::optional<bool> grows(const Ratio& first, const Ratio& last) {
  const auto half_width = [](const Ratio& ratio) {
    return std::log(ratio.interval.high / ratio.interval.low) / 2;
  };
  const double growth = last.value / first.value;
  const double factor =
      std::exp(std::hypot(half_width(first), half_width(last)));
  const Ratio over{growth, {growth / factor, growth * factor}};
  if (above(over, 1)) return true;
  return at_most_within(over, margin_of_no_difference) ? std::optional(false)
                                                       : std::nullopt;
}

Judgement convolution_grows(const Evidence& e) {
  const auto found =
      best_over_best(naive(e), conv2d(e).variant("serial/plain"));
  if (found.size() < 2) return needs(e, report);
  Tally steps;
  for (std::size_t i = 1; i < found.size(); ++i) {
    const auto &before = found[i - 1].ratio, &after = found[i].ratio;
    steps.add(after.interval.high >= before.interval.low, after.value,
              times(after.value) + " at " + place(found[i].size));
  }
  const auto &first = found.front(), &last = found.back();
  const auto theirs = published_of("cuda");
  const auto grown = grows(first.ratio, last.ratio);
  const auto growth = judged(
      grown, "published " + theirs.front().text("speedup") + " to " +
                 theirs.back().text("speedup") + ", here " +
                 with_interval(first.ratio) + " at " + place(first.size) +
                 ", " + with_interval(last.ratio) + " at " + place(last.size) +
                 (grown == false ? ": no growth" : ""));
  if (growth.outcome == Outcome::does_not_hold) return growth;
  return together(
      {growth, steps.judgement("no fall beyond the intervals:", {})});
}

Judgement low_utilization(const Evidence& e) {
  const auto sizes = naive(e).sizes();
  if (sizes.empty()) return needs(e, report);
  const auto& record = *naive(e).size(sizes.back()).best();
  const double of_roof = record.roof_s / record.summary().median;
  const auto effect =
      judged(of_roof < 0.5,
             in_percent(of_roof) + " of the roof at " + place(record.size));
  const auto& launch = record.launch;
  const auto registers =
      judged(launch.occupancy < 1 && launch.limited_by == "registers",
             std::to_string(launch.registers) + " registers, occupancy " +
                 in_percent(launch.occupancy) +
                 (launch.occupancy < 1 ? ", limited by " + launch.limited_by
                                       : ", which nothing limits"));
  Tally reads;
  for (const auto* counted : naive(e).counted()) {
    const auto bytes = counter(*counted, "dram_read_bytes");
    if (!bytes) continue;
    const double each =
        *bytes / static_cast<double>(counted->size[0] * counted->size[1]) / 8;
    reads.add(each > 4.5, each,
              number(each) + " reads per point from memory at " +
                  place(counted->size));
  }
  return together(
      {effect, registers, reads.judgement("", needs_counters(e, report))});
}

// A limit of the report's card.
int limit(const std::string& name) {
  for (const auto& row : published("patras-cuda-device-limits")) {
    if (row.text("limit") == name) return static_cast<int>(row.number("value"));
  }
  throw UsageError("patras-cuda-device-limits.csv has no limit " + name);
}

Judgement large_blocks(const Evidence& e) {
  constexpr int counted_by_hand = 40, large = counted_by_hand * 32 * 32;
  const int registers = limit("registers_per_multiprocessor");
  const int most_warps = limit("max_warps_per_multiprocessor");
  const int fit = registers / (counted_by_hand * 16 * 16),
            warps = fit * 16 * 16 / 32;
  const auto computed = by_construction(
      large > registers && 2 * warps == most_warps,
      "computed for that card: 32x32 needs " + std::to_string(large) + " of " +
          std::to_string(registers) + " registers, 16x16 leaves " +
          std::to_string(warps) + " of " + std::to_string(most_warps) +
          " warps");
  std::vector<Judgement> here;
  const auto tried =
      e.tried("conv2d", Dtype::f64).variant("cuda/naive").with(block_32x32);
  if (!tried.empty()) {
    const auto runs = [](const Record* r) {
      return r->verdict == Verdict::passed;
    };
    const bool some = std::any_of(tried.begin(), tried.end(), runs);
    here.push_back(judged(
        !some, std::string("here 32x32 ") + (some ? "runs" : "does not run")));
  }
  if (const auto* record = naive(e).best()) {
    here.push_back(judged(
        record->launch.occupancy <= 0.5,
        "here 16x16 allows " + in_percent(record->launch.occupancy) + " with " +
            std::to_string(record->launch.registers) + " registers"));
  }
  return supported(computed, here);
}

// ---- the digest's observations ----------------------------------------------

Judgement clock_ticks(const Evidence&) {
  Tally tally;
  for (const auto& row : published_of("cuda")) {
    const double ticks = row.number("time_s") / 0.015625;
    tally.add(std::abs(ticks - std::round(ticks)) < 0.15, ticks,
              number(ticks) + " at " + row.text("rows"));
  }
  return by_construction(
      tally.judgement("published times in ticks of 15.625 ms:", {}));
}

Judgement copies_included(const Evidence& e) {
  Tally published_rate, here;
  for (const auto& row : published_of("cuda")) {
    const double rate =
        16e-9 * std::pow(row.number("rows"), 2) / row.number("time_s");
    published_rate.add(rate > 4 && rate < 8, rate,
                       Quantity{rate * 1e9, Unit::byte_per_second} +
                           Text(" at ") + row.text("rows"));
  }
  for (const auto* record : naive(e)) {
    if (!record->to_device_s || !record->to_host_s) continue;
    const double copies = *record->to_device_s + *record->to_host_s;
    const double share = copies / (copies + record->summary().median);
    here.add(share > 0.5, share,
             in_percent(share) + " at " + place(record->size));
  }
  return supported(by_construction(published_rate.judgement(
                       "published, read and written once:", {})),
                   {here.judgement("share of the copies here:", {})});
}

Judgement hand_count(const Evidence& e) {
  const auto* record = naive(e).best();
  if (record == nullptr) return needs(e, report);
  return judged(record->launch.registers < 40,
                "the compiler needs " +
                    std::to_string(record->launch.registers) + " registers");
}

Judgement slower_cpu(const Evidence& e) {
  const auto nanoseconds = [](double seconds, double n) {
    return seconds * 1e9 / (n * n);
  };
  const auto theirs = published_of("serial");
  const auto printed = [&](const PublishedRow& row) {
    return nanoseconds(row.number("time_s"), row.number("rows"));
  };
  const double from = printed(theirs.front()), to = printed(theirs.back());
  const auto computed =
      by_construction(to > 1.1 * from, "published: " + number(from) + " to " +
                                           number(to) + " ns per point");
  const auto serial = conv2d(e).variant("serial/plain");
  const auto sizes = serial.sizes();
  if (sizes.size() < 2) return computed;
  const auto each = [&](const Size& size) {
    return nanoseconds(serial.size(size).best()->summary().median,
                       static_cast<double>(size[0]));
  };
  const double first = each(sizes.front()), last = each(sizes.back());
  return together(
      {computed,
       judged(last > 1.1 * first,
              "here " + number(first) + " at " + place(sizes.front()) + " to " +
                  number(last) + " at " + place(sizes.back()))});
}

const Claims announced(
    1,
    {
        {"P1", report, "The speedup over serial grows with the size.",
         "double, naive with 16x16: more over serial/plain at the largest size "
         "than at the "
         "smallest, "
         "and no fall on the way",
         "patras-convolution-3-speedup", convolution_grows},
        {"P2", report,
         "Utilization is low because of registers, and nine reads per point "
         "ask too much of "
         "memory.",
         "naive with 16x16 at the largest size below half of the roof; "
         "occupancy limited by "
         "registers; "
         "more than 4.5 of the nine reads go to memory, counted",
         "patras-convolution-5-percent-of-roof", low_utilization},
        {"P3", report,
         "Blocks of 32x32 are impossible, and 16x16 allow half of the "
         "occupancy at most.",
         "computed from the printed limits and 40 registers per thread; here "
         "whether naive with "
         "32x32 "
         "runs, and its occupancy with 16x16",
         "patras-convolution-4-blocks", large_blocks},
        {"P-obs1", report,
         "The published times of the convolution are whole ticks of a coarse "
         "clock.",
         "published times within 0.15 of a whole number of ticks", "",
         clock_ticks},
        {"P-obs2", report,
         "The published convolution times probably contain the copies.",
         "published: 4 to 8 GB/s, as PCI Express; here copies take more than "
         "half of copies and "
         "kernel",
         "patras-convolution-3-speedup", copies_included},
        {"P-obs4", report,
         "40 registers per thread, counted by hand, are not what a compiler "
         "needs.",
         "registers of naive in the launch record below 40",
         "patras-convolution-4-blocks", hand_count},
        {"P-obs14", report,
         "Part of the growing speedup (P1) is the CPU becoming slower.",
         "serial time per point at the largest size more than 1.1 times that "
         "at the "
         "smallest",
         "patras-convolution-1-time", slower_cpu},
    });

}  // namespace
}  // namespace parlab::patras_convolution
