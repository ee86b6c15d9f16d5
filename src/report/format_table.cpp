// The readable table: one per point, the best marked, ties shown.
#include <algorithm>
#include <cmath>
#include <ostream>

#include "core/parallel.hpp"
#include "core/text.hpp"
#include "core/variant.hpp"
#include "record/speedup.hpp"
#include "render/terminal.hpp"
#include "report/reporter.hpp"

namespace parlab {
namespace {

struct TimedRow {
  const Record* record;
  Summary summary;
  bool timed;  // only what passed has a time
  bool interval() const {
    return timed && std::isfinite(summary.interval.high);
  }
};

// What all rows of one point are compared with.
struct Yardsticks {
  // lowest median; of those with their data in place, if any
  const TimedRow* best = nullptr;
  const Record* baseline = nullptr;  // the serial one
  Uncertain baseline_time;
  bool flops = false;  // the rate to show: operations and not bytes
};

// From here on arithmetic and not memory is expected to be the limit.
constexpr double many_flops_a_byte = 10;

std::vector<TimedRow> rows_of(const std::vector<Record>& records) {
  std::vector<TimedRow> rows;
  for (const auto& record : records) {
    const bool timed = record.timed() && !record.emulated;
    rows.push_back({&record, timed ? record.summary() : Summary{}, timed});
  }
  return rows;
}

Yardsticks compare(const std::vector<TimedRow>& rows,
                   const std::vector<Record>& records) {
  Yardsticks yardsticks;
  yardsticks.baseline = baseline_of(records, records.front());
  if (yardsticks.baseline != nullptr)
    yardsticks.baseline_time = yardsticks.baseline->summary().estimate;
  for (const auto& row : rows) {
    if (row.record->bytes > 0) {
      yardsticks.flops =
          row.record->flops / row.record->bytes >= many_flops_a_byte;
    }
    if (!row.timed || row.record->from_host) continue;
    if (yardsticks.best == nullptr ||
        row.summary.median < yardsticks.best->summary.median) {
      yardsticks.best = &row;
    }
  }
  for (const auto& row : rows) {
    if (row.timed && yardsticks.best == nullptr) yardsticks.best = &row;
  }
  return yardsticks;
}

std::string mark_of(const TimedRow& row, const Yardsticks& yardsticks) {
  if (row.record == yardsticks.best->record) return "*";
  if (!row.timed || row.record->from_host != yardsticks.best->record->from_host)
    return "";
  return tied(ratio(row.summary.estimate, yardsticks.best->summary.estimate))
             ? "="
             : "";
}

Text half_width(const TimedRow& row) {
  if (!row.interval()) return "? ";
  return Quantity{relative_half_width(row.summary), Unit::fraction} +
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

struct Gain {
  Text value = "-", interval = {}, with_copies = "-";
};

Gain gain_of(const TimedRow& row, const Yardsticks& yardsticks) {
  const Record* baseline = yardsticks.baseline;
  if (baseline == nullptr) return {};
  const auto over_baseline = [&](Copies copies) {
    return speedup(*row.record, row.summary.estimate, *baseline,
                   yardsticks.baseline_time, copies);
  };
  const auto kernel = over_baseline(Copies::none),
             with_copies = over_baseline(Copies::pageable);
  Gain gain;
  if (with_copies)
    gain.with_copies = Quantity{with_copies->value, Unit::factor};
  if (!kernel) return gain;
  const auto& [low, high] = kernel->interval;
  const Quantity times{kernel->value, Unit::factor, Interval{low, high}};
  gain.value = times;
  if (row.record != baseline)
    gain.interval = std::isfinite(high) ? Text(Range{times}) : Text("?");
  return gain;
}

// What stands in place of the numbers.
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

bool any_energy(const std::vector<TimedRow>& rows) {
  return std::ranges::any_of(
      rows, [](const TimedRow& row) { return row.record->has_energy(); });
}

Text energy(const Record& record) {
  if (!record.has_energy()) return "-";
  return Quantity{record.energy->summary().median, Unit::joule};
}

// Each reason once, with whom it is about.
void add_absent_energy(Section& section, const std::vector<TimedRow>& rows) {
  std::vector<std::pair<Detail, std::vector<std::string>>> reasons;
  for (const auto& row : rows) {
    const auto& of_row = row.record->energy;
    if (!row.timed || !of_row || !of_row->absent) continue;
    const auto is = [&](const auto& reason) {
      return reason.first == of_row->absent;
    };
    auto reason = std::ranges::find_if(reasons, is);
    if (reason == reasons.end())
      reason = reasons.insert(reason, {of_row->absent, {}});
    reason->second.push_back(row.record->backend + "/" + row.record->variant);
  }
  for (auto& [why, whose] : reasons) {
    whose.erase(std::unique(whose.begin(), whose.end()), whose.end());
    section.blocks.push_back(Paragraph{
        .text = "no energy of " + join(whose, ", ") + ": " + Text(why)});
  }
}

Table table_of_verdicts(const std::vector<TimedRow>& rows) {
  Table table{.columns = {{},
                          {.title = "variant", .widest = 30},
                          {.title = "tunables", .widest = 20},
                          {.title = "verdict"}}};
  for (const auto& row : rows) {
    const Record& record = *row.record;
    table.rows.push_back(row_of({"-", record.backend + "/" + record.variant,
                                 to_string(record.tunables), reason(record)}));
  }
  return table;
}

Table table_of_rows(const std::vector<TimedRow>& rows,
                    const Yardsticks& yardsticks) {
  if (yardsticks.best == nullptr) return table_of_verdicts(rows);
  const bool energies = any_energy(rows);
  Table table{.columns = {{},
                          {.title = "variant", .widest = 20},
                          {.title = "tunables", .widest = 12},
                          {.title = "time", .right = true},
                          {.title = "+-95% ", .right = true},
                          {.title = "rate", .right = true},
                          {.title = "roof", .right = true},
                          {.title = "speedup", .right = true},
                          {.title = "(95%)"},
                          {.title = "+copies", .right = true}}};
  if (energies) table.columns.push_back({.title = "joules", .right = true});
  for (const auto& row : rows) {
    const Record& record = *row.record;
    const auto name = record.backend + "/" + record.variant;
    if (!row.timed) {
      table.rows.push_back(
          row_of({"-", name, to_string(record.tunables), reason(record)}));
      continue;
    }
    const auto gain = gain_of(row, yardsticks);
    std::vector<Text> cells{mark_of(row, yardsticks),
                            name,
                            to_string(record.tunables),
                            Quantity{row.summary.median, Unit::second},
                            half_width(row),
                            rate(row, yardsticks.flops),
                            roof(row),
                            gain.value,
                            gain.interval,
                            gain.with_copies};
    if (energies) cells.push_back(energy(record));
    table.rows.push_back(row_of(cells));
    if (const auto note = notes(record); !note.empty())
      table.rows.push_back(row_of({"", "", "", "(" + note + ")"}));
  }
  return table;
}

// The fastest configuration of each variant; one without a time
// when there is no other.
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

// What is printed of one point; nothing when none of its records is kept.
struct Printed {
  std::string text, baseline;
  bool times = false, energy = false;
};

Printed printed(const std::vector<Record>& records, const Keep& keep) {
  auto rows = rows_of(records);
  if (keep)
    std::erase_if(rows,
                  [&](const TimedRow& row) { return !keep(*row.record); });
  if (rows.empty()) return {};
  const auto yardsticks = compare(rows, records);
  const Record& first = records.front();
  Section section{.title = first.workload + " " +
                           size_text(first.workload, first.size) + " " +
                           to_string(first.dtype) + ", caches " +
                           to_string(first.cache)};
  section.blocks.push_back(table_of_rows(rows, yardsticks));
  const auto best = best_of_each(rows);
  if (yardsticks.best != nullptr && best.size() < rows.size()) {
    section.blocks.push_back(
        Section{.title = "best of each variant",
                .blocks = {table_of_rows(best, yardsticks)}});
  }
  add_absent_energy(section, rows);
  const auto* baseline = yardsticks.baseline;
  return {terminal(section) + "\n",
          baseline == nullptr ? std::string() : baseline->variant,
          yardsticks.best != nullptr, any_energy(rows)};
}

class TableReporter final : public Reporter {
 public:
  TableReporter(std::ostream& out, const Keep& keep) : out_(out), keep_(keep) {}

  void point(const std::vector<Record>& records) override {
    print(printed(records, keep_));
    out_.flush();  // it took seconds to measure
  }

  // Each by itself, on all cores: medians and intervals of
  // many records take a while.
  void points(const std::vector<std::vector<Record>>& all) override {
    std::vector<Printed> texts(all.size());
    on_all_cores(all.size(),
                 [&](std::size_t i) { texts[i] = printed(all[i], keep_); });
    for (const auto& text : texts)
      print(text);
  }

  void finish() override {
    if (!times_) return;  // nothing of what is explained here was printed
    Document notes;
    const auto say = [&](const std::string& text) {
      notes.blocks.push_back(Paragraph{.text = text, .small = true});
    };
    say("*: lowest median time; =: a tie with it, the samples do not tell them "
        "apart; -: no time.");
    say("+-95%: half width of the median's interval; !: wider than asked for; "
        "?: too few samples.");
    say("rate: bytes or operations that are needed, per second; roof: share of "
        "the rate this machine can attain.");
    if (!baseline_.empty()) {
      say("speedup: over serial/" + baseline_ +
          ", with its 95 % interval; +copies: with those to and from the GPU.");
    }
    if (energy_) {
      say("joules: of one execution, by the counters of the GPU or of the CPU, "
          "to 3 %.");
    }
    out_ << terminal(notes) << std::flush;
  }

 private:
  void print(const Printed& point) {
    if (point.text.empty()) return;
    out_ << point.text;
    if (!point.baseline.empty()) baseline_ = point.baseline;
    times_ |= point.times;
    energy_ |= point.energy;
  }

  std::ostream& out_;
  Keep keep_;
  std::string baseline_;
  bool times_ = false, energy_ = false;
};

}  // namespace

std::unique_ptr<Reporter> make_table_reporter(std::ostream& out,
                                              const Keep& keep) {
  return std::make_unique<TableReporter>(out, keep);
}

}  // namespace parlab
