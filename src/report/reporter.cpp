#include "report/reporter.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>

#include "record/json.hpp"
#include "record/table.hpp"

namespace parlab {
namespace {

// The columns depend on all records, so it writes at the end.
class CsvReporter final : public Reporter {
 public:
  CsvReporter(std::ostream& out, const Keep& keep) : out_(out), keep_(keep) {}
  void run(const Run& run) override { all_.runs[run.id] = run; }
  void point(const std::vector<Record>& records) override {
    all_.records.insert(all_.records.end(), records.begin(), records.end());
  }
  void finish() override {
    write_csv(out_, std::move(all_), keep_);
    out_.flush();
  }

 private:
  std::ostream& out_;
  Keep keep_;
  Loaded all_;
};

// JSON Lines, as in a record file.
class JsonReporter final : public Reporter {
 public:
  explicit JsonReporter(std::ostream& out) : out_(out) {}
  void point(const std::vector<Record>& records) override {
    for (const auto& record : records)
      out_ << to_json_line(record) << '\n';
    out_.flush();
  }

 private:
  std::ostream& out_;
};

// For formats that do not need the records that are not shown.
class Filtered final : public Reporter {
 public:
  Filtered(std::unique_ptr<Reporter> to, const Keep& keep)
      : to_(std::move(to)), keep_(keep) {}
  void point(const std::vector<Record>& records) override {
    std::vector<Record> kept;
    std::ranges::copy_if(records, std::back_inserter(kept), keep_);
    if (!kept.empty()) to_->point(kept);
  }
  void finish() override { to_->finish(); }

 private:
  std::unique_ptr<Reporter> to_;
  Keep keep_;
};

std::unique_ptr<Reporter> make_complete_reporter(const std::string& format,
                                                 std::ostream& out,
                                                 const Looks& looks) {
  if (format == "json") return std::make_unique<JsonReporter>(out);
  if (format == "explain") return make_explain_reporter(out, looks);
  return make_record_reporter(out);
}

}  // namespace

std::unique_ptr<Reporter> make_reporter(const std::string& format,
                                        std::ostream& out,
                                        const TableStyle& style) {
  if (format == "csv") return std::make_unique<CsvReporter>(out, style.keep);
  if (format == "table") return make_table_reporter(out, style);
  auto reporter = make_complete_reporter(format, out, style.looks);
  if (!style.keep) return reporter;
  return std::make_unique<Filtered>(std::move(reporter), style.keep);
}

}  // namespace parlab
