// From one thread to all: how well they are used, and what limits them.
#include "record/speedup.hpp"

#include <algorithm>

#include "page/sections.hpp"
#include "page/words.hpp"

namespace parlab::page {
namespace {

struct Use {
  const Entry* entry;
  ThreadGain gain;
};

// The uses of each variant that was measured with one thread and with more, by
// the number of threads.
std::vector<Use> uses_at(const Measured& measured, const Entries& point) {
  std::vector<Record> alone;
  for (const auto* entry : point) {
    if (threads_of(entry->record) == 1) alone.push_back(entry->record);
  }
  std::vector<Use> uses;
  for (const auto* entry : point) {
    const auto run =
        std::ranges::find(measured.runs, entry->record.run, &Run::id);
    if (run == measured.runs.end()) continue;
    if (auto gain = gain_by_threads(entry->record, alone, *run))
      uses.push_back({entry, std::move(*gain)});
  }
  std::ranges::stable_sort(uses, {},
                           [](const Use& use) { return use.gain.threads; });
  return uses;
}

// At the largest size with all threads, those of the fastest variant there.
std::vector<Use> uses_of_fastest(const Measured& measured,
                                 const Entries& entries) {
  const auto all_sizes = sizes(entries);
  for (auto size = all_sizes.rbegin(); size != all_sizes.rend(); ++size) {
    auto uses = uses_at(measured, of_size(entries, *size));
    if (uses.empty()) continue;
    const auto fastest = std::ranges::min_element(uses, {}, [](const Use& use) {
                           return use.entry->summary.median;
                         })->entry->record.name();
    std::erase_if(uses, [&](const Use& use) {
      return use.entry->record.name() != fastest;
    });
    return uses;
  }
  return {};
}

}  // namespace

std::optional<Section> threads(const Measured& measured) {
  auto table = folded_table(
      "", {"Workload", "Threads", "Time", "Efficiency", "What limits it"});
  for (const auto& workload : measured.workloads()) {
    const auto entries = on_device(of_workload(all(measured), workload), false);
    for (const auto dtype : dtypes(entries)) {
      const auto some = of_usual_parameters(of_dtype(entries, dtype));
      for (const auto& [entry, gain] : uses_of_fastest(measured, some)) {
        const auto& [value, interval] = gain.efficiency;
        table.add({Cell(workload + ", " + entry->record.name(),
                        point_of(entry->record)),
                   gain.threads, time_of(*entry),
                   with_interval({value, Unit::fraction, interval}),
                   gain.limit    ? Text(gain.limit)
                   : gain.good() ? Text("nothing")
                                 : Text("not known")});
      }
    }
  }
  if (table.rows.empty()) return std::nullopt;
  table.title = counted(table.rows.size(), "number") + " of threads";
  return Section{
      .id = "threads",
      .title = "What do more threads gain, and what limits them?",
      .label = "What do more threads gain?",
      .blocks = {Paragraph{"The fastest CPU variant of each workload at the "
                           "largest size that it was measured with one thread "
                           "and with more. Efficiency is the time of one "
                           "thread, divided by n times the time of n threads: "
                           "100 % if these are n times as fast."},
                 table}};
}

}  // namespace parlab::page
