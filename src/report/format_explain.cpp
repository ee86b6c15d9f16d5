// Explains a kernel's speed: the compiler's facts about it, and the profiler's
// counts.
#include <algorithm>
#include <ostream>

#include "core/variant.hpp"
#include "render/formats.hpp"
#include "report/point_table.hpp"
#include "report/reporter.hpp"

namespace parlab {
namespace {

bool on_gpu(const Record& record) {
  return record.backend == "cuda" || record.launch.launches > 0 ||
         !record.counters.empty();
}

Text count_or_dash(int count, bool known) {
  return known ? Text(count) : Text("-");
}

// The counter of this name, in this unit.
Text counter(const Record& record, const std::string& name, Unit unit,
             double scale = 1) {
  const auto found = record.counters.find(name);
  if (found == record.counters.end()) return "-";
  return Quantity{found->second * scale, unit};
}

// Relative to the fewest bytes possible.
Text traffic(const Record& record) {
  if (record.bytes <= 0) return "-";
  return counter(record, "dram_bytes", Unit::factor, 1 / record.bytes);
}

// Facts of the compiler and the occupancy calculator, which emulation lacks,
// and the profiler's counts.
std::vector<Cell> explained(const Record& record, const std::string& name,
                            bool counted) {
  const auto& launch = record.launch;
  const bool occupancy = launch.active_warps > 0;
  std::vector<Cell> cells{
      name, count_or_dash(launch.registers, launch.registers > 0),
      count_or_dash(launch.shared_bytes, launch.launches > 0),
      occupancy ? Text(Quantity{launch.occupancy, Unit::fraction}) : Text("-"),
      !occupancy                             ? "-"
      : launch.limited_by == "shared memory" ? "shared"
                                             : launch.limited_by};
  if (!counted) return cells;
  const double per_cent = 0.01;
  for (const auto& cell :
       {counter(record, "achieved_occupancy", Unit::fraction),
        counter(record, "sectors_per_load_request", Unit::none),
        counter(record, "sectors_per_store_request", Unit::none),
        counter(record, "branch_uniformity", Unit::fraction),
        counter(record, "shared_bank_conflicts", Unit::none), traffic(record),
        counter(record, "memory_percent", Unit::fraction, per_cent),
        counter(record, "compute_percent", Unit::fraction, per_cent)})
    cells.emplace_back(cell);
  return cells;
}

Table table_explained(const std::vector<Record>& records, bool counted) {
  Table table{.columns = {{.title = "variant", .widest = 21},
                          {.title = "regs", .right = true},
                          {.title = "shared", .right = true},
                          {.title = "occ", .right = true},
                          {.title = "limit"}}};
  if (counted) {
    for (const auto* title :
         {"occ*", "ld", "st", "unif", "confl", "DRAM", "mem", "comp"})
      table.columns.push_back({.title = title, .right = true});
  }
  for (const auto& record : records) {
    auto name = record.name();
    if (!record.tunables.empty()) name += " " + to_string(record.tunables);
    if (record.verdict != Verdict::passed) {
      table.add({name, record.verdict + Text(": ") + record.detail});
      continue;
    }
    table.add(explained(record, name, counted));
    if (record.launch.spill_bytes > 0) {
      table.add({"", "(spills " + std::to_string(record.launch.spill_bytes) +
                         " bytes per thread)"});
    }
  }
  return table;
}

class ExplainReporter final : public Reporter {
 public:
  ExplainReporter(std::ostream& out, const Looks& looks)
      : out_(out), looks_(looks) {}

  void point(const std::vector<Record>& records) override {
    std::vector<Record> shown;
    std::ranges::copy_if(records, std::back_inserter(shown), on_gpu);
    if (shown.empty()) return;
    const Record& first = shown.front();
    Section section{.title = title_of_point(first)};
    if (first.bytes > 0) {
      section.title += "; at least " + Text(Quantity{first.flops}) +
                       " flop and " + Quantity{first.bytes, Unit::byte} +
                       ": intensity " + Quantity{first.flops / first.bytes} +
                       " flop/byte";
    }
    const bool counted = std::ranges::any_of(
        shown, [](const Record& record) { return !record.counters.empty(); });
    section.add(table_explained(shown, counted));
    out_ << formatted(section, looks_) << std::endl;
    printed_ = true;
    counted_ |= counted;
    emulated_ |= first.emulated;
  }

  void finish() override {
    Document notes;
    const auto say = [&](const std::string& text) { notes.add(remark(text)); };
    if (!printed_) {
      say("no GPU kernels here: nothing to explain");
    } else {
      say("regs: registers per thread; shared: bytes of shared memory per "
          "block; occ: theoretical occupancy; limit: what keeps more warps "
          "from being resident.");
      if (emulated_)
        say("-: emulation does not know it; --counters --registers asks nvcc.");
      say(counted_
              ? "read by the profiler: occ*: achieved occupancy; ld, st: "
                "32-byte sectors a global load or store request of a warp; "
                "unif: branches all threads of a warp take alike; confl: "
                "shared-memory bank conflicts; DRAM: bytes moved over the "
                "fewest possible; mem, comp: of the peak of memory, of compute."
              : "No counters were read: --counters adds them where ncu may "
                "run.");
    }
    out_ << formatted(notes, looks_) << std::flush;
  }

 private:
  std::ostream& out_;
  Looks looks_;
  bool printed_ = false, counted_ = false, emulated_ = false;
};

}  // namespace

std::unique_ptr<Reporter> make_explain_reporter(std::ostream& out,
                                                const Looks& looks) {
  return std::make_unique<ExplainReporter>(out, looks);
}

}  // namespace parlab
