// Energy of the rungs of each ladder.
#include <algorithm>
#include <ranges>

#include "core/text.hpp"
#include "page/reference.hpp"
#include "page/sections.hpp"
#include "page/words.hpp"
#include "render/markup.hpp"

namespace parlab::page {
namespace {

struct Cost {
  const Entry* entry;
  Summary energy;
};
using Costs = std::vector<Cost>;

// The rungs with energy at one size and dtype, and how many variants have a
// time.
struct LadderOfCosts {
  Costs rungs;
  std::size_t timed = 0;
};

Quantity energy_of(const Cost& rung) {
  return {rung.energy.median, Unit::joule, rung.energy.interval};
}

Quantity per_joule(const Cost& rung) {
  return {rung.entry->record.flops / rung.energy.median, Unit::flop_per_joule};
}

const Cost& least(const Costs& rungs, double (*of)(const Cost&)) {
  return *std::ranges::min_element(rungs, {},
                                   [&](const Cost& one) { return of(one); });
}
double seconds_of(const Cost& rung) {
  return rung.entry->summary.median;
}
double joules_of(const Cost& rung) {
  return rung.energy.median;
}

LadderOfCosts costs_at(const Entries& point) {
  const auto compared = peers(point);
  LadderOfCosts found{{}, ladder(compared).size()};
  for (const auto* entry : ladder(where(compared, [](const Entry& entry) {
         return entry.record.has_energy();
       })))
    found.rungs.push_back({entry, entry->record.energy->summary()});
  return found;
}

// The size and dtype at which most variants have energy; among equals the
// larger size.
LadderOfCosts ladder_with_most(const Entries& entries) {
  LadderOfCosts most;
  for (const auto dtype : dtypes(entries)) {
    const auto same_type = of_dtype(entries, dtype);
    for (const auto& size : sizes(same_type)) {
      auto found = costs_at(of_size(same_type, size));
      if (!found.rungs.empty() && found.rungs.size() >= most.rungs.size())
        most = std::move(found);
    }
  }
  return most;
}

// The fastest setting of each variant, at the reference. If too few have energy
// there, at the best size of its dtype, or else of any. All on one device: a
// GPU's energy is its own, a CPU's is of its packages.
LadderOfCosts ladder_with_energy(const Entries& on_one_device,
                                 const Reference& reference) {
  const auto alike = of_dtype(on_one_device, reference.dtype);
  for (auto found :
       {costs_at(of_size(alike, reference.size)), ladder_with_most(alike)}) {
    if (found.rungs.size() > 1) return found;
  }
  return ladder_with_most(on_one_device);
}

// The rungs whose energy cannot be told from the lowest.
std::string ties_in_joules(const Costs& rungs, const Cost& thrifty) {
  const auto ties = [&](const Cost& rung) {
    return rung.entry != thrifty.entry &&
           parlab::tied(ratio(rung.energy.estimate, thrifty.energy.estimate));
  };
  return join(rungs | std::views::filter(ties), ", ",
              [](const Cost& rung) { return rung.entry->record.name(); });
}

// Whether the fastest rung costs the least energy; a tie if the samples cannot
// tell.
enum class Thrift { yes, tie, no };
Thrift of_fastest(const Costs& rungs) {
  const auto &thrifty = least(rungs, joules_of),
             &fastest = least(rungs, seconds_of);
  if (thrifty.entry == fastest.entry) return Thrift::yes;
  const bool tie =
      parlab::tied(ratio(fastest.energy.estimate, thrifty.energy.estimate)) ||
      parlab::tied(ratio(thrifty.entry->summary.estimate,
                         fastest.entry->summary.estimate));
  return tie ? Thrift::tie : Thrift::no;
}

MarkedRow row_of(const Costs& rungs, const std::string& workload) {
  const auto &thrifty = least(rungs, joules_of),
             &fastest = least(rungs, seconds_of);
  MarkedRow row{.name = workload,
                .note = point_of(fastest.entry->record),
                .target = "#" + anchor("workload-" + workload)};
  for (const auto& rung : rungs) {
    row.marks.push_back({joules_of(rung) / joules_of(thrifty),
                         rung.entry == fastest.entry ? Look::disc : Look::ring,
                         setting(rung.entry->record) + ": " +
                             in_words(energy_of(rung)) + ", " +
                             in_words(time_of(*rung.entry))});
  }
  const auto more = ratio(fastest.energy.estimate, thrifty.energy.estimate);
  constexpr const char* says[] = {"yes", "tie", "no"};
  row.strong = says[static_cast<std::size_t>(of_fastest(rungs))];
  row.says = {fastest.entry->record.variant + ", " +
              in_words(energy_of(fastest))};
  if (thrifty.entry != fastest.entry) {
    row.says.push_back(in_words(times(more)) + " the energy of " +
                       thrifty.entry->record.variant +
                       (of_fastest(rungs) == Thrift::tie ? ": a tie" : ""));
  }
  return row;
}

Cell is_it_the_fastest(const Costs& rungs) {
  const auto &thrifty = least(rungs, joules_of),
             &fastest = least(rungs, seconds_of);
  const auto of_time =
      ratio(thrifty.entry->summary.estimate, fastest.entry->summary.estimate);
  const auto of_energy =
      ratio(fastest.energy.estimate, thrifty.energy.estimate);
  const auto joules = times(of_energy);
  if (thrifty.entry == fastest.entry) {
    const auto others = ties_in_joules(rungs, thrifty);
    return {"yes",
            Quantity{seconds_of(fastest), Unit::second} +
                Text(others.empty() ? "" : "; a tie in energy with " + others)};
  }
  if (parlab::tied(of_energy)) {
    return {
        "no; a tie in energy with the fastest, " + fastest.entry->record.name(),
        "relative energy of that: " + Text(Range{joules})};
  }
  if (parlab::tied(of_time)) {
    return {"a tie with " + fastest.entry->record.name(),
            "in time; energy of that: " + Text(Range{joules})};
  }
  return {"no: " + fastest.entry->record.name(),
          "which needs " + Text(joules) + " the energy (" + Range{joules} +
              ") and " + Quantity{1 / of_time.value, Unit::factor} +
              " the time"};
}

Table table_of_rungs(const Costs& rungs, const std::string& title) {
  auto table = folded_numbers(
      title, {"variant", "time", "back to back", "energy", "95 %", "per joule",
              "power", "at rest", "source"});
  for (const auto& rung : rungs) {
    const auto& record = rung.entry->record;
    const auto& energy = *record.energy;
    const auto joules = energy_of(rung);
    table.add({setting(record), Quantity{seconds_of(rung), Unit::second},
               Quantity{energy.seconds, Unit::second}, joules, Range{joules},
               per_joule(rung),
               Quantity{joules.value / energy.seconds, Unit::watt},
               Quantity{energy.idle_w, Unit::watt}, energy.source});
  }
  return table;
}

// Reasons that differ only in counts and quantities are the same.
bool same_reason(const Detail& a, const Detail& b) {
  const auto same = [](const Argument& one, const Argument& other) {
    return one == other || (one.index() == other.index() &&
                            !std::holds_alternative<std::string>(one));
  };
  return a.cause == b.cause &&
         std::ranges::equal(a.arguments, b.arguments, same) &&
         std::ranges::equal(a.further, b.further, same_reason);
}

// Each reason once, with its last example.
std::optional<Section> without_joules(const Measured& measured) {
  std::vector<std::pair<Detail, std::size_t>> reasons;
  for (const auto& entry : measured.entries) {
    const auto& energy = entry.record.energy;
    if (!energy || !energy->absent) continue;
    auto reason = std::ranges::find_if(reasons, [&](const auto& known) {
      return same_reason(known.first, energy->absent);
    });
    if (reason == reasons.end()) reason = reasons.insert(reason, {{}, 0});
    reason->first = energy->absent;
    ++reason->second;
  }
  List list;
  for (const auto& [example, count] : reasons) {
    list.items.push_back("No energy for " + counted(count, "measurement") +
                         ": " + example);
  }
  if (list.items.empty()) return std::nullopt;
  return Section{
      .title = "Measurements without energy", .blocks = {list}, .folded = true};
}

bool asked_for_energy(const Measured& measured) {
  return std::ranges::any_of(measured.entries, [](const Entry& entry) {
    return entry.record.energy.has_value();
  });
}

// The answer for each workload, on the GPU if there is one; a ladder of one
// rung has none.
struct Answers {
  std::size_t asked = 0, yes = 0, tie = 0;
  std::vector<MarkedRow> rows = {};

