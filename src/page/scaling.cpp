// The effect of a faster GPU: of two GPU models, which workloads gain as much
// as the memory, and which as much as the units.
#include <algorithm>
#include <map>

#include "page/sections.hpp"
#include "page/words.hpp"

namespace parlab::page {
namespace {

// A ratio of times equals one of roofs if they agree within this.
constexpr double alike = 0.05;
// Below this share of its roof, a kernel waits for something else.
constexpr double near_roof = 0.5;

// One machine per GPU model, the one with the most points; sorted by memory
// bandwidth, slowest first.
std::vector<const Measured*> kinds_of_gpu(
    const std::vector<Measured>& machines) {
  std::map<std::string, const Measured*> by_gpu;
  for (const auto& measured : machines) {
    const auto ceilings = measured.device_ceilings();
    if (!ceilings || memory_bandwidth(*ceilings) == 0) continue;
    auto& chosen = by_gpu[measured.gpu()];
    if (chosen == nullptr || chosen->entries.size() < measured.entries.size())
      chosen = &measured;
  }
  std::vector<const Measured*> kinds;
  for (const auto& [gpu, measured] : by_gpu)
    kinds.push_back(measured);
  std::ranges::stable_sort(kinds, {}, [](const Measured* one) {
    return memory_bandwidth(*one->device_ceilings());
  });
  return kinds;
}

// The fastest of each at one point, in full precision.
struct Pair {
  const Entry *slower, *faster;

