// What one wants to know first: what is fastest and by how much, how near
// to the limit it is, which claims fell.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "core/text.hpp"
#include "page/sections.hpp"
#include "page/transfers.hpp"
#include "page/words.hpp"
#include "record/speedup.hpp"
#include "render/markup.hpp"

namespace parlab::page {
namespace {

// How many times as fast as the other, which may be itself or missing.
Cell over(const Entry& entry, const Entry* other) {
  if (other == nullptr) return {};
  if (other == &entry) return {"is the fastest"};
  const auto ratio = speedup(entry.record, other->record);
  return ratio ? as_fast_as(*ratio, entry.record, other->record) : Cell{};
}

// The GPU against the best of the CPU: at that size, or else at the largest
// that both were measured at.
Cell over_cpu(const Entries& some, const Size& wanted) {
  std::optional<Size> common;
  for (const auto& size : sizes(some)) {
    const auto point = of_size(some, size);
    if (common == wanted || on_device(point, true).empty() ||
        on_device(point, false).empty())
      continue;
    common = size;
  }
  if (!common) return {Detail{Cause::not_measured_on_both}};
  const auto point = of_size(some, *common);
  const auto *gpu = best_peer(on_device(point, true)),
             *cpu = best_peer(on_device(point, false));
  if (gpu == nullptr || cpu == nullptr) return {};
  const auto kernel = speedup(gpu->record, cpu->record);
  if (!kernel) return {};
  std::vector<Text> notes;
  if (const auto hosts = of_two(gpu->record, cpu->record))
    notes.push_back(hosts);
  const auto with_transfers = duels(point);  // at one size: one, or none
  for (const auto& duel : with_transfers) {
    const double gain = duel.travelled.value;
    Text note = gain < 1 ? Quantity{1 / gain, Unit::factor} + Text(" slower")
                         : Text(Quantity{gain, Unit::factor});
    note += " with transfers";
    // With them another variant may be the fastest.
    if (duel.gpu->record.full_name() != gpu->record.full_name())
      note += " (" + name(duel.gpu->record) + ")";
    notes.push_back(note);
  }
  const bool elsewhere = *common != wanted;
  return {Quantity{kernel->value, Unit::factor} +
              Text(elsewhere ? " at " + dimensions(gpu->record) : ""),
          joined(notes, "; ")};
}

// A team against the best that one GPU has at this point.
Cell over_one_gpu(const Entries& point, const Entry& fastest) {
  const auto* one = best_peer(
      where(point, [](const Entry& entry) { return !of_team(entry); }));
  if (!of_team(fastest) || one == nullptr) return {};
  const auto ratio = speedup(fastest.record, one->record);
  if (!ratio) return {};
  return {times(*ratio), interval(*ratio) + " over " + name(one->record)};
}

// The fastest in reduced precision, where it is faster than the others.
Text faster_in_reduced(const Entries& point, const Entry& fastest) {
  const auto* reduced = best(where(
      point, [](const Entry& e) { return reduced_arithmetic(e.record); }));
  if (reduced == nullptr || reduced->summary.median >= fastest.summary.median)
    return {};
  return "in reduced precision " + name(reduced->record) + ", " +
         Quantity{reduced->summary.median, Unit::second};
}

// At the largest size that most variants of the faster half of the
// machine were measured at.
Row fastest_of(const Measured& measured, const std::string& workload) {
  const auto entries = of_workload(all(measured), workload);
  const auto some = of_dtype(entries, main_dtype(entries));
  const auto gpu = on_device(some, true);
  const auto contest = gpu.empty() ? some : gpu;
  const auto point = of_size(contest, *ladder_size(contest));
  const auto* fastest = best_peer(point);
  const Link title{workload, "#" + anchor("workload-" + workload)};
  if (fastest == nullptr) return {{{title}, {Detail{Cause::not_measured}}}};
  const auto from_library = [](const Entry& e) { return of_library(e.side); };
  const auto* own = best_peer(where(point, std::not_fn(from_library)));
  const auto* library = best_peer(where(point, from_library));
  // Of the two the one that did not win, the library or what was written here;
  // where there is no library the rung that the ladder begins with.
  const Entry* other = fastest == library ? own : library;
  const auto* first = ladder(point).front();
  if (library == nullptr && first != fastest) other = first;
  const auto reached = of_roof(*fastest);
  return {{{title, point_of(fastest->record)},
           {setting(fastest->record), faster_in_reduced(point, *fastest)},
           with_interval(time_of(*fastest)),
           {reached ? Text(share(*reached)) : Text(),
            limit_of(measured, fastest->record)},
           over(*fastest, other),
           over_cpu(some, fastest->record.size),
           over_one_gpu(point, *fastest)}};
}

std::vector<Block> fastest_of_each(const Measured& measured) {
  std::vector<Row> rows;
  for (const auto& workload : measured.workloads()) {
    if (!of_workload(all(measured), workload).empty())
      rows.push_back(fastest_of(measured, workload));
  }
  if (rows.empty()) return {Paragraph{"Nothing was timed here."}};
  const auto said = [&](std::size_t column) {
    return std::ranges::any_of(rows, [&](const Row& row) {
      return column < row.cells.size() && !row.cells[column].text.empty();
    });
  };
  const bool of_several = std::ranges::any_of(rows, [](const Row& row) {
    return std::ranges::any_of(
        row.cells, [](const Cell& cell) { return says_of_two(cell.note); });
  });
  const bool gpu = measured.has_gpu();
  const Paragraph intro{
      std::string("The fastest of each workload on the ") +
      (gpu ? "GPU" : "CPU") +
      ", in full precision, at the largest size that most variants "
      "were measured at; what it has reached of the measured roof, and "
      "what sets that roof" +
      (said(4) ? "; against the vendor's library, or against the best "
                 "kernel here where the library is faster, or, without a "
                 "library, against the first rung of the ladder"
               : "") +
      (gpu && said(6) ? "; where several GPUs share it, against the best of one"
                      : "") +
      (gpu && said(5) ? "; and against the best of the CPU." : ".") +
      (of_several ? " " + what_of_two_means : "")};
  std::vector<std::string> titles{"Workload", "Fastest", "Time", "Of the roof",
                                  "Library and own kernels"};
  if (gpu) {
    titles.push_back("Over the best of the CPU");
    titles.push_back("Over the best of one GPU");
  } else {
    for (auto& row : rows)
      row.cells.resize(std::min<std::size_t>(row.cells.size(), 5));
  }
  return {intro, table_of(titles, std::move(rows))};
}

// Experiments of reports, workloads on one half of the machine, and types on
// its GPU that have no records: what is said above is said of the others.
std::string not_measured(const Measured& measured,
                         const std::vector<Finding>& findings) {
  if (measured.experiments.empty()) return "";
  std::set<std::string> missing;
  for (const auto& finding : findings)
    missing.insert(finding.report);
  for (const auto& experiment : measured.experiments)
    missing.erase(experiment.name);
  std::vector<std::string> everywhere, on_cpu, on_gpus;
  for (const auto* workload : Registry::instance().workloads()) {
    const std::string name(workload->name());
    const auto entries = of_workload(all(measured), name);
    if (entries.empty()) {
      everywhere.push_back(name);
      continue;
    }
    if (on_device(entries, false).empty()) on_cpu.push_back(name);
    if (!measured.has_gpu()) continue;
    // Kernels alone have some of the types; what the CPU has they have too.
    for (const auto dtype : dtypes(entries)) {
      if (on_device(of_dtype(entries, dtype), true).empty())
        on_gpus.push_back(name + " in " +
                          std::string(parlab::to_string(dtype)));
    }
  }
  std::vector<std::string> parts;
  const auto add = [&](const std::string& what,
                       const std::vector<std::string>& names) {
    if (!names.empty()) parts.push_back(what + join(names, ", "));
  };
  add("the experiments (make NAME) ", {missing.begin(), missing.end()});
  add("the workloads ", everywhere);
  add("on the CPU ", on_cpu);
  add("on the GPU ", on_gpus);
  return parts.empty() ? "" : "Not measured here: " + join(parts, "; ") + ".";
}

// Each claim of a report as its name, which leads to it, by verdict.
Paragraph verdicts_of(const std::vector<Finding>& findings,
                      const std::string& report) {
  // by verdict, and of one verdict those that nothing was measured for last
  std::map<std::pair<Outcome, bool>, std::vector<const Finding*>> groups;
  for (const auto& finding : findings) {
    if (finding.report == report)
      groups[{finding.outcome, finding.computed}].push_back(&finding);
  }
  Text text = Strong{report + ": "};
  for (const auto& [group, some] : groups) {
    text += verdict_words(*some.front()) + " ";
    for (const auto* finding : some) {
      text +=
          Link{finding->id, "#" + claim_anchor(*finding), finding->sentence} +
          Text(" ");
    }
  }
  return {text};
}

Section fallen(const std::vector<Finding>& findings) {
  auto table = table_of({"Claim", "What it says", "Its numbers"});
  for (const auto& finding : findings) {
    if (finding.outcome != Outcome::does_not_hold) continue;
    table.rows.push_back({{{Link{finding.id, "#" + claim_anchor(finding)}},
                           {finding.sentence},
                           {finding.numbers}}});
  }
  return {.title = "Claims that do not hold here", .blocks = {table}};
}

}  // namespace

Section summary(const Measured& measured,
                const std::vector<Finding>& findings) {
  Section section{.id = "summary",
                  .title = "In short",
                  .label = "In short",
                  .blocks = fastest_of_each(measured)};
  const auto missing = not_measured(measured, findings);
  if (!missing.empty()) section.blocks.push_back(Paragraph{missing});
  const bool some_fell =
      std::ranges::any_of(findings, [](const Finding& finding) {
        return finding.outcome == Outcome::does_not_hold;
      });
  if (some_fell) section.blocks.push_back(fallen(findings));
  Section all_claims{.title = "All claims"};
  for (const auto& report : reports_of(findings))
    all_claims.blocks.push_back(verdicts_of(findings, report));
  section.blocks.push_back(all_claims);
  return section;
}

}  // namespace parlab::page