  void add(const Costs& rungs, const std::string& workload) {
    if (rungs.size() < 2) return;
    ++asked;
    yes += of_fastest(rungs) == Thrift::yes;
    tie += of_fastest(rungs) == Thrift::tie;
    rows.push_back(row_of(rungs, workload));
  }
};
// "; 2 more cannot be told apart"
std::string untold(const Answers& answers) {
  if (answers.tie == 0) return "";
  return "; " + std::to_string(answers.tie) + " more cannot be told apart";
}

}  // namespace

std::optional<Headline> of_energy(const Measured& measured) {
  Answers answers;
  for (const auto& reference : references(measured)) {
    const auto half = on_device(of_workload(all(measured), reference.workload),
                                measured.has_gpu());
    answers.add(ladder_with_energy(half, reference).rungs, reference.workload);
  }
  if (answers.asked == 0) return std::nullopt;
  return Headline{of_all(answers.yes, answers.asked),
                  "workloads need the least energy with their fastest variant" +
                      untold(answers),
                  "#energy"};
}

std::optional<Section> energy(const Measured& measured) {
  if (!asked_for_energy(measured)) return std::nullopt;
  auto table = folded_table("The variant with the least energy",
                            {"Workload", "Least energy", "Of one execution",
                             "Per joule", "Is it the fastest?"});
  std::vector<Block> details;
  Answers answers;
  Strip strip{.id = "fig-energy",
              .title = {},
              .logarithmic = true,
              .from = 1,
              .key = {{Look::ring, "a kernel"}, {Look::disc, "the fastest"}},
              .leads = "Each row links to the ladder of its workload.",
              .caption =
                  "Energy of one execution, relative to the lowest of its "
                  "workload. \"Yes\": the fastest variant is at the left end "
                  "and needs the least energy. \"Tie\": another variant needs "
                  "less, but the samples cannot tell the two apart, in energy "
                  "or in time. Sizes are those at which energy was measured."};
  for (const auto& reference : references(measured)) {
    const auto& workload = reference.workload;
    for (const bool gpu : {true, false}) {
      const auto entries = on_device(of_workload(all(measured), workload), gpu);
      const auto [rungs, timed] = ladder_with_energy(entries, reference);
      if (rungs.empty()) continue;
      const auto& thrifty = least(rungs, joules_of);
      const auto& record = thrifty.entry->record;
      const auto where_it_was =
          std::string(gpu ? "GPU, " : "CPU, ") + point_of(record);
      const Link link{workload, "#" + anchor("workload-" + workload)};
      table.add(
          {Cell(link, where_it_was),
           Cell(setting(record), std::to_string(rungs.size()) + " of " +
                                     counted(timed, "variant") + " measured"),
           with_interval(energy_of(thrifty)), per_joule(thrifty),
           is_it_the_fastest(rungs)});
      details.push_back(
          table_of_rungs(rungs, workload + " on the " + where_it_was));
      if (gpu == measured.has_gpu()) answers.add(rungs, workload);
    }
  }
  strip.rows = std::move(answers.rows);
  logarithmic_axis(strip);
  Section section{.id = "energy",
                  .title = "Does the fastest need the least energy?",
                  .label = "Energy: does the fastest need the least?"};
  if (answers.asked > 0) {
    strip.title = "In " + of_all(answers.yes, answers.asked) +
                  " workloads the fastest variant needs the least energy" +
                  untold(answers) + ".";
    section.blocks = {Paragraph{strip.title}, strip};
  }
  section.add(table);
  section.add(
      remark("Energy of one execution, including idle power. For a GPU it is "
             "that of the whole board, for a CPU that of its packages and, if "
             "it is counted, their memory; the rest of the machine is not "
             "included. A GPU is therefore not compared with a CPU. Each "
             "variant is shown with its fastest setting whose energy was "
             "measured. \"Back to back\": time per execution in the long loop "
             "used to measure energy; power is that of this loop."));
  section.add(std::move(details));
  section.add(without_joules(measured));
  return section;
}

}  // namespace parlab::page
