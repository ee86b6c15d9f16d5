#include <algorithm>
#include <set>

#include "core/numbers.hpp"
#include "page/chart.hpp"
#include "page/sections.hpp"
#include "page/table.hpp"
#include "page/words.hpp"

namespace parlab::page {
namespace {

using Curve = std::vector<std::pair<double, double>>;

double fastest(const Curve& curve) {
  double best = 0;
  for (const auto& [bytes, rate] : curve)
    best = std::max(best, rate);
  return best;
}

// The best of each workload and backend on one half of the machine, each
// at the largest size that nearly all variants of the workload were measured
// at, or of the backend where it was not. The roofs are those of one GPU.
Entries best_of_each(const Measured& measured, bool gpu) {
  Entries found;
  for (const auto& workload : measured.workloads()) {
    const auto entries = of_workload(all(measured), workload);
    if (entries.empty()) continue;
    const auto ours =
        where(on_device(of_dtype(entries, main_dtype(entries)), gpu),
              [](const Entry& entry) { return !of_team(entry); });
    if (ours.empty()) continue;
    const Size size = *ladder_size(ours);
    for (const auto side : sides(ours)) {
      const auto of_one = of_side(ours, side);
      const auto there = of_size(of_one, size);
      const auto* entry = best_peer(
          there.empty() ? of_size(of_one, *ladder_size(of_one)) : there);
      if (entry != nullptr && entry->record.flops > 0 &&
          entry->record.bytes > 0) {
        found.push_back(entry);
      }
    }
  }
  return found;
}

double intensity(const Entry& entry) {
  return entry.record.flops / entry.record.bytes;
}
double performance(const Entry& entry) {
  return entry.record.flops / entry.summary.median;
}

// From where the chart begins up to the peak of a unit, and along it.
Series roof(const std::string& label,
            double bytes_per_second,
            double peak,
            double from,
            double to,
            int look) {
  const double ridge = std::clamp(peak / bytes_per_second, from, to);
  return {label,
          {{from, std::min(peak, from * bytes_per_second)},
           {ridge, std::min(peak, ridge * bytes_per_second)},
           {to, std::min(peak, to * bytes_per_second)}},
          look,
          true,
          false};
}

void write_roofline(Html& html,
                    const std::string& what,
                    const Ceilings& ceilings,
                    const Entries& entries,
                    const std::string& id) {
  html.element("h3", "Roofline of the " + what, {{"id", id}});
  if (entries.empty()) {
    html.element("p", "Nothing was measured on it.");
    return;
  }
  double from = 0.05, to = 20;
  std::set<std::string> units;
  for (const auto* entry : entries) {
    from = std::min(from, intensity(*entry) / 2);
    to = std::max(to, intensity(*entry) * 2);
    units.insert(entry->record.unit);
  }
  Chart chart;
  chart.title = "Roofline of the " + what;
  chart.x = {"flop for each byte that has to move", tick_count};
  chart.y = {"", tick_rate};
  const double memory = memory_bandwidth(ceilings);
  const double caches =
      std::max(fastest(ceilings.read), fastest(ceilings.copy));
  int look = 0;
  for (const auto& [unit, peak] : ceilings.units) {
    if (units.count(unit) == 0 || memory <= 0) continue;
    chart.series.push_back(roof("roof, " + unit + ": memory " +
                                    bandwidth(memory) + ", peak " + rate(peak),
                                memory, peak, from, to, look++));
    if (caches > 1.1 * memory) {
      chart.series.push_back(
          roof("from caches, " + unit + ": " + bandwidth(caches), caches, peak,
               from, to, look++));
    }
  }
  std::vector<std::vector<std::string>> rows;
  std::set<Side> sides;
  for (const auto* entry : entries) {
    const auto number = std::to_string(rows.size() + 1);
    const int shape = static_cast<int>(entry->side);
    if (sides.insert(entry->side).second) {
      chart.series.push_back(
          {std::string(to_string(entry->side)), {}, shape, false, true});
    }
    chart.marks.push_back(
        {{intensity(*entry), performance(*entry)}, number, shape});
    const auto share = of_roof(*entry);
    rows.push_back({number, entry->record.workload, setting(entry->record),
                    dimensions(entry->record),
                    std::string(parlab::to_string(entry->record.dtype)),
                    significant(intensity(*entry), 3),
                    rate(performance(*entry)), share ? percent(*share) : "-"});
  }
  html.open("figure", {{"id", "fig-" + id}})
      .open("div", {{"class", "scroll"}, {"tabindex", "0"}});
  html.raw(draw(chart)).close();
  html.element(
      "figcaption",
      "The best of every workload and backend, of GPUs on a single one, at the "
      "largest size that nearly all variants of the workload were measured at; "
      "numbers as in the table. The lines are the best of all hosts and GPUs "
      "of this name, percents those of the one that was measured. A point "
      "above the roof of the memory is small enough for the caches, or was "
      "reached by units whose peak is not measured.");
  html.close().line_break();
  write_numbers(html,
                {"", "workload", "variant", "size", "dtype", "flop/byte",
                 "performance", "of the roof"},
                rows);
}

}  // namespace

void write_rooflines(Html& html, const Measured& measured) {
  html.open("section", {{"id", "rooflines"}})
      .element("h2", "Rooflines")
      .line_break();
  if (const auto ceilings = measured.device_ceilings()) {
    write_roofline(html, "GPU", *ceilings, best_of_each(measured, true),
                   "roofline-gpu");
  } else {
    html.element("p", measured.has_gpu()
                          ? "The ceilings of the GPU were not measured."
                          : "No GPU here, and so no roofline of one.");
  }
  if (const auto ceilings = measured.host_ceilings()) {
    write_roofline(html, "CPU", *ceilings, best_of_each(measured, false),
                   "roofline-cpu");
  } else {
    html.element("p", "The ceilings of the CPU were not measured.");
  }
  html.close().line_break();
}

}  // namespace parlab::page
