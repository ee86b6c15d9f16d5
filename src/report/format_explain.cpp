// Why a kernel is as fast as it is: what the compiler made of it, and
// what the profiler counted.
#include <algorithm>
#include <ostream>

#include "core/text.hpp"
#include "core/variant.hpp"
#include "render/words.hpp"
#include "report/reporter.hpp"
#include "report/text_table.hpp"

namespace parlab {
namespace {

bool on_gpu(const Record& record) {
  return record.backend == "cuda" || record.launch.launches > 0 ||
         !record.counters.empty();
}

// 1234567: "1.23M"
std::string short_count(double value) {
  const char* units[] = {"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < std::size(units); ++unit)
    value /= 1000;
  return significant(value, unit == 0 ? 1 : 3, unit == 0 ? 0 : 2) + units[unit];
}

std::string whole_percent(double percents) {
  return significant(percents, 1, 0) + "%";
}

class Cells {
 public:
  explicit Cells(const Record& record) : record_(record) {}

  // What the compiler and the occupancy calculator said; the
  // emulation has neither.
  std::string registers() const {
    if (launch().registers == 0) return "-";
    return std::to_string(launch().registers);
  }
  std::string shared() const {
    return launch().launches == 0 ? "-" : std::to_string(launch().shared_bytes);
  }
  std::string occupancy() const {
    return launch().active_warps == 0 ? "-"
                                      : whole_percent(100 * launch().occupancy);
  }
  std::string limit() const {
    if (launch().active_warps == 0) return "-";
    return launch().limited_by == "shared memory" ? "shared"
                                                  : launch().limited_by;
  }

  template <typename F>
  std::string counter(const std::string& name, F text) const {
    const auto found = record_.counters.find(name);
    return found == record_.counters.end() ? "-" : text(found->second);
  }
  std::string share(const std::string& name) const {
    return counter(name,
                   [](double value) { return whole_percent(100 * value); });
  }
  std::string percents(const std::string& name) const {
    return counter(name, whole_percent);
  }
  std::string amount(const std::string& name) const {
    return counter(name, short_count);
  }
  std::string sectors(const std::string& access) const {
    return counter("sectors_per_" + access + "_request",
                   [](double value) { return significant(value, 3, 1); });
  }
  std::string traffic() const {
    if (record_.bytes <= 0) return "-";
    return counter("dram_bytes", [&](double bytes) {
      return significant(bytes / record_.bytes, 3, 2) + "x";
    });
  }

 private:
  const LaunchShape& launch() const { return record_.launch; }
  const Record& record_;
};

class ExplainReporter final : public Reporter {
 public:
  explicit ExplainReporter(std::ostream& out) : out_(out) {}

  void point(const std::vector<Record>& records) override {
    std::vector<Record> shown;
    std::copy_if(records.begin(), records.end(), std::back_inserter(shown),
                 on_gpu);
    if (shown.empty()) return;
    const Record& first = shown.front();
    out_ << first.workload << ' ' << size_text(first.workload, first.size)
         << ' ' << to_string(first.dtype) << ", caches "
         << to_string(first.cache);
    if (first.bytes > 0) {
      out_ << "; at least " << short_count(first.flops) << "flop and "
           << bytes_with_unit(first.bytes) << ": intensity "
           << significant(first.flops / first.bytes, 3, 3) << " flop/byte";
    }
    out_ << '\n';
    const bool counted = std::any_of(
        shown.begin(), shown.end(),
        [](const Record& record) { return !record.counters.empty(); });
    print(shown, counted);
    out_ << std::endl;
    printed_ = true;
    counted_ |= counted;
  }

  void finish() override {
    if (!printed_) {
      out_ << "no GPU kernels here: nothing to explain" << std::endl;
      return;
    }
    out_ << "regs: registers per thread; shared: bytes of shared memory per "
            "block;\n"
            "occ: theoretical occupancy; limit: what keeps more warps from "
            "being resident.";
    if (counted_) {
      out_ << "\nread by the profiler: occ*: achieved occupancy; ld, st: "
              "32-byte sectors a global "
              "load or store\nrequest of a warp; unif: branches all threads of "
              "a warp take "
              "alike; confl: shared-memory bank\nconflicts; DRAM: bytes moved "
              "over the fewest "
              "possible; mem, comp: of the peak of memory, of compute.";
    } else {
      out_
          << "\nNo counters were read: --counters adds them where ncu may run.";
    }
    out_ << std::endl;
  }

 private:
  void print(const std::vector<Record>& records, bool counted) {
    std::vector<TextTable::Column> columns{{"variant", false, 21},
                                           {"regs", true},
                                           {"shared", true},
                                           {"occ", true},
                                           {"limit"}};
    if (counted) {
      for (const auto* title :
           {"occ*", "ld", "st", "unif", "confl", "DRAM", "mem", "comp"}) {
        columns.push_back({title, true});
      }
    }
    TextTable table(std::move(columns));
    for (const auto& record : records) {
      const Cells cells(record);
      auto name = record.backend + "/" + record.variant;
      if (!record.tunables.empty()) name += " " + to_string(record.tunables);
      if (record.verdict != Verdict::passed) {
        table.add({name}, std::string(to_string(record.verdict)) + ": " +
                              words(record.detail));
        continue;
      }
      std::vector<std::string> row{name, cells.registers(), cells.shared(),
                                   cells.occupancy(), cells.limit()};
      if (counted) {
        for (auto& cell :
             {cells.share("achieved_occupancy"), cells.sectors("load"),
              cells.sectors("store"), cells.share("branch_uniformity"),
              cells.amount("shared_bank_conflicts"), cells.traffic(),
              cells.percents("memory_percent"),
              cells.percents("compute_percent")}) {
          row.push_back(cell);
        }
      }
      table.add(std::move(row));
      if (record.launch.spill_bytes > 0) {
        table.add({""}, "(spills " + std::to_string(record.launch.spill_bytes) +
                            " bytes per thread)");
      }
    }
    table.print(out_);
  }

  std::ostream& out_;
  bool printed_ = false, counted_ = false;
};

}  // namespace

std::unique_ptr<Reporter> make_explain_reporter(std::ostream& out) {
  return std::make_unique<ExplainReporter>(out);
}

}  // namespace parlab
