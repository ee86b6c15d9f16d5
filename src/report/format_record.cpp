// The record format of the course's template, line by line as
// its scripts expect it.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <functional>
#include <numeric>
#include <ostream>

#include "core/numbers.hpp"
#include "core/variant.hpp"
#include "render/words.hpp"
#include "report/reporter.hpp"

namespace parlab {
namespace {

// "1024" for a square, as the template has no other; "300x1000" otherwise.
// Parameters, a filter's radius, are no size.
std::string size_of(const Record& record) {
  const Size size = extents_of(record.workload, record.size);
  const bool square = std::adjacent_find(size.begin(), size.end(),
                                         std::not_equal_to<>()) == size.end();
  return square && !size.empty() ? std::to_string(size[0]) : to_string(size);
}

const Variant* variant_of(const Record& record) {
  for (const auto* variant : Registry::instance().variants(record.workload)) {
    if (variant->full_name() == record.full_name()) return variant;
  }
  return nullptr;
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

// With six decimals, or more where these would leave nothing of the time.
std::string as_in_template(double number) {
  if (number < 1e-3 || number >= 1e15) return significant(number, 6, 12);
  char text[64];
  std::snprintf(text, sizeof text, "%f", number);
  return text;
}

// A kernel that could not be timed for want of a GPU.
bool is_missing(const Record& record) {
  return is_on_gpu(record) &&
         (record.emulated || record.verdict == Verdict::no_device);
}

class RecordReporter final : public Reporter {
 public:
  explicit RecordReporter(std::ostream& out) : out_(out) {}

  void point(const std::vector<Record>& records) override {
    // Emulated kernels come as points of their own, maybe of another
    // size: they get no header.
    if (!std::all_of(records.begin(), records.end(), is_missing)) {
      const auto size = size_of(records.front());
      line("Matrix size: %s", size.c_str());
      line("Adjusted matrix size: %s", size.c_str());  // nothing is padded
    }
    for (const auto& record : records)
      is_missing(record) ? print_missing(record) : print(record);
    out_.flush();
  }

 private:
  __attribute__((format(printf, 2, 3))) void line(const char* format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    out_ << text << '\n';
  }

  void print(const Record& record) {
    const bool on_gpu = is_on_gpu(record);
    line(">>>> Begin of record <<<<");
    on_gpu ? print_gpu_header(record) : print_host_header(record);
    // The serial result is what the template compares with: it has no
    // such line when it is right.
    const bool passed = record.verdict == Verdict::passed;
    if (!passed || record.backend != "serial") {
      line("Checking ... %s", passed ? "PASSED" : "FAILED");
    }
    if (passed) {
      print_times(record);
    } else {
      line("%s: %s", std::string(to_string(record.verdict)).c_str(),
           words(record.detail).c_str());
    }
    line(">>>> End of record <<<<");
  }

  void print_host_header(const Record& record) {
    if (record.backend == "serial") return line("Serial version:");
    if (record.backend == "openmp") return line("OpenMP version:");
    line("%s version:", label_of(record).c_str());
  }

  void print_gpu_header(const Record& record) {
    const auto& [grid, block] =
        std::pair(record.launch.grid, record.launch.block);
    const auto number = [](std::int64_t value) {
      return static_cast<long long>(value);
    };
    line("Block size: %lldx%lld", number(block[0]), number(block[1]));
    line("Grid size : %lldx%lld", number(grid[0]), number(grid[1]));
    line("Shared memory size: %lld bytes", number(record.launch.shared_bytes));
    line("GPU kernel version: %s", label_of(record).c_str());
  }

  void print_times(const Record& record) {
    const double elapsed =
        std::accumulate(record.seconds.begin(), record.seconds.end(), 0.0);
    if (elapsed <= 0) return line("Elapsed time: not measured");
    const double flops =
        record.flops * static_cast<double>(record.seconds.size());
    line("Elapsed time: %s s", as_in_template(elapsed).c_str());
    line("Performance:  %s Gflop/s",
         as_in_template(flops * 1e-9 / elapsed).c_str());
  }

  // In place of the GPU's record: one line that says why there is none.
  void print_missing(const Record& record) {
    std::string why = record.detail ? words(record.detail) : "there is no GPU";
    if (record.emulated) {
      const std::string verdict(to_string(record.verdict));
      why = "executed by emulation at size " + size_of(record) + ", " +
            verdict + (record.detail ? ": " + words(record.detail) : "");
    }
    line("GPU kernel %s was not timed: %s", label_of(record).c_str(),
         why.c_str());
  }

  std::ostream& out_;
};

}  // namespace

std::unique_ptr<Reporter> make_record_reporter(std::ostream& out) {
  return std::make_unique<RecordReporter>(out);
}

}  // namespace parlab
