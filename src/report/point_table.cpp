#include "report/point_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/text.hpp"
#include "core/variant.hpp"
#include "record/speedup.hpp"
#include "statistics/statistics.hpp"

namespace parlab {
namespace {

struct TimedRow {
  const Record* record;
  Summary summary;
  bool timed;  // only results that passed have a time
  bool interval() const {
    return timed && std::isfinite(summary.interval.high);
  }
};

// The references for all rows of one point.
struct Yardsticks {
  // lowest median; among rows with the arithmetic of their type if there are
  // any, and among these of rows with data in place
  const TimedRow* best = nullptr;
  const Record* baseline = nullptr;  // the serial one
  Uncertain baseline_time;
  bool flops = false;  // show the rate of operations, not of bytes
  // of the rows whose variant was also measured with one thread
  std::map<const Record*, ThreadGain> threads = {};
};

// From this ratio on, arithmetic is expected to be the limit, not memory.
constexpr double many_flops_a_byte = 10;

bool in_full(const TimedRow& row) {
  return precision_of(*row.record) == Precision::full;
}

std::string mark_of(const TimedRow& row, const Yardsticks& yardsticks) {
  if (row.timed && !in_full(row)) return "~";
  if (row.record == yardsticks.best->record) return "*";
  if (!row.timed || row.record->from_host != yardsticks.best->record->from_host)
    return "";
  return tied(ratio(row.summary.estimate, yardsticks.best->summary.estimate))
             ? "="
             : "";
}

Text half_width(const TimedRow& row) {
  if (!row.interval()) return "? ";
  const double share = relative_half_width(row.summary);
  // Above the value itself, the exact width does not matter.
  return (share > 0.99 ? Text(">99%") : Quantity{share, Unit::fraction}) +
         Text(row.record->converged ? " " : "!");
}

Text rate(const TimedRow& row, bool flops) {
  const double amount = flops ? row.record->flops : row.record->bytes;
  if (amount <= 0) return "-";
  return Quantity{amount / row.summary.median,
                  flops ? Unit::flop_per_second : Unit::byte_per_second};
}

Text roof(const TimedRow& row) {
  if (row.record->roof_s <= 0) return "-";
  return Quantity{row.record->roof_s / row.summary.median, Unit::fraction};
}

std::optional<Ratio> ratio_of(const TimedRow& row, const Yardsticks& yardsticks,
                              Copies copies) {
  return speedup(*row.record, row.summary.estimate, *yardsticks.baseline,
                 yardsticks.baseline_time, copies);
}

Text gain_of(const TimedRow& row, const Yardsticks& yardsticks, Copies copies) {
  if (yardsticks.baseline == nullptr) return {};
  const auto gain = ratio_of(row, yardsticks, copies);
  if (!gain) return "-";
  return Quantity{gain->value, Unit::factor};
}

// Whether a table needs columns for copies.
bool any_copies(const std::vector<TimedRow>& rows) {
  return std::ranges::any_of(rows, [](const TimedRow& row) {
    return row.record->from_host || row.record->to_device_s > 0;
  });
}

// The text in place of the numbers.
Text reason(const Record& record) {
  const bool passed = record.verdict == Verdict::passed;
  Text text = record.emulated ? "executed by emulation, " : "";
  text += to_string(record.verdict);
  if (passed) text += record.emulated ? "; no time" : "; not timed";
  return record.detail ? text + ": " + record.detail : text;
}

std::string notes(const Record& record) {
  std::vector<std::string> parts;
  if (record.from_host)
    parts.push_back("from host memory and back: copies are in the time");
  if (record.discarded > 0) {
    parts.push_back(std::to_string(record.discarded) +
                    " samples discarded, the clock had fallen");
  }
  for (const auto& flag : record.flags)
    parts.push_back(flag);
  return join(parts, "; ");
}

Text energy(const Record& record) {
  if (!record.has_energy()) return "-";
  return Quantity{record.energy->summary().median, Unit::joule};
}

void add_without_time(Table& table, const Record& record) {
  table.add({"-", record.name(), to_string(record.tunables), reason(record)})
      .tone = failed(record) ? Tone::bad : Tone::faint;
}

Table table_of_verdicts(const std::vector<TimedRow>& rows) {
  Table table{.columns = {{},
                          {.title = "variant", .widest = 30},
                          {.title = "tunables", .widest = 20},
                          {.title = "verdict"}}};
  for (const auto& row : rows)
    add_without_time(table, *row.record);
  return table;
}

Row row_with_time(const TimedRow& row, const Yardsticks& yardsticks,
                  bool copies, bool efficiencies, bool energies) {
  const auto threads = yardsticks.threads.find(row.record);
  const Record& record = *row.record;
  const auto mark = mark_of(row, yardsticks);
  Row line{{mark, record.name(), to_string(record.tunables),
            Quantity{row.summary.median, Unit::second}, half_width(row),
            Meter{std::min(
                1.0, yardsticks.best->summary.median / row.summary.median)},
            roof(row), rate(row, yardsticks.flops),
            gain_of(row, yardsticks, Copies::none),
            copies ? gain_of(row, yardsticks, Copies::pageable) : Text()}};
  if (efficiencies) {
    line.cells.emplace_back(
        threads == yardsticks.threads.end()
            ? Text("-")
            : Quantity{threads->second.efficiency.value, Unit::fraction});
  }
  if (energies) line.cells.emplace_back(energy(record));
  if (mark == "*" || mark == "=") line.tone = Tone::good;
  return line;
}

// rows: the shown ones of these records.
Yardsticks compare(const std::vector<TimedRow>& rows,
                   const std::vector<Record>& records, const Run& run) {
  Yardsticks yardsticks;
  for (const auto& row : rows) {
    if (auto gain = gain_by_threads(*row.record, records, run))
      yardsticks.threads.emplace(row.record, std::move(*gain));
  }
  yardsticks.baseline = baseline_of(records, records.front());
  if (yardsticks.baseline != nullptr)
    yardsticks.baseline_time = yardsticks.baseline->summary().estimate;
  for (const auto& row : rows) {
    if (row.record->bytes > 0) {
      yardsticks.flops =
          row.record->flops / row.record->bytes >= many_flops_a_byte;
    }
    const auto rank_of = [](const TimedRow& one) {
      return std::tuple(!in_full(one), one.record->from_host,
                        one.summary.median);
    };
    if (row.timed && (yardsticks.best == nullptr ||
                      rank_of(row) < rank_of(*yardsticks.best)))
      yardsticks.best = &row;
  }
  return yardsticks;
}

bool any_efficiency(const std::vector<TimedRow>& rows,
                    const Yardsticks& yardsticks) {
  return std::ranges::any_of(rows, [&](const TimedRow& row) {
    return yardsticks.threads.contains(row.record);
  });
}

bool any_energy(const std::vector<TimedRow>& rows) {
  return std::ranges::any_of(
      rows, [](const TimedRow& row) { return row.record->has_energy(); });
}

// Why some have no energy or no limit: each reason once, with the variants
// concerned.
void add_what_is_absent(Section& section, const std::vector<TimedRow>& rows) {
  const auto add = [&](const std::string& what, const auto& why_of) {
    std::vector<std::pair<Detail, std::vector<std::string>>> reasons;
    for (const auto& row : rows) {
      const Detail why = row.timed ? why_of(*row.record) : Detail();
      if (!why) continue;
      // Settings of a variant differ in numbers only.
      const auto is = [&](const auto& reason) {
        return reason.first == why ||
               (reason.first.cause == why.cause &&
                reason.second.back() == row.record->name());
      };
      auto reason = std::ranges::find_if(reasons, is);
      if (reason == reasons.end()) reason = reasons.insert(reason, {why, {}});
      reason->second.push_back(row.record->name());
    }
    for (auto& [why, whose] : reasons) {
      whose.erase(std::unique(whose.begin(), whose.end()), whose.end());
      section.add(
          Paragraph{.text = what + join(whose, ", ") + ": " + Text(why)});
    }
  };
  add("no energy of ", [](const Record& record) {
    return record.energy ? record.energy->absent : Detail();
  });
  add("no limit of ", [](const Record& record) { return record.roof_absent; });
}

Table table_of_rows(const std::vector<TimedRow>& rows,
                    const Yardsticks& yardsticks) {
  if (yardsticks.best == nullptr) return table_of_verdicts(rows);
  const bool energies = any_energy(rows), copies = any_copies(rows);
  Table table{.columns = {{},
                          {.title = "variant", .widest = 20},
                          {.title = "tunables", .widest = 12},
                          {.title = "time", .right = true},
                          {.title = "+-95% ", .right = true},
                          {.gives_way = true},
                          {.title = "limit", .right = true},
                          {.title = "rate", .right = true},
                          {.title = "speedup", .right = true},
                          {.title = "+copies", .right = true}}};
  const bool efficiencies = any_efficiency(rows, yardsticks);
  if (efficiencies)
    table.columns.push_back({.title = "efficiency", .right = true});
  if (energies) table.columns.push_back({.title = "joules", .right = true});
  for (const auto& row : rows) {
    if (!row.timed) {
      add_without_time(table, *row.record);
      continue;
    }
    table.rows.push_back(
        row_with_time(row, yardsticks, copies, efficiencies, energies));
    if (const auto note = notes(*row.record); !note.empty())
      table.add({"", "", "", "(" + note + ")"});
  }
  return table;
}

// The fastest configuration of each variant, or one without a time if no other
// exists.
std::vector<TimedRow> best_of_each(const std::vector<TimedRow>& rows) {
  std::vector<TimedRow> best;
  for (const auto& row : rows) {
    const auto same = std::ranges::find_if(best, [&](const TimedRow& other) {
      return other.record->full_name() == row.record->full_name();
    });
    if (same == best.end()) {
      best.push_back(row);
    } else if (row.timed &&
               (!same->timed || row.summary.median < same->summary.median)) {
      *same = row;
    }
  }
  return best;
}

// The fastest variant, its lead, and the ones that the samples cannot tell from
// it. Empty if none has the arithmetic of its type.
Paragraph fastest(const std::vector<TimedRow>& best,
                  const Yardsticks& yardsticks, bool can_go_on) {
  const Record& record = *yardsticks.best->record;
  if (!in_full(*yardsticks.best)) return {};
  Text text = "fastest: " + Text(record.name());
  if (yardsticks.baseline != nullptr && yardsticks.baseline != &record) {
    const auto gain = ratio_of(*yardsticks.best, yardsticks, Copies::none);
    if (gain && !tied(*gain)) {
      text += ", " + Text(Quantity{gain->value, Unit::factor}) +
              " as fast as " + yardsticks.baseline->name();
    }
  }
  std::vector<std::string> ties;
  bool wide = !record.converged;
  for (const auto& row : best) {
    if (mark_of(row, yardsticks) != "=") continue;
    ties.push_back(row.record->name());
    wide |= !row.record->converged;
  }
  if (!ties.empty()) text += ", tied with " + listed(ties);
  if (wide && can_go_on)
    text += "; intervals are wide: a longer --time-limit narrows them";
  return {.text = text, .small = true};
}

// The variants with other arithmetic than that of their type, which are marked
// in the table and compete with no others.
void add_other_arithmetic(Section& section, const std::vector<TimedRow>& best) {
  const auto add = [&](Precision precision, const char* what) {
    std::vector<std::string> names;
    for (const auto& row : best) {
      if (row.timed && precision_of(*row.record) == precision)
        names.push_back(row.record->name() + " (" +
                        std::string(to_string(row.record->arithmetic)) + ")");
    }
    if (!names.empty())
      section.add(Paragraph{.text = what + listed(names), .small = true});
  };
  add(Precision::alike, "~ other arithmetic with the same accuracy: ");
  add(Precision::reduced, "~ in reduced precision: ");
}

// How well the fastest uses its threads, and what limits it; empty if that is
// not known.
Paragraph use_of_threads(const Yardsticks& yardsticks) {
  Text text;
  if (yardsticks.best == nullptr) return {};
  const auto found = yardsticks.threads.find(yardsticks.best->record);
  if (found != yardsticks.threads.end() && found->second.limit) {
    const auto& [threads, efficiency, limit] = found->second;
    text = "efficiency of its " + Text(threads) +
           " threads: " + Quantity{efficiency.value, Unit::fraction} + "; " +
           limit;
  }
  return {.text = text, .small = true};
}

}  // namespace

std::string title_of_point(const Record& record) {
  return record.workload + " " + size_text(record.workload, record.size) + " " +
         std::string(to_string(record.dtype)) + ", " +
         std::string(to_string(record.cache)) + " caches" +
         (record.inputs == InputKind::uniform
              ? ""
              : ", inputs " + std::string(to_string(record.inputs)));
}

PointTables tables_of_point(const std::vector<const Record*>& shown,
                            const std::vector<Record>& records, const Run& run,
                            bool all_settings, bool can_go_on) {
  std::vector<TimedRow> rows;
  for (const auto* record : shown) {
    const bool timed = record->timed() && !record->emulated;
    rows.push_back({record, timed ? record->summary() : Summary{}, timed});
  }
  const auto yardsticks = compare(rows, records, run);
  const auto best = best_of_each(rows);
  const bool any_time = yardsticks.best != nullptr;
  PointTables tables{.section = {.blocks = {table_of_rows(best, yardsticks)}},
                     .times = any_time,
                     .energy = any_energy(rows),
                     .threads = any_efficiency(best, yardsticks)};
  auto& section = tables.section;
  if (any_time && best.size() > 1)
    section.add(fastest(best, yardsticks, can_go_on));
  add_other_arithmetic(section, best);
  section.add(use_of_threads(yardsticks));
  if (best.size() < rows.size()) {
    if (all_settings) {
      section.add(Section{.title = "all settings",
                          .blocks = {table_of_rows(rows, yardsticks)}});
    } else {
      tables.more = rows.size() - best.size();
    }
  }
  add_what_is_absent(section, rows);
  if (yardsticks.baseline != nullptr)
    tables.baseline = yardsticks.baseline->name();
  return tables;
}

}  // namespace parlab
