// The readable table: one per point, with the best marked and ties shown.
#include <algorithm>
#include <array>
#include <map>
#include <ostream>

#include "core/parallel.hpp"
#include "core/text.hpp"
#include "core/variant.hpp"
#include "render/formats.hpp"
#include "report/point_table.hpp"
#include "report/reporter.hpp"

namespace parlab {
namespace {

// Right but not timed: one line is enough for all of them, also for sizes that
// were not requested.
bool is_only_verified(const Record& record) {
  return record.emulated && record.verdict == Verdict::passed &&
         (!record.detail || record.detail.cause == Cause::also_tried);
}

// "dmv 64x64 float, hot caches", with `whose` at the end of the line.
std::string heading(const Record& record, const std::string& whose,
                    std::size_t width) {
  const auto left = title_of_point(record);
  if (whose.empty()) return left;
  const auto used = length_of(left) + length_of(whose);
  const auto blanks = used + 2 <= width ? width - used : 2;
  return left + std::string(blanks, ' ') + whose;
}

// The GPU and the CPU; the machine's name if they are unknown.
std::string machine_of(const Run& run) {
  if (run.cpu.empty()) return run.machine;
  return (run.gpu.empty() ? "" : run.gpu + "; ") + run.cpu + ", " +
         std::to_string(run.cores) + " cores" +
         (run.gpu.empty() ? ", no GPU" : "");
}

// All of a few, the first and the last of many.
std::string in_brief(std::vector<std::string> problems) {
  constexpr std::size_t few = 8, of_end = 3;
  if (problems.size() <= few) return listed(problems);
  const auto count = std::to_string(problems.size()) + " problems: ";
  problems.erase(problems.begin() + of_end + 1, problems.end() - of_end);
  problems[of_end] = "...";
  return count + listed(problems);
}

// The output for one point, empty if none of its records is kept; or the sum of
// all.
struct Printed {
  std::string text;
  PointTables tables;  // in the sum without the section
  // verified by emulation: "dmv", "cuda/naive", "64x64 float"
  std::vector<std::array<std::string, 3>> verified = {};
  std::size_t passed = 0, failed = 0, others = 0;
};

class TableReporter final : public Reporter {
 public:
  TableReporter(std::ostream& out, const TableStyle& style)
      : out_(out), style_(style) {}

  void run(const Run& run) override { runs_[run.id] = run; }

  void point(const std::vector<Record>& records) override {
    print(printed(records));
    out_.flush();  // it took seconds to measure
  }

  // Points in parallel on all cores, because medians and intervals of many
  // records take a while.
  void points(const std::vector<std::vector<Record>>& all) override {
    std::vector<Printed> texts(all.size());
    on_all_cores(all.size(),
                 [&](std::size_t i) { texts[i] = printed(all[i]); });
    for (const auto& text : texts)
      print(text);
  }

  void finish() override {
    Document end;
    const auto say = [&](const std::string& text, Tone tone = Tone::plain) {
      end.add(Paragraph{.text = text, .small = true, .tone = tone});
    };
    if (all_.tables.times && style_.legend) add_legend(say);
    for (const auto& [names, sizes] : verified_by_size()) {
      say("verified by emulation, not timed: " + names + " at " + sizes);
    }
    if (all_.tables.more > 0) {
      say(std::to_string(all_.tables.more) +
          " more settings of these variants: --all shows them");
    }
    if (all_.passed + all_.failed + all_.others > 0)
      say(summary(), tone_of_summary());
    out_ << formatted(end, style_.looks) << std::flush;
  }

 private:
  void add_legend(const auto& say) const {
    say("*: lowest median time; =: a tie with it, the samples do not tell them "
        "apart; -: no time.");
    say("+-95%: half width of the median's interval; !: wider than asked for; "
        "?: too few samples.");
    say("limit: share of what this machine can attain; rate: bytes or "
        "operations that are needed, per second.");
    if (all_.tables.threads) {
      say("efficiency: time of one thread over n times that of n threads.");
    }
    if (!all_.tables.baseline.empty()) {
      say("speedup: over " + all_.tables.baseline +
          "; +copies: with those to and from the GPU.");
    }
    if (all_.tables.energy) {
      say("joules: of one execution, by the counters of the GPU or of the CPU, "
          "to 3 %.");
    }
  }

