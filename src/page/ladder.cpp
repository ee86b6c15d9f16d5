#include <map>
#include <set>

#include "page/sections.hpp"
#include "page/words.hpp"
#include "record/speedup.hpp"
#include "render/markup.hpp"

namespace parlab::page {
namespace {

// What this rung bought over the one below it; nothing when there is
// none to compare it with.
Cell gain(const Entry& entry, const Entry* below) {
  if (below == nullptr) return {};
  const auto ratio = speedup(entry.record, below->record);
  if (ratio) return as_fast_as(*ratio, entry.record, below->record);
  const auto origin = of_two(entry.record, below->record);
  if (!origin) return {};
  return {"not compared with " + name(below->record), origin};
}

std::string idea_of(const Entry& entry) {
  if (const auto* variant = variant_of(entry.record)) return variant->idea;
  return entry.side == Side::gpu_library ? "the vendor's library" : "";
}

Rung rung_of(const Entry& entry, const Entry* below, const Entry* library,
             const std::string& roof) {
  const auto& record = entry.record;
  Rung rung{.name = setting(record),
            .time = with_interval(time_of(entry)),
            .idea = idea_of(entry),
            .gain = gain(entry, below)};
  if (const auto reached = of_roof(entry))
    rung.bars.push_back({.what = roof, .share = *reached});
  const auto over_library = library == nullptr || library == &entry
                                ? std::nullopt
                                : speedup(record, library->record);
  if (over_library) {
    rung.bars.push_back({.what = "of " + library->record.variant,
                         .share = over_library->value,
                         .framed = true});
  }
  if (reduced_arithmetic(record))
    rung.remark = "In reduced precision: not compared with full precision.";
  return rung;
}

// entries: of one dtype and one half of the machine, and not none.
Section ladder_of(const Entries& entries, bool gpu) {
  const auto rungs = ladder(of_size(entries, *ladder_size(entries)));
  const auto* library =
      best_peer(of_side(rungs, gpu ? Side::gpu_library : Side::cpu_library));
  const auto& first = rungs.front()->record;
  const auto* fastest =
      best_peer(rungs) != nullptr ? best_peer(rungs) : best(rungs);
  const auto reached = of_roof(*fastest);
  // Rungs on tensor cores have a higher roof than the others.
  std::set<std::string> units;
  for (const auto* rung : rungs)
    units.insert(rung->record.unit);
  std::map<Arithmetic, const Entry*> before;
  Ladder climbed;
  for (const auto* rung : rungs) {
    // Only with what computes alike: a library with the best that was written
    // here, a rung with the one before it.
    const auto arithmetic = rung->record.arithmetic;
    const auto* own = best(where(rungs, [&](const Entry& e) {
      return !of_library(e.side) && e.record.arithmetic == arithmetic;
    }));
    auto& last = before[arithmetic];
    const bool vendor = of_library(rung->side);
    const bool peers = !reduced_arithmetic(rung->record);
    climbed.rungs.push_back(
        rung_of(*rung, vendor ? own : last, peers ? library : nullptr,
                units.size() < 2 ? "of the roof"
                                 : "of the roof, " + rung->record.unit));
    if (!vendor) last = rung;
  }
  return {.title = std::string(gpu ? "On the GPU, " : "On the CPU, ") +
                   std::string(parlab::to_string(first.dtype)) + ", " +
                   dimensions(first),
          .says = ": " + counted(rungs.size(), "rung") + ", the fastest " +
                  name(fastest->record) + " in " +
                  Quantity{fastest->summary.median, Unit::second} +
                  (reached ? ", " + Text(share(*reached)) + " of the roof"
                           : Text()),
          .blocks = {climbed},
          .folded = true,
          .printed = true};
}

void add_both(std::vector<Block>& blocks, const Entries& entries) {
  for (const bool gpu : {true, false}) {
    const auto half = on_device(entries, gpu);
    if (!half.empty()) blocks.push_back(ladder_of(half, gpu));
  }
}

}  // namespace

Section ladders(const Entries& entries) {
  std::set<std::string> gpus;
  for (const auto* entry : entries)
    gpus.insert(entry->record.gpu);
  gpus.erase("");
  Section section{
      .id = anchor("ladder-" + entries.front()->record.workload),
      .title = "The ladder, rung by rung",
      .blocks = {Paragraph{
          .text = "The fastest setting of every variant at the largest size "
                  "most of them were measured at; what each changed, and what "
                  "that bought over the rung before it." +
                  (gpus.size() > 1 ? " " + what_of_two_means : ""),
          .small = true}}};
  const auto main = main_dtype(entries);
  add_both(section.blocks, of_dtype(entries, main));
  for (const auto dtype : dtypes(entries)) {
    if (dtype == main) continue;
    Section other{
        .title = "The ladder in " + std::string(parlab::to_string(dtype)),
        .folded = true};
    add_both(other.blocks, of_dtype(entries, dtype));
    section.blocks.push_back(other);
  }
  return section;
}

}  // namespace parlab::page
