#include "driver/reporter.hpp"

#include <ostream>

#include "record/store.hpp"

namespace parlab {
namespace {

// The columns depend on all records: written at the end.
class CsvReporter final : public Reporter {
 public:
  explicit CsvReporter(std::ostream& out) : out_(out) {}
  void point(const std::vector<Record>& records) override {
    all_.records.insert(all_.records.end(), records.begin(), records.end());
  }
  void finish() override {
    write_csv(out_, all_);
    out_.flush();
  }

 private:
  std::ostream& out_;
  Loaded all_;
};

// JSON Lines, as in a record file.
class JsonReporter final : public Reporter {
 public:
  explicit JsonReporter(std::ostream& out) : out_(out) {}
  void point(const std::vector<Record>& records) override {
    for (const auto& record : records) {
      auto line = to_json_line(record);
      if (line.empty() || line.back() != '\n') line += '\n';
      out_ << line;
    }
    out_.flush();
  }

 private:
  std::ostream& out_;
};

}  // namespace

std::unique_ptr<Reporter> make_reporter(const std::string& format, std::ostream& out) {
  if (format == "csv") return std::make_unique<CsvReporter>(out);
  if (format == "json") return std::make_unique<JsonReporter>(out);
  if (format == "explain") return make_explain_reporter(out);
  if (format == "record") return make_record_reporter(out);
  return make_table_reporter(out);
}

}  // namespace parlab
