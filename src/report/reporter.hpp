// Output formats. Measuring does not depend on them: they receive complete
// points.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "record/record.hpp"
#include "render/formats.hpp"

namespace parlab {

class Reporter {
 public:
  virtual ~Reporter() = default;
  // The facts of a run, before or after the points with its records.
  virtual void run(const Run& /*run*/) {}
  // All records of one (size, dtype, cache), in ladder order.
  virtual void point(const std::vector<Record>& records) = 0;
  // The same for many points at once.
  virtual void points(const std::vector<std::vector<Record>>& all) {
    for (const auto& records : all)
      point(records);
  }
  virtual void finish() {}  // after the last point
};

// Selects the records that a table or CSV shows; their speedups may refer to
// the others. Empty: all are shown.
using Keep = std::function<bool(const Record&)>;

// The contents and looks of a table.
struct TableStyle {
  Keep keep = {};
  Looks looks = {};
  bool all = true;      // every setting of a variant, below the best of each
  bool legend = false;  // explains the columns
  // When the measurement of the shown points began; nullopt: some time ago.
  std::optional<std::chrono::steady_clock::time_point> since = {};
};

// format: "table", "explain", "csv", "json" or "record". out
// must outlive the reporter.
std::unique_ptr<Reporter> make_reporter(const std::string& format,
                                        std::ostream& out,
                                        const TableStyle& style = {});

// One table per point: times with intervals, rates, speedups. At the end: what
// emulation has verified, and how many passed.
std::unique_ptr<Reporter> make_table_reporter(std::ostream& out,
                                              const TableStyle& style = {});
// One table per point: the cost of the GPU kernels and what their counters say;
// at most 100 columns wide.
std::unique_ptr<Reporter> make_explain_reporter(std::ostream& out,
                                                const Looks& looks = {});
// The course's format, for scripts that read it line by line.
std::unique_ptr<Reporter> make_record_reporter(std::ostream& out);

}  // namespace parlab
