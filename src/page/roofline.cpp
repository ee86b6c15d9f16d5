#include <algorithm>
#include <set>

#include "page/sections.hpp"
#include "page/words.hpp"

namespace parlab::page {
namespace {

double fastest_rate(const std::vector<std::pair<double, double>>& curve) {
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
Series roof(const std::string& label, double bytes_per_second, double peak,
            double from, double to, int look) {
  const double ridge = std::clamp(peak / bytes_per_second, from, to);
  return {label,
          {{from, std::min(peak, from * bytes_per_second)},
           {ridge, std::min(peak, ridge * bytes_per_second)},
           {to, std::min(peak, to * bytes_per_second)}},
          look,
          true,
          false};
}

Section roofline(const std::string& what, const std::string& id,
                 const std::optional<Ceilings>& known, const Entries& entries) {
  Section section{.id = id, .title = "Roofline of the " + what};
  if (!known || entries.empty()) {
    section.blocks = {Paragraph{known ? "Nothing was measured on it."
                                      : "The ceilings of the " + what +
                                            " were not measured."}};
    return section;
  }
  const auto& ceilings = *known;
  double from = 0.05, to = 20;
  std::set<std::string> units;
  for (const auto* entry : entries) {
    from = std::min(from, intensity(*entry) / 2);
    to = std::max(to, intensity(*entry) * 2);
    units.insert(entry->record.unit);
  }
  Chart chart{
      .id = "fig-" + id,
      .title = "Roofline of the " + what,
      .x = {"flop for each byte that has to move"},
      .y = {"", Unit::flop_per_second},
      .series = {},
      .caption =
          "The best of every workload and backend, of GPUs on a single one, at "
          "the largest size that nearly all variants of the workload were "
          "measured at; numbers as in the table. The lines are the best of all "
          "hosts and GPUs of this name, percents those of the one that was "
          "measured. A point above the roof of the memory is small enough for "
          "the caches, or was reached by units whose peak is not measured."};
  const double memory = memory_bandwidth(ceilings);
  const double caches =
      std::max(fastest_rate(ceilings.read), fastest_rate(ceilings.copy));
  int look = 0;
  for (const auto& [unit, peak] : ceilings.units) {
    if (units.count(unit) == 0 || memory <= 0) continue;
    chart.series.push_back(roof("roof, " + unit + ": memory " +
                                    in_words(bandwidth(memory)) + ", peak " +
                                    in_words(rate(peak)),
                                memory, peak, from, to, look++));
    if (caches > 1.1 * memory) {
      chart.series.push_back(
          roof("from caches, " + unit + ": " + in_words(bandwidth(caches)),
               caches, peak, from, to, look++));
    }
  }
  auto table = table_of({"", "workload", "variant", "size", "dtype",
                         "flop/byte", "performance", "of the roof"});
  table.numbers = true;
  std::set<Side> sides;
  for (const auto* entry : entries) {
    const auto number = table.rows.size() + 1;
    const int shape = static_cast<int>(entry->side);
    if (sides.insert(entry->side).second) {
      chart.series.push_back(
          {std::string(to_string(entry->side)), {}, shape, false, true});
    }
    chart.labels.push_back({{intensity(*entry), performance(*entry)},
                            std::to_string(number),
                            shape});
    const auto reached = of_roof(*entry);
    table.rows.push_back(
        {{{static_cast<std::int64_t>(number)},
          {entry->record.workload},
          {setting(entry->record)},
          {dimensions(entry->record)},
          {std::string(parlab::to_string(entry->record.dtype))},
          {Quantity{intensity(*entry)}},
          {rate(performance(*entry))},
          {reached ? Text(share(*reached)) : Text()}}});
  }
  section.blocks = {chart, table};
  return section;
}

}  // namespace

Section rooflines(const Measured& measured) {
  const auto of_gpu =
      measured.has_gpu()
          ? Block(roofline("GPU", "roofline-gpu", measured.device_ceilings(),
                           best_of_each(measured, true)))
          : Block(Paragraph{"No GPU here, and so no roofline of one."});
  return {.id = "rooflines",
          .title = "Rooflines",
          .label = "Rooflines",
          .blocks = {of_gpu,
                     roofline("CPU", "roofline-cpu", measured.host_ceilings(),
                              best_of_each(measured, false))}};
}

}  // namespace parlab::page
