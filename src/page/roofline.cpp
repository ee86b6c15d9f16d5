#include <algorithm>
#include <cctype>
#include <set>
#include <span>

#include "core/text.hpp"
#include "page/reference.hpp"
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

double intensity(const Entry& entry) {
  return entry.record.flops / entry.record.bytes;
}
double performance(const Entry& entry) {
  return entry.record.flops / entry.summary.median;
}

// The best of each workload and backend on the GPU (or the CPU), at the largest
// size at which nearly all variants of the workload were measured, or else
// those of the backend. The roofs are those of one GPU.
struct Best {
  const Entry* entry;
  double reached;  // share of its limit
  bool fastest;    // in its workload
  std::string limit;
};
std::vector<Best> best_of_each(const Measured& measured, bool gpu) {
  std::vector<Best> found;
  for (const auto& workload : measured.workloads()) {
    const auto entries = of_workload(all(measured), workload);
    if (entries.empty()) continue;
    const auto ours =
        where(on_device(of_dtype(entries, main_dtype(entries)), gpu),
              [](const Entry& entry) { return !of_team(entry); });
    if (ours.empty()) continue;
    const Size size = *ladder_size(ours);
    const auto first = found.size();
    for (const auto side : sides(ours)) {
      const auto of_one = of_side(ours, side);
      const auto there = of_size(of_one, size);
      const auto* entry = best_peer(
          there.empty() ? of_size(of_one, *ladder_size(of_one)) : there);
      if (entry != nullptr && entry->record.flops > 0 &&
          entry->record.bytes > 0) {
        found.push_back({entry, of_limit(*entry, ours).value_or(0), false,
                         limit_of(measured, entry->record)});
      }
    }
    const auto here = std::span(found).subspan(first);
    const auto rate_of = [](const Best& one) {
      return performance(*one.entry);
    };
    if (!here.empty())
      std::ranges::max_element(here, {}, rate_of)->fastest = true;
  }
  return found;
}

// The line from the chart's left edge up to the peak of a unit, and along it.
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

// "The memory limits a and b; the peak of ... limits c."
std::string what_limits(const std::vector<Best>& all) {
  std::vector<std::pair<std::string, std::vector<std::string>>> limited;
  for (const auto& [entry, reached, fastest, limit] : all) {
    if (!fastest || limit.empty()) continue;
    auto known = std::ranges::find(limited, limit,
                                   [](const auto& one) { return one.first; });
    if (known == limited.end()) known = limited.insert(known, {limit, {}});
    known->second.push_back(entry->record.workload);
  }
  std::string text;
  for (const auto& [limit, workloads] : limited) {
    text += (text.empty() ? "" : "; ") + limit_words(limit) + " limits " +
            listed(workloads);
  }
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(text[0]));
  return text + (text.empty() ? "" : ".");
}

Section roofline(const Measured& measured, bool gpu) {
  const std::string what = gpu ? "GPU" : "CPU",
                    id = gpu ? "roofline-gpu" : "roofline-cpu";
  const auto known =
      gpu ? measured.device_ceilings() : measured.host_ceilings();
  const auto all = best_of_each(measured, gpu);
  Section section{.id = id, .title = "Roofline of the " + what};
  if (!known || all.empty()) {
    section.blocks = {Paragraph{known ? "Nothing was measured on it."
                                      : "The ceilings of the " + what +
                                            " were not measured."}};
    return section;
  }
  const auto& ceilings = *known;
  double from = 0.05, to = 20;
  std::set<std::string> units;
  for (const auto& best : all) {
    from = std::min(from, intensity(*best.entry) / 2);
    to = std::max(to, intensity(*best.entry) * 2);
    units.insert(best.entry->record.unit);
  }
  const auto finding = what_limits(all);
  Chart chart{
      .id = "fig-" + id,
      .title = "Roofline of the " + what + ". " + finding,
      .x = {"flop per byte that has to move"},
      .y = {"", Unit::flop_per_second},
      .series = {},
      .caption =
          "The fastest variant of each workload and backend" +
          std::string(gpu ? ", on one GPU," : "") +
          " at the largest size at which nearly all variants of the workload "
          "were measured. The fastest of each workload has its name. The lines "
          "are the best of all " +
          (gpu ? "GPUs" : "hosts") +
          " of this name. A point above the roof of the memory is small enough "
          "for the caches, or was reached by units whose peak was not "
          "measured."};
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
  auto table = folded_numbers("The points in numbers",
                              {"workload", "variant", "size", "dtype",
                               "flop/byte", "performance", "of the limit"});
  std::set<Side> sides;
  for (const auto& [entry, reached, fastest, limit] : all) {
    const int shape = static_cast<int>(entry->side);
    if (sides.insert(entry->side).second) {
      chart.series.push_back(
          {std::string(to_string(entry->side)), {}, shape, false, true});
    }
    const Text share_of_it = reached > 0 ? Text(share(reached)) : Text();
    chart.labels.push_back(
        {{intensity(*entry), performance(*entry)},
         fastest ? entry->record.workload : "",
         shape,
         in_words(entry->record.workload + ", " + setting(entry->record) +
                  ": " + rate(performance(*entry)) +
                  (reached > 0 ? ", " + share_of_it : Text()))});
    table.add({entry->record.workload, setting(entry->record),
               dimensions(entry->record), entry->record.dtype,
               Quantity{intensity(*entry)}, rate(performance(*entry)),
               share_of_it});
  }
  section.blocks = {chart, table};
  if (!finding.empty())
    section.blocks.insert(section.blocks.begin(), Paragraph{finding});
  return section;
}

}  // namespace

Section rooflines(const Measured& measured) {
  const auto of_gpu =
      measured.has_gpu()
          ? Block(roofline(measured, true))
          : Block(Paragraph{
                "There is no GPU here, so there is no roofline of one."});
  return {.id = "rooflines",
          .title = "Rooflines",
          .label = "Rooflines",
          .blocks = {of_gpu, roofline(measured, false)}};
}

}  // namespace parlab::page
