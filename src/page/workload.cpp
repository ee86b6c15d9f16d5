#include <algorithm>

#include "core/text.hpp"
#include "page/figures.hpp"
#include "page/reference.hpp"
#include "page/sections.hpp"
#include "page/words.hpp"
#include "render/markup.hpp"

namespace parlab::page {
namespace {

Table failures(const Measured& measured, const std::string& workload) {
  auto table = folded_numbers("Points without a time",
                              {"variant", "size", "dtype", "verdict", "why"});
  for (const auto& record : measured.failed) {
    if (record.workload != workload) continue;
    table.add({setting(record), dimensions(record), record.dtype,
               record.verdict, record.detail});
  }
  return table;
}

// Kernels that emulation proves right, and that have no time on this machine.
std::optional<Paragraph> only_verified(const Measured& measured,
                                       const std::string& workload) {
  std::vector<std::string> names;
  for (const auto* variant : Registry::instance().variants(workload)) {
    bool timed = false, verified = false, failed = false;
    const auto look_at = [&](const std::vector<Record>& records) {
      for (const auto& record : records) {
        if (record.workload != workload || record.backend != variant->backend ||
            record.variant != variant->name)
          continue;
        timed |= record.timed();
        if (!record.emulated || record.source_hash != variant->source_hash)
          continue;
        verified |= record.verdict == Verdict::passed;
        failed |= parlab::failed(record);
      }
    };
    look_at(measured.records);
    look_at(measured.counted);
    if (verified && !timed && !failed) names.push_back(variant->name);
  }
  if (names.empty()) return std::nullopt;
  return Paragraph{
      .text = "Verified by emulation, not timed: " + listed(names) + ".",
      .small = true};
}

std::string anchor_of(const Experiment& experiment) {
  return anchor("experiment-" + experiment.name);
}

Section section_of(const Experiment& experiment,
                   const std::filesystem::path& figures,
                   const Tables& all_tables) {
  Section section{.id = anchor_of(experiment)};
  const auto pictures = figures_of(figures, experiment.name);
  if (pictures.empty()) {
    section.blocks = {Paragraph{"There are no figures of " + experiment.name +
                                ": run make figures."}};
  } else {
    section.blocks = {Section{
        .title = counted(pictures.size(), "figure") + " of " + experiment.name,
        .blocks = {pictures.begin(), pictures.end()},
        .folded = true,
        .printed = true}};
  }
  const auto tables = all_tables.find(experiment.name);
  if (tables != all_tables.end()) {
    section.add(Section{.title = "Tables of " + experiment.name,
                        .blocks = tables->second,
                        .folded = true});
  }
  return section;
}

}  // namespace

Section workload_section(const Measured& measured, const std::string& workload,
                         const std::filesystem::path& figures,
                         const Tables& tables) {
  Section section{.id = anchor("workload-" + workload),
                  .title = workload,
                  .label = workload};
  if (const auto* known = Registry::instance().workload(workload))
    section.add(Paragraph{typeset(std::string(known->summary()))});
  Curves curves;
  for (const auto& experiment : measured.experiments) {
    const auto& names = experiment.workloads;
    if (names.size() == 1 && names.front() == workload)
      find_curves(figures_of(figures, experiment.name), curves);
  }
  if (const auto reference = reference_of(measured, workload))
    section.add(ladders(measured, *reference, curves));
  section.add(only_verified(measured, workload));
  section.add(failures(measured, workload));
  std::vector<Text> shared;
  for (const auto& experiment : measured.experiments) {
    const auto& names = experiment.workloads;
    if (std::ranges::find(names, workload) == names.end()) continue;
    if (names.size() == 1) {
      section.add(section_of(experiment, figures, tables));
    } else {
      shared.push_back(Link{experiment.name, "#" + anchor_of(experiment)});
    }
  }
  if (!shared.empty()) {
    section.add(
        Paragraph{"Compared with other workloads in " + joined(shared) + "."});
  }
  return section;
}

std::optional<Section> shared_experiments(const Measured& measured,
                                          const std::filesystem::path& figures,
                                          const Tables& tables) {
  Section section{
      .id = "across", .title = "Across workloads", .label = "Across workloads"};
  for (const auto& experiment : measured.experiments) {
    if (experiment.workloads.size() > 1)
      section.add(section_of(experiment, figures, tables));
  }
  return section.blocks.empty() ? std::nullopt : std::optional(section);
}

}  // namespace parlab::page