  Ratio gain() const {
    return ratio(slower->summary.estimate, faster->summary.estimate);
  }
  double gain_of_roof() const {
    return slower->record.roof_s / faster->record.roof_s;
  }
  bool near_roofs() const {
    const auto a = of_roof(*slower), b = of_roof(*faster);
    return a && b && std::min(*a, *b) >= near_roof;
  }
  // A kernel far from its roof does not follow it, whatever its gain. nullopt:
  // the interval cannot tell.
  std::optional<bool> as_the_roof() const {
    if (!near_roofs()) return false;
    const auto [value, known] = gain();
    const double roof = gain_of_roof();
    const Ratio beside{value / roof, {known.low / roof, known.high / roof}};
    if (equal_within(beside, alike)) return true;
    if (above(beside, 1 + alike) || below(beside, 1 / (1 + alike)))
      return false;
    return std::nullopt;
  }
};

// The entries whose variant is also among the others.
Entries shared_variants(const Entries& entries, const Entries& others) {
  return where(entries, [&](const Entry& entry) {
    return std::ranges::any_of(others, [&](const Entry* other) {
      return other->record.name() == entry.record.name();
    });
  });
}

// At the smallest and the largest size that both measured, with the usual
// parameters if possible, for the variants that both have there.
std::vector<Pair> pairs_of(const Entries& slower, const Entries& faster) {
  const auto of_both = where(slower, [&](const Entry& entry) {
    return !of_size(faster, entry.record.size).empty();
  });
  std::vector<Pair> pairs;
  for (const auto& size : sizes(of_usual_parameters(of_both))) {
    const auto one = of_size(slower, size), two = of_size(faster, size);
    const auto *a = best_peer(shared_variants(one, two)),
               *b = best_peer(shared_variants(two, one));
    const bool have_roofs = a != nullptr && b != nullptr &&
                            a->record.roof_s > 0 && b->record.roof_s > 0;
    if (have_roofs) pairs.push_back({a, b});
  }
  if (pairs.size() > 2) pairs.erase(pairs.begin() + 1, pairs.end() - 1);
  return pairs;
}

Quantity factor(double value) {
  return {value, Unit::factor};
}

Text gains_of_ceilings(const Ceilings& slower, const Ceilings& faster) {
  Text text = "memory " +
              Text(factor(memory_bandwidth(faster) / memory_bandwidth(slower)));
  for (const auto& [unit, peak] : slower.units) {
    const auto other = faster.units.find(unit);
    if (other == faster.units.end() || peak == 0) continue;
    text += ", " + unit + " " + factor(other->second / peak);
  }
  return text;
}

std::vector<std::string> workloads_of(const Measured& one,
                                      const Measured& other) {
  auto names = one.workloads();
  for (const auto& name : other.workloads()) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::optional<Section> pair_section(const Measured& slower,
                                    const Measured& faster) {
  const auto slow = *slower.device_ceilings(), fast = *faster.device_ceilings();
  auto table = folded_table("", {"Workload", "Times as fast", "Its limit",
                                 "Follows", "Fastest variants"});
  std::map<std::string, std::string> with;  // what they follow: largest points
  std::size_t small = 0, small_with_none = 0;
  std::string not_both;
  const auto add_to = [](std::string& list, const std::string& what) {
    list += (list.empty() ? "" : "; ") + what;
  };
  for (const auto& workload : workloads_of(slower, faster)) {
    const auto one = on_device(of_workload(all(slower), workload), true),
               two = on_device(of_workload(all(faster), workload), true);
    bool both = false;
    for (const auto dtype : dtypes(one)) {
      const auto pairs = pairs_of(of_dtype(one, dtype), of_dtype(two, dtype));
      for (const auto& pair : pairs) {
        both = true;
        const auto& record = pair.faster->record;
        const auto point = point_of(record);
        const auto before = limit_of(slower, pair.slower->record),
                   after = limit_of(faster, record);
        const auto limit = before == after ? after : before + ", then " + after;
        const auto gain = pair.gain();
        const auto as_the_roof = pair.as_the_roof();
        const auto goes_with = !as_the_roof   ? "cannot be told"
                               : *as_the_roof ? limit
                                              : "none";
        if (&pair == &pairs.back()) {
          add_to(with[as_the_roof ? "these follow " + goes_with
                                  : "these have no verdict, because the "
                                    "interval is too wide"],
                 workload + " " + point);
        } else {
          ++small;
          small_with_none += as_the_roof == false ? 1 : 0;
        }
        table.add(
            {Cell(workload, point), Cell(times(gain), interval(gain)),
             Cell(factor(pair.gain_of_roof()), "set by " + limit),
             Cell(goes_with, pair.near_roofs() ? "" : "far from its limit"),
             setting(pair.slower->record) + " and " + setting(record)});
      }
    }
    if (!both) add_to(not_both, workload);
  }
  if (table.rows.empty()) return std::nullopt;
  table.title = counted(table.rows.size(), "point");
  List list;
  for (const auto& [what, points] : with)
    list.items.push_back("At the largest sizes, " + what + ": " + points);
  if (small > 0) {
    list.items.push_back("At the smallest sizes, " +
                         std::to_string(small_with_none) + " of " +
                         std::to_string(small) + " follow none");
  }
  Section section{
      .title = faster.gpu() + " over " + slower.gpu(),
      .blocks = {
          Paragraph{"Measured ratios: " + gains_of_ceilings(slow, fast) + "."},
          list, table}};
  if (!not_both.empty()) {
    section.add(Paragraph{"Not measured on both: " + not_both + "."});
  }
  return section;
}

}  // namespace

std::optional<Section> scaling(const std::vector<Measured>& machines) {
  const auto kinds = kinds_of_gpu(machines);
  if (kinds.size() < 2) return std::nullopt;
  Section section{
      .id = "scaling",
      .title = "What a faster GPU changes",
      .label = "What a faster GPU changes",
      .blocks = {Paragraph{
          "The fastest variant on each GPU model, in full precision, without "
          "transfers, at the smallest and the largest size that both measured. "
          "A point follows its limit (memory, a unit, or the launch of an "
          "empty kernel) if it reaches half of the limit on both and its gain "
          "equals that of the limit within " +
          Text(share(alike)) +
          ", over its whole interval. Otherwise it waits for something else, "
          "such as caches or its own instructions."}}};
  for (std::size_t i = 1; i < kinds.size(); ++i)
    section.add(pair_section(*kinds.front(), *kinds[i]));
  return section;
}

}  // namespace parlab::page