  // The variants that were verified, grouped by their sizes.
  std::vector<std::pair<std::string, std::string>> verified_by_size() const {
    std::map<std::string, std::vector<std::string>> sizes_of;
    std::map<std::vector<std::string>, std::vector<std::string>> names_at;
    for (const auto& [workload, name, size] : all_.verified) {
      auto& sizes = sizes_of[workload + " " + name];
      if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
    }
    for (const auto& [name, sizes] : sizes_of)
      names_at[sizes].push_back(name);
    constexpr std::size_t few = 3;
    std::vector<std::pair<std::string, std::string>> lines;
    for (const auto& [sizes, names] : names_at) {
      lines.emplace_back(names.size() <= few
                             ? listed(names)
                             : std::to_string(names.size()) + " variants",
                         in_brief(sizes));
    }
    return lines;
  }

  std::string summary() const {
    std::string text = std::to_string(all_.passed) + " passed, " +
                       std::to_string(all_.failed) + " failed";
    if (all_.others > 0)
      text += ", " + std::to_string(all_.others) + " not run";
    if (!style_.since) return text;
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - *style_.since;
    return text + " in " + significant(taken.count(), 2, 1) + " s";
  }
  Tone tone_of_summary() const {
    return all_.failed > 0   ? Tone::bad
           : all_.passed > 0 ? Tone::good
                             : Tone::plain;
  }

  Printed printed(const std::vector<Record>& records) const {
    Printed result;
    std::vector<const Record*> shown;
    for (const auto& record : records) {
      if (style_.keep && !style_.keep(record)) continue;
      const bool passed = record.verdict == Verdict::passed;
      ++(passed           ? result.passed
         : failed(record) ? result.failed
                          : result.others);
      if (is_only_verified(record)) {
        result.verified.push_back({record.workload, record.name(),
                                   size_text(record.workload, record.size) +
                                       " " +
                                       std::string(to_string(record.dtype))});
      } else {
        shown.push_back(&record);
      }
    }
    if (!shown.empty()) add_tables(result, shown, records);
    return result;
  }

  void add_tables(Printed& result, const std::vector<const Record*>& shown,
                  const std::vector<Record>& records) const {
    const Record& first = records.front();
    const auto known = runs_.find(first.run);
    const Run run = known == runs_.end() ? Run() : known->second;
    const auto whose = known == runs_.end()                  ? first.machine
                       : style_.since || run.machine.empty() ? machine_of(run)
                                                             : run.machine;
    result.tables = tables_of_point(shown, records, run, style_.all,
                                    style_.since.has_value());
    auto& section = result.tables.section;
    section.title = heading(first, whose, style_.looks.width);
    result.text = formatted(section, style_.looks) + "\n";
  }

  void print(const Printed& point) {
    out_ << point.text;
    const auto& tables = point.tables;
    if (!tables.baseline.empty()) all_.tables.baseline = tables.baseline;
    all_.tables.times |= tables.times;
    all_.tables.threads |= tables.threads;
    all_.tables.energy |= tables.energy;
    all_.tables.more += tables.more;
    all_.passed += point.passed;
    all_.failed += point.failed;
    all_.others += point.others;
    std::ranges::copy(point.verified, std::back_inserter(all_.verified));
  }

  std::ostream& out_;
  TableStyle style_;
  std::map<std::string, Run> runs_;  // by id
  Printed all_;
};

}  // namespace

std::unique_ptr<Reporter> make_table_reporter(std::ostream& out,
                                              const TableStyle& style) {
  return std::make_unique<TableReporter>(out, style);
}

}  // namespace parlab
