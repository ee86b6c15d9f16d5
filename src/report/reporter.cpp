#include "report/reporter.hpp"

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

}  // namespace

std::unique_ptr<Reporter> make_reporter(const std::string& format,
                                        std::ostream& out,
                                        const TableStyle& style) {
  if (format == "csv") return std::make_unique<CsvReporter>(out, style.keep);
  if (format == "table") return make_table_reporter(out, style);
  if (format == "json") return std::make_unique<JsonReporter>(out);
  if (format == "explain") return make_explain_reporter(out, style.looks);
  return make_record_reporter(out);
}

}  // namespace parlab
