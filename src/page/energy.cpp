// Joules of the rungs of each ladder.
#include <algorithm>
#include <map>

#include "core/numbers.hpp"
#include "page/sections.hpp"
#include "page/words.hpp"
#include "render/words.hpp"

namespace parlab::page {
namespace {

struct Rung {
  const Entry* entry;
  Summary energy;
};
using Rungs = std::vector<Rung>;

// Those with joules at one size and dtype, and how many variants have a time.
struct Ladder {
  Rungs rungs;
  std::size_t timed = 0;
};

std::string gflops_per_joule(const Rung& rung) {
  return significant(rung.entry->record.flops * 1e-9 / rung.energy.median, 3) +
         " Gflop/J";
}

const Rung& least(const Rungs& rungs, double (*of)(const Rung&)) {
  return *std::min_element(
      rungs.begin(), rungs.end(),
      [&](const Rung& a, const Rung& b) { return of(a) < of(b); });
}
double time_of(const Rung& rung) {
  return rung.entry->summary.median;
}
double joules_of(const Rung& rung) {
  return rung.energy.median;
}

// The size and dtype at which most variants have joules, the larger size
// of equals: the fastest setting of each. On one device: the GPU's joules
// are its own, the CPU's are of its packages.
Ladder ladder_with_energy(const Entries& on_one_device) {
  Ladder most;
  for (const auto dtype : dtypes(on_one_device)) {
    const auto same_type = of_dtype(on_one_device, dtype);
    for (const auto& size : sizes(same_type)) {
      const auto peers = where(
          of_size(same_type, size),
          [](const Entry& entry) { return !reduced_arithmetic(entry.record); });
      Ladder found{{}, ladder(peers).size()};
      for (const auto* entry : ladder(where(peers, [](const Entry& entry) {
             return entry.record.has_energy();
           }))) {
        found.rungs.push_back({entry, entry->record.energy->summary()});
      }
      if (!found.rungs.empty() && found.rungs.size() >= most.rungs.size())
        most = std::move(found);
    }
  }
  return most;
}

// Rungs whose joules cannot be told from those of the thriftiest.
std::string ties_in_joules(const Rungs& rungs, const Rung& thrifty) {
  std::string names;
  for (const auto& rung : rungs) {
    if (rung.entry == thrifty.entry ||
        !parlab::tied(ratio(rung.energy.estimate, thrifty.energy.estimate)))
      continue;
    names += (names.empty() ? "" : ", ") + name(rung.entry->record);
  }
  return names;
}

Cell is_it_the_fastest(const Rungs& rungs) {
  const auto &thrifty = least(rungs, joules_of),
             &fastest = least(rungs, time_of);
  const auto of_time =
      ratio(thrifty.entry->summary.estimate, fastest.entry->summary.estimate);
  const auto of_energy =
      ratio(fastest.energy.estimate, thrifty.energy.estimate);
  if (thrifty.entry == fastest.entry) {
    const auto others = ties_in_joules(rungs, thrifty);
    return {"yes",
            duration(time_of(fastest)) +
                (others.empty() ? "" : "; a tie in joules with " + others)};
  }
  if (parlab::tied(of_energy)) {
    return {
        "no; in joules a tie with the fastest, " + name(fastest.entry->record),
        "whose joules are " + range(of_energy)};
  }
  if (parlab::tied(of_time)) {
    return {"a tie with " + name(fastest.entry->record),
            "in time; in joules " + range(of_energy)};
  }
  return {"no: " + name(fastest.entry->record),
          "which needs " + factor(of_energy.value) + " the joules (" +
              range(of_energy) + ") and " + factor(1 / of_time.value) +
              " the time"};
}

void write_rungs(Html& html, const Rungs& rungs, const std::string& title) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& rung : rungs) {
    const auto& record = rung.entry->record;
    const auto& energy = *record.energy;
    rows.push_back({setting(record), duration(time_of(rung)),
                    duration(energy.seconds), joules(rung.energy.median),
                    joules(rung.energy), gflops_per_joule(rung),
                    significant(rung.energy.median / energy.seconds, 3) + " W",
                    significant(energy.idle_w, 3) + " W", energy.source});
  }
  html.open("details").element("summary",
                               title + ": " + counted(rungs.size(), "variant"));
  write_numbers(html,
                {"variant", "time", "one after another", "energy", "95 %",
                 "per joule", "power", "at rest", "source"},
                rows);
  html.close().line_break();
}

// Each reason once: those that differ in their numbers alone are one.
void write_absent(Html& html, const Measured& measured) {
  std::map<std::string, std::pair<std::string, std::size_t>> reasons;
  for (const auto& entry : measured.entries) {
    const auto& energy = entry.record.energy;
    if (!energy || !energy->absent) continue;
    const auto words_of_it = parlab::words(energy->absent);
    auto without_numbers = words_of_it;
    std::erase_if(without_numbers,
                  [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
    auto& [example, count] = reasons[without_numbers];
    example = words_of_it;
    ++count;
  }
  if (reasons.empty()) return;
  html.open("ul");
  for (const auto& [key, reason] : reasons) {
    const auto& [example, count] = reason;
    html.element(
        "li", "No joules of " + counted(count, "measurement") + ": " + example);
  }
  html.close().line_break();
}

}  // namespace

bool asked_for_energy(const Measured& measured) {
  return std::any_of(
      measured.entries.begin(), measured.entries.end(),
      [](const Entry& entry) { return entry.record.energy.has_value(); });
}

void write_energy(Html& html, const Measured& measured) {
  if (!asked_for_energy(measured)) return;
  html.open("section", {{"id", "energy"}}).element("h2", "Energy").line_break();
  html.element(
      "p",
      "Joules of one execution, what the device uses at rest included: of a "
      "GPU those of the whole board, of a CPU those of its packages and, where "
      "they are counted, their memory; never those of the rest of the machine. "
      "So a GPU is not compared with a CPU. Of each ladder the rung that costs "
      "the least, and whether it is the fastest of those whose joules were "
      "measured, each at one setting. \"One after another\" is the time of an "
      "execution among the many that the joules are of; power is that of this "
      "time.");
  std::vector<Row> rows;
  Html details;
  for (const auto& workload : measured.workloads()) {
    for (const bool gpu : {true, false}) {
      const auto entries = on_device(of_workload(all(measured), workload), gpu);
      const auto [rungs, timed] = ladder_with_energy(entries);
      if (rungs.empty()) continue;
      const auto& thrifty = least(rungs, joules_of);
      const auto& record = thrifty.entry->record;
      const auto where_it_was = std::string(gpu ? "GPU, " : "CPU, ") +
                                dimensions(record) + ", " +
                                std::string(parlab::to_string(record.dtype));
      rows.push_back(
          {{workload, where_it_was, "#" + anchor("workload-" + workload)},
           {setting(record), std::to_string(rungs.size()) + " of " +
                                 counted(timed, "variant") + " measured"},
           {joules(thrifty.energy.median), joules(thrifty.energy)},
           {gflops_per_joule(thrifty)},
           is_it_the_fastest(rungs)});
      write_rungs(details, rungs, workload + " on the " + where_it_was);
    }
  }
  if (!rows.empty()) {
    write_cards(html,
                {"Workload", "Least energy", "Of one execution", "Per joule",
                 "Is it the fastest?"},
                rows);
  }
  html.raw(details.str());
  write_absent(html, measured);
  html.close().line_break();
}

}  // namespace parlab::page
