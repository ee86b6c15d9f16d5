#include "page/words.hpp"

#include <algorithm>
#include <cmath>
#include <regex>

#include "core/numbers.hpp"

namespace parlab::page {
namespace {

struct Unit {
  const char* name;
  double seconds;
};

Unit unit_of(double seconds) {
  if (seconds >= 0.9995) return {"s", 1};
  if (seconds >= 0.9995e-3) return {"ms", 1e-3};
  if (seconds >= 0.9995e-6) return {"µs", 1e-6};
  return {"ns", 1e-9};
}

// The prefixes of joules are those of seconds.
std::string in_joules(std::string seconds) {
  seconds.back() = 'J';
  return seconds;
}

// 1234567: as a person reads it, with three digits that count.
std::string three(double value) {
  return significant(value, 3);
}

}  // namespace

std::string duration(double seconds) {
  const auto unit = unit_of(seconds);
  return significant(seconds / unit.seconds, 4) + " " + unit.name;
}

std::string interval(const Summary& summary) {
  return interval(summary.estimate);
}

std::string interval(const Uncertain& time) {
  const auto [low, high] = time.interval();
  if (!std::isfinite(high)) return "too few samples";
  const auto unit = unit_of(time.value);
  return significant(low / unit.seconds, 4) + "–" +
         significant(high / unit.seconds, 4) + " " + unit.name;
}

std::string joules(double value) {
  return in_joules(duration(value));
}

std::string joules(const Summary& summary) {
  const bool known = std::isfinite(summary.interval.high);
  return known ? in_joules(interval(summary)) : interval(summary);
}

std::string factor(double value) {
  // What is near 1, and not 1, gets another digit.
  const auto text = three(value);
  const bool near = text == "1.00" && value != 1;
  return (near ? significant(value, 4) : text) + "×";
}

std::string range(const Ratio& ratio) {
  if (!decided(ratio)) return "too few samples";
  // Two that look the same to three digits, but are not a
  // tie, get another digit.
  auto low = three(ratio.interval.low), high = three(ratio.interval.high);
  if (low == high) {
    low = significant(ratio.interval.low, 4);
    high = significant(ratio.interval.high, 4);
  }
  return low + "–" + high + "×";
}

std::string interval(const Ratio& ratio) {
  return range(ratio) + (tied(ratio) ? ": a tie" : "");
}

std::string typeset(const std::string& text) {
  // not the x of "16x16", or of a name
  static const std::regex times("([0-9])x(?![0-9A-Za-z_])"),
      microseconds("([0-9]) us(?![A-Za-z])");
  return std::regex_replace(std::regex_replace(text, times, "$1×"),
                            microseconds, "$1 µs");
}

std::string name(const Record& record) {
  return record.backend + "/" + record.variant;
}

std::string setting(const Record& record) {
  // 0 stands for what the variant chooses itself, or for no special way.
  auto chosen = record.tunables;
  std::erase_if(chosen,
                [](const auto& tunable) { return tunable.second == 0; });
  return name(record) + (chosen.empty() ? "" : ", " + to_string(chosen));
}

std::string of_two(const Record& a, const Record& b) {
  const bool gpus = !a.gpu.empty() && !b.gpu.empty();
  if (gpus) return a.gpu == b.gpu ? "" : "on different GPUs";
  return may_be_alike(a.gpus_of_host, b.gpus_of_host) ? ""
                                                      : "on different hosts";
}

std::string with_of_two(const std::string& interval,
                        const Record& a,
                        const Record& b) {
  const auto origin = of_two(a, b);
  return interval + (origin.empty() ? "" : "; ") + origin;
}

std::string dimensions(const Record& record) {
  const auto extents = extents_of(record);
  const auto named = [&](std::size_t i) {
    const auto name = i < record.dimensions.size() ? record.dimensions[i] : "n";
    return name + " = " + std::to_string(record.size[i]);
  };
  if (record.size.size() == 1) return named(0);
  std::string text;
  for (std::size_t i = 0; i < extents; ++i) {
    text += (i == 0 ? "" : "×") + std::to_string(record.size[i]);
  }
  for (std::size_t i = extents; i < record.size.size(); ++i) {
    // An ordinary covariance has no float_n.
    const bool absent = record.size[i] == 0 && is_usual_parameter(record, i);
    if (!absent) text += ", " + named(i);
  }
  return text;
}

std::optional<double> of_roof(const Entry& entry) {
  if (!(entry.record.roof_s > 0) || !(entry.summary.median > 0))
    return std::nullopt;
  return entry.record.roof_s / entry.summary.median;
}

std::string bandwidth(double bytes_per_second) {
  if (bytes_per_second >= 0.9995e12)
    return three(bytes_per_second * 1e-12) + " TB/s";
  return three(bytes_per_second * 1e-9) + " GB/s";
}

std::string rate(double flops_per_second) {
  if (flops_per_second >= 0.9995e12)
    return three(flops_per_second * 1e-12) + " Tflop/s";
  return three(flops_per_second * 1e-9) + " Gflop/s";
}

std::string peak_rate(const std::string& unit, double flops_per_second) {
  auto text = rate(flops_per_second);
  const bool integers = unit.find("int") != std::string::npos;
  if (integers) text.replace(text.find("flop"), 4, "op");
  return text;
}

std::string tick_seconds(double seconds) {
  const auto unit = unit_of(seconds);
  return significant(seconds / unit.seconds, 1) + " " + unit.name;
}

std::string tick_rate(double flops_per_second) {
  if (flops_per_second >= 0.9995e12)
    return significant(flops_per_second * 1e-12, 1) + " Tflop/s";
  return significant(flops_per_second * 1e-9, 1, 6) + " Gflop/s";
}

std::string tick_count(double value) {
  if (value < 99999) return significant(value, 1, 6);
  const int power = static_cast<int>(std::floor(std::log10(value) + 1e-9));
  const char* superscripts[] = {"⁰", "¹", "²", "³", "⁴",
                                "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char digit : std::to_string(power))
    text += superscripts[digit - '0'];
  const auto times = significant(value / std::pow(10.0, power), 1);
  return (times == "1" ? "10" : times + "·10") + text;
}

std::string counted(std::size_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

}  // namespace parlab::page
