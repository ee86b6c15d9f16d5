#include <set>

#include "page/sections.hpp"
#include "page/words.hpp"
#include "record/speedup.hpp"
#include "render/markup.hpp"

namespace parlab::page {
namespace {

// Who did as well: other variants by name, other settings of
// the same one by number.
Text tie_note(const Entries& same_side, const Entry& entry) {
  std::set<std::string> others;
  std::size_t settings = 0;
  for (const auto* tie : ties(same_side, entry)) {
    if (tie->record.variant == entry.record.variant) {
      ++settings;
    } else {
      others.insert(tie->record.variant);
    }
  }
  std::string note;
  for (const auto& other : others)
    note += (note.empty() ? "" : ", ") + other;
  if (settings > 0)
    note += (note.empty() ? "" : ", ") + counted(settings, "other setting");
  return note.empty() ? Text() : "tied with " + note;
}

Cell speedup_cell(const Entry& entry, const Entry* over, Copies copies) {
  if (over == nullptr) return {Detail{Cause::not_measured}};
  if (over == &entry) return {"1", "itself"};
  if (copies != Copies::none && !on_gpu(entry.side)) return {};
  if (!same_machine(entry.record, over->record)) return {"on another host"};
  const auto ratio = speedup(entry.record, over->record, copies);
  if (!ratio) return {Detail{Cause::not_measured}};
  return {times(*ratio),
          interval(*ratio) + behind_of_two(entry.record, over->record)};
}

Cell roof_cell(const Entry& entry) {
  const auto reached = of_roof(entry);
  if (!reached) return {Detail{Cause::not_measured}};
  return {share(*reached), *reached > 1 ? "above the measured roof" : Text()};
}

void add_backend(std::vector<Row>& rows, const Entries& point, Side side,
                 bool has_gpu) {
  const auto ours = of_side(point, side);
  const auto* entry = best_peer(ours);
  if (entry == nullptr) return;
  const auto* serial = best(of_side(point, Side::serial));
  const auto* cpu = best(on_device(point, false));
  // Across backends too: what is as fast as the fastest is marked so.
  const auto* fastest = best_peer(point);
  Text place;
  if (entry == fastest) {
    place = "fastest";
  } else if (tied(*entry, *fastest)) {
    place = "tied with the fastest";
  }
  Row row{{{std::string(to_string(side)), place},
           {setting(entry->record), tie_note(ours, *entry)},
           with_interval(time_of(*entry)),
           roof_cell(*entry)}};
  for (const auto* over : {serial, cpu}) {
    row.cells.push_back(speedup_cell(*entry, over, Copies::none));
    if (has_gpu)
      row.cells.push_back(speedup_cell(*entry, over, Copies::pageable));
  }
  rows.push_back(std::move(row));
}

void add_workload(std::vector<Row>& rows, const Entries& entries,
                  const std::string& workload, bool has_gpu) {
  const auto dtype = main_dtype(entries);
  const auto some = of_dtype(entries, dtype);
  const auto size = largest_common_size(some);
  if (!size) return;
  const auto point = of_size(some, *size);
  const auto* known = Registry::instance().workload(workload);
  const auto title =
      workload + (known ? ": " + std::string(known->summary()) : "");
  rows.push_back({{{Link{title, "#" + anchor("workload-" + workload)},
                    point_of(point.front()->record)}},
                  true});
  for (const auto side : {Side::serial, Side::openmp, Side::cpu_library,
                          Side::cuda, Side::gpu_library}) {
    const auto before = rows.size();
    add_backend(rows, point, side, has_gpu);
    if (rows.size() > before) continue;
    if (!of_side(some, side).empty()) {
      rows.push_back(
          {{{std::string(to_string(side))}, {"not measured at this size"}}});
    } else if (side == Side::cuda && has_gpu) {
      rows.push_back({{{"CUDA"}, {Detail{Cause::not_measured}}}});
    }
  }
}

}  // namespace

Section glance(const Measured& measured) {
  const bool gpu = measured.has_gpu();
  std::vector<std::string> titles{"Backend", "Fastest variant", "Time",
                                  "Of the roof"};
  for (const std::string over : {"Over serial", "Over best CPU"}) {
    titles.push_back(over);
    if (gpu) titles.push_back(over + ", with transfers");
  }
  auto table = table_of(titles);
  table.title = "Workload by workload";
  table.folded = table.printed = true;
  for (const auto& workload : measured.workloads()) {
    const auto entries = of_workload(all(measured), workload);
    if (!entries.empty()) add_workload(table.rows, entries, workload, gpu);
  }
  return {
      .id = "glance",
      .title = "Each backend at a glance",
      .label = "Each backend",
      .blocks = {
          Paragraph{
              std::string(
                  "For each workload the largest size that all of its backends "
                  "were measured at; for each backend its fastest variant and "
                  "the tunables that made it so. Caches are warm, times are "
                  "medians, small print is the 95 % interval; a tie is what "
                  "the samples do not tell apart. ") +
              (gpu ? "With transfers: the data goes to the GPU and the result "
                     "comes back; – where nothing travels."
                   : "There is no GPU here: CUDA kernels are verified by "
                     "emulation, which says nothing of their time.")},
          Paragraph{
              .text =
                  "The roof is the least time that memory and the unit which "
                  "the variant uses allow, as measured: for a time of the CPU "
                  "on its own host, and hosts of one name differ. A ratio of "
                  "two hosts says so; two times of the CPU have none then. "
                  "Where several experiments measured a point, tables and "
                  "claims have the newest time, a figure that of its own "
                  "experiment.",
              .small = true},
          table}};
}

}  // namespace parlab::page
