// The record format of the course's template, line by line as its scripts
// expect.
#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <ostream>

#include "core/text.hpp"
#include "record/record.hpp"
#include "render/words.hpp"
#include "report/reporter.hpp"

namespace parlab {
namespace {

// "1024" for a square, the template's only form; "300x1000" otherwise.
// Parameters, such as a filter's radius, are not part of the size.
std::string size_of(const Record& record) {
  const Size size = extents_of(record.workload, record.size);
  const bool square =
      std::ranges::adjacent_find(size, std::not_equal_to<>()) == size.end();
  return square && !size.empty() ? std::to_string(size[0]) : to_string(size);
}

bool is_on_gpu(const Record& record) {
  const auto* variant = variant_of(record);
  return variant != nullptr ? variant->needs_gpu() : record.backend == "cuda";
}

std::string label_of(const Record& record) {
  const auto* variant = variant_of(record);
  return variant != nullptr && !variant->label.empty() ? variant->label
                                                       : record.variant;
}

// With six decimals, or more if these would show 0.
std::string as_in_template(double number) {
  if (number < 1e-3 || number >= 1e15) return significant(number, 6, 12);
  char text[64];
  std::snprintf(text, sizeof text, "%f", number);
  return text;
}

// A kernel that could not be timed because there is no GPU.
bool is_missing(const Record& record) {
  return is_on_gpu(record) &&
         (record.emulated || record.verdict == Verdict::no_device);
}

class RecordReporter final : public Reporter {
 public:
  explicit RecordReporter(std::ostream& out) : out_(out) {}

  void point(const std::vector<Record>& records) override {
    // Emulated kernels come as separate points, maybe of another size, without
    // a header.
    if (!std::ranges::all_of(records, is_missing)) {
      const auto size = size_of(records.front());
      line("Matrix size: " + size);
      line("Adjusted matrix size: " + size);  // nothing is padded
    }
    for (const auto& record : records) {
      if (record.detail.cause == Cause::also_tried) continue;
      is_missing(record) ? print_missing(record) : print(record);
    }
    out_.flush();
  }

 private:
  void line(const std::string& text) { out_ << text << '\n'; }

  void print(const Record& record) {
    const bool on_gpu = is_on_gpu(record);
    line(">>>> Begin of record <<<<");
    on_gpu ? print_gpu_header(record) : print_host_header(record);
    // The template compares with the serial result, so it has no such line for
    // that if it is right.
    const bool passed = record.verdict == Verdict::passed;
    if (!passed || record.backend != "serial")
      line(std::string("Checking ... ") + (passed ? "PASSED" : "FAILED"));
    if (passed) {
      print_times(record);
    } else {
      line(std::string(to_string(record.verdict)) + ": " +
           words(record.detail));
    }
    line(">>>> End of record <<<<");
  }

  void print_host_header(const Record& record) {
    if (record.backend == "serial") return line("Serial version:");
    if (record.backend == "openmp") return line("OpenMP version:");
    line(label_of(record) + " version:");
  }

  void print_gpu_header(const Record& record) {
    const auto& launch = record.launch;
    const auto extents = [](const std::array<std::int64_t, 3>& of) {
      return std::to_string(of[0]) + "x" + std::to_string(of[1]);
    };
    line("Block size: " + extents(launch.block));
    line("Grid size : " + extents(launch.grid));
    line("Shared memory size: " + std::to_string(launch.shared_bytes) +
         " bytes");
    line("GPU kernel version: " + label_of(record));
  }

  void print_times(const Record& record) {
    const double elapsed =
        std::accumulate(record.seconds.begin(), record.seconds.end(), 0.0);
    if (elapsed <= 0) return line("Elapsed time: not measured");
    const double flops =
        record.flops * static_cast<double>(record.seconds.size());
    line("Elapsed time: " + as_in_template(elapsed) + " s");
    line("Performance:  " + as_in_template(flops * 1e-9 / elapsed) +
         " Gflop/s");
  }

  // Replaces the GPU's record by one line that says why there is none.
  void print_missing(const Record& record) {
    std::string why = record.detail ? words(record.detail) : "there is no GPU";
    if (record.emulated) {
      const std::string verdict(to_string(record.verdict));
      why = "executed by emulation at size " + size_of(record) + ", " +
            verdict + (record.detail ? ": " + words(record.detail) : "");
    }
    line("GPU kernel " + label_of(record) + " was not timed: " + why);
  }

  std::ostream& out_;
};

}  // namespace

std::unique_ptr<Reporter> make_record_reporter(std::ostream& out) {
  return std::make_unique<RecordReporter>(out);
}

}  // namespace parlab
