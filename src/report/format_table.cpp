// The readable table: one per point, the best marked, ties shown.
#include <algorithm>
#include <cmath>
#include <ostream>
#include <sstream>

#include "core/parallel.hpp"
#include "core/text.hpp"
#include "core/variant.hpp"
#include "record/speedup.hpp"
#include "render/words.hpp"
#include "report/reporter.hpp"
#include "report/text_table.hpp"

namespace parlab {
namespace {

struct Row {
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
  const Row* best = nullptr;
  const Record* baseline = nullptr;  // the serial one
  Uncertain baseline_time;
  bool gflops = false;  // the rate to show: Gflop/s instead of GB/s
};

// From here on arithmetic and not memory is expected to be the limit.
constexpr double many_flops_a_byte = 10;

std::vector<Row> rows_of(const std::vector<Record>& records) {
  std::vector<Row> rows;
  for (const auto& record : records) {
    const bool timed = record.timed() && !record.emulated;
    rows.push_back({&record, timed ? record.summary() : Summary{}, timed});
  }
  return rows;
}

Yardsticks compare(const std::vector<Row>& rows,
                   const std::vector<Record>& records) {
  Yardsticks yardsticks;
  yardsticks.baseline = baseline_of(records, records.front());
  if (yardsticks.baseline != nullptr) {
    yardsticks.baseline_time = yardsticks.baseline->summary().estimate;
  }
  for (const auto& row : rows) {
    if (row.record->bytes > 0) {
      yardsticks.gflops =
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

std::string mark_of(const Row& row, const Yardsticks& yardsticks) {
  if (row.record == yardsticks.best->record) return "*";
  if (!row.timed || row.record->from_host != yardsticks.best->record->from_host)
    return "";
  return tied(ratio(row.summary.estimate, yardsticks.best->summary.estimate))
             ? "="
             : "";
}

std::string half_width(const Row& row) {
  if (!row.interval()) return "? ";
  return percent(relative_half_width(row.summary)) +
         (row.record->converged ? " " : "!");
}

std::string rate(const Row& row, bool gflops) {
  const double amount = gflops ? row.record->flops : row.record->bytes;
  return amount > 0 ? significant(amount * 1e-9 / row.summary.median, 4, 3)
                    : "-";
}

std::string roof(const Row& row) {
  if (row.record->roof_s <= 0) return "-";
  return percent(row.record->roof_s / row.summary.median);
}

struct Gain {
  std::string value = "-", interval, with_copies = "-";
};

Gain gain_of(const Row& row, const Yardsticks& yardsticks) {
  const Record* baseline = yardsticks.baseline;
  if (baseline == nullptr) return {};
  const auto times = [](double factor) {
    return significant(factor, 3, 3) + "x";
  };
  const auto over_baseline = [&](bool with_transfers) {
    return speedup(*row.record, row.summary.estimate, *baseline,
                   yardsticks.baseline_time, with_transfers);
  };
  const auto kernel = over_baseline(false), with_copies = over_baseline(true);
  Gain gain;
  if (with_copies) gain.with_copies = times(with_copies->value);
  if (!kernel) return gain;
  gain.value = times(kernel->value);
  if (row.record == baseline) return gain;
  const auto& [low, high] = kernel->interval;
  gain.interval =
      std::isfinite(high)
          ? join({significant(low, 3, 3), significant(high, 3, 3)}, "-")
          : std::string("?");
  return gain;
}

// What stands in place of the numbers.
std::string reason(const Record& record) {
  const std::string verdict(to_string(record.verdict));
  if (record.verdict != Verdict::passed) {
    return (record.emulated ? "executed by emulation, " : "") + verdict +
           (record.detail ? ": " + words(record.detail) : "");
  }
  return record.emulated ? "executed by emulation, passed; no time"
                         : "passed; not timed";
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

bool any_energy(const std::vector<Row>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const Row& row) { return row.record->has_energy(); });
}

std::string energy(const Record& record) {
  if (!record.has_energy()) return "-";
  auto text = seconds_with_unit(record.energy->summary().median);
  text.back() = 'J';  // whose prefixes are those of seconds
  return text;
}

// Each reason once, with whom it is about.
void print_absent_energy(std::ostream& out, const std::vector<Row>& rows) {
  std::vector<std::pair<Detail, std::vector<std::string>>> reasons;
  for (const auto& row : rows) {
    const auto& of_row = row.record->energy;
    if (!row.timed || !of_row || !of_row->absent) continue;
    const auto is = [&](const auto& reason) {
      return reason.first == of_row->absent;
    };
    auto reason = std::find_if(reasons.begin(), reasons.end(), is);
    if (reason == reasons.end())
      reason = reasons.insert(reason, {of_row->absent, {}});
    reason->second.push_back(row.record->backend + "/" + row.record->variant);
  }
  for (auto& [why, whose] : reasons) {
    whose.erase(std::unique(whose.begin(), whose.end()), whose.end());
    const auto text = "no energy of " + join(whose, ", ") + ": " + words(why);
    for (const auto& line : wrap(text, 100))
      out << line << '\n';
  }
}

void print_verdicts(std::ostream& out, const std::vector<Row>& rows) {
  TextTable table({{"", false},
                   {"variant", false, 30},
                   {"tunables", false, 20},
                   {"verdict"}});
  for (const auto& row : rows) {
    const Record& record = *row.record;
    table.add({"-", record.backend + "/" + record.variant,
               to_string(record.tunables)},
              reason(record));
  }
  table.print(out);
}

void print_rows(std::ostream& out,
                const std::vector<Row>& rows,
                const Yardsticks& yardsticks) {
  if (yardsticks.best == nullptr) return print_verdicts(out, rows);
  const bool energies = any_energy(rows);
  std::vector<TextTable::Column> columns{
      {"", false},
      {"variant", false, 20},
      {"tunables", false, 12},
      {"time", true},
      {"+-95% ", true},
      {yardsticks.gflops ? "Gflop/s" : "GB/s", true},
      {"roof", true},
      {"speedup", true},
      {"(95%)", false},
      {"+copies", true}};
  if (energies) columns.push_back({"joules", true});
  TextTable table(columns);
  for (const auto& row : rows) {
    const Record& record = *row.record;
    const auto name = record.backend + "/" + record.variant;
    if (!row.timed) {
      table.add({"-", name, to_string(record.tunables)}, reason(record));
      continue;
    }
    const auto gain = gain_of(row, yardsticks);
    std::vector<std::string> cells{mark_of(row, yardsticks),
                                   name,
                                   to_string(record.tunables),
                                   seconds_with_unit(row.summary.median),
                                   half_width(row),
                                   rate(row, yardsticks.gflops),
                                   roof(row),
                                   gain.value,
                                   gain.interval,
                                   gain.with_copies};
    if (energies) cells.push_back(energy(record));
    table.add(cells);
    if (const auto note = notes(record); !note.empty())
      table.add({"", "", ""}, "(" + note + ")");
  }
  table.print(out);
}

// The fastest configuration of each variant; one without a time
// when there is no other.
std::vector<Row> best_of_each(const std::vector<Row>& rows) {
  std::vector<Row> best;
  for (const auto& row : rows) {
    const auto same =
        std::find_if(best.begin(), best.end(), [&](const Row& other) {
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
    std::erase_if(rows, [&](const Row& row) { return !keep(*row.record); });
  if (rows.empty()) return {};
  const auto yardsticks = compare(rows, records);
  const Record& first = records.front();
  std::ostringstream out;
  out << first.workload << ' ' << size_text(first.workload, first.size) << ' '
      << to_string(first.dtype) << ", caches " << to_string(first.cache)
      << '\n';
  print_rows(out, rows, yardsticks);
  const auto best = best_of_each(rows);
  if (yardsticks.best != nullptr && best.size() < rows.size()) {
    out << "best of each variant\n";
    print_rows(out, best, yardsticks);
  }
  print_absent_energy(out, rows);
  out << '\n';
  const auto* baseline = yardsticks.baseline;
  return {out.str(), baseline == nullptr ? std::string() : baseline->variant,
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
    out_ << "*: lowest median time; =: a tie with it, the samples do not tell "
            "them apart; -: no "
            "time.\n"
            "+-95%: half width of the median's interval; !: wider than asked "
            "for; ?: too few "
            "samples.\n"
            "roof: share of the rate this machine can attain.";
    if (!baseline_.empty()) {
      out_ << "\nspeedup: over serial/" << baseline_
           << ", with its 95 % interval; +copies: with those to and from the "
              "GPU.";
    }
    if (energy_) {
      out_ << "\njoules: of one execution, by the counters of the GPU or of "
              "the CPU, to 3 %.";
    }
    out_ << std::endl;
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
