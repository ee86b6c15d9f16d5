#include <algorithm>

#include "page/figures.hpp"
#include "page/sections.hpp"
#include "page/table.hpp"
#include "page/words.hpp"
#include "render/words.hpp"

namespace parlab::page {
namespace {

void write_failures(Html& html,
                    const Measured& measured,
                    const std::string& workload) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& record : measured.failed) {
    if (record.workload != workload) continue;
    rows.push_back({setting(record), dimensions(record),
                    std::string(parlab::to_string(record.dtype)),
                    std::string(parlab::to_string(record.verdict)),
                    parlab::words(record.detail, Letters::unicode)});
  }
  if (rows.empty()) return;
  html.open("details").element(
      "summary", counted(rows.size(), "point") + " without a time");
  write_numbers(html, {"variant", "size", "dtype", "verdict", "why"}, rows);
  html.close().line_break();
}

void write_experiment(Html& html,
                      const Experiment& experiment,
                      const std::filesystem::path& figures) {
  const auto pictures = figures_of(figures, experiment.name);
  if (pictures.empty()) {
    html.element("p", "No figures are drawn of " + experiment.name +
                          ": run make figures.");
  } else {
    html.open("details", {{"class", "printed"}});
    html.element("summary",
                 counted(pictures.size(), "figure") + " of " + experiment.name);
    html.open("div", {{"class", "figures"}});
    for (const auto& picture : pictures)
      write_figure(html, picture);
    html.close().close().line_break();
  }
  const auto tables = figures / (experiment.name + "-tables.txt");
  if (!std::filesystem::exists(tables)) return;
  html.open("details").element("summary", "Tables of " + experiment.name);
  write_tables(html, tables);
  html.close().line_break();
}

std::string anchor_of(const Experiment& experiment) {
  return anchor("experiment-" + experiment.name);
}

}  // namespace

void write_workload(Html& html,
                    const Measured& measured,
                    const std::string& workload,
                    const std::filesystem::path& figures) {
  html.open("section", {{"id", anchor("workload-" + workload)}})
      .element("h2", workload);
  if (const auto* known = Registry::instance().workload(workload)) {
    html.element("p", known->summary());
  }
  write_ladders(html, of_workload(all(measured), workload));
  write_failures(html, measured, workload);
  std::vector<const Experiment*> shared;
  for (const auto& experiment : measured.experiments) {
    const auto& names = experiment.workloads;
    if (std::find(names.begin(), names.end(), workload) == names.end())
      continue;
    if (names.size() == 1) {
      write_experiment(html, experiment, figures);
    } else {
      shared.push_back(&experiment);
    }
  }
  if (!shared.empty()) {
    html.open("p").text("Compared with other workloads in ");
    for (const auto* experiment : shared) {
      if (experiment != shared.front()) html.text(", ");
      html.element("a", experiment->name,
                   {{"href", "#" + anchor_of(*experiment)}});
    }
    html.text(".").close().line_break();
  }
  html.close().line_break();
}

bool has_shared_experiments(const Measured& measured) {
  return std::any_of(
      measured.experiments.begin(), measured.experiments.end(),
      [](const auto& experiment) { return experiment.workloads.size() > 1; });
}

void write_shared_experiments(Html& html,
                              const Measured& measured,
                              const std::filesystem::path& figures) {
  if (!has_shared_experiments(measured)) return;
  html.open("section", {{"id", "across"}}).element("h2", "Across workloads");
  for (const auto& experiment : measured.experiments) {
    if (experiment.workloads.size() < 2) continue;
    html.open("div", {{"id", anchor_of(experiment)}});
    write_experiment(html, experiment, figures);
    html.close().line_break();
  }
  html.close().line_break();
}

}  // namespace parlab::page
