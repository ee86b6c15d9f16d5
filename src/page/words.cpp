#include "page/words.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <regex>

#include "core/text.hpp"
#include "render/words.hpp"

namespace parlab::page {

std::optional<Section> glossary() {
  static const std::regex entry(R"((\*\*.*?): (.*))"),
      link(R"(; \[[^\]]*\]\([^)]*\))");
  Table words{.key = "words",
              .title = "Glossary",
              .columns = {{"word", "Word"}, {"means", "Means"}}};
  std::ifstream in("docs/reference/glossary.md");
  for (std::string line; std::getline(in, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, entry)) continue;
    std::string word = found[1],
                means = std::regex_replace(found[2].str(), link, "");
    std::erase(word, '*');
    std::erase(means, '`');
    words.add({word, means});
  }
  if (words.rows.empty()) return std::nullopt;
  words.folded = true;
  return Section{.id = "words",
                 .title = "Words",
                 .label = "Words",
                 .blocks = {std::move(words)}};
}

Quantity time_of(const Uncertain& seconds) {
  return {seconds.value, Unit::second, seconds.interval()};
}

Quantity time_of(const Entry& entry) {
  return time_of(entry.summary.estimate);
}

Quantity times(const Ratio& ratio) {
  return {ratio.value, Unit::factor, ratio.interval};
}

Cell with_interval(const Quantity& quantity) {
  return {quantity, Range{quantity}};
}

Text without_limit(const Entry& entry) {
  const auto& why = entry.record.roof_absent;
  return why ? Text(why) : "no limit was measured";
}

Text as_fast(const Ratio& ratio) {
  if (tied(ratio)) return "as fast";
  if (ratio.value >= 1) return times(ratio) + Text(" as fast");
  return Quantity{1 / ratio.value, Unit::factor} + Text(" slower");
}

Text range_of(const Ratio& ratio) {
  if (tied(ratio) || ratio.value >= 1) return Range{times(ratio)};
  const auto [low, high] = ratio.interval;
  return Range{{1 / ratio.value, Unit::factor, Interval{1 / high, 1 / low}}};
}

Text as_fast_as(const Ratio& ratio) {
  const bool slower = !tied(ratio) && ratio.value < 1;
  return as_fast(ratio) + (slower ? " than " : " as ");
}

Text interval(const Ratio& ratio) {
  return Range{times(ratio)} + Text(tied(ratio) ? ": a tie" : "");
}

std::string setting(const Record& record) {
  const auto chosen = tunables_of(record);
  return record.name() + (chosen.empty() ? "" : ", " + chosen);
}

std::string tunables_of(const Record& record) {
  // 0 means that the variant chooses for itself, or that no special way is
  // used.
  auto chosen = record.tunables;
  std::erase_if(chosen,
                [](const auto& tunable) { return tunable.second == 0; });
  return to_string(chosen);
}

Detail of_two(const Record& a, const Record& b) {
  if (!a.gpu.empty() && !b.gpu.empty())
    return {a.gpu == b.gpu ? Cause::none : Cause::different_gpus};
  return {may_be_alike(a.gpus_of_host, b.gpus_of_host)
              ? Cause::none
              : Cause::different_hosts};
}

Text behind_of_two(const Record& a, const Record& b) {
  const auto origin = of_two(a, b);
  return origin ? "; " + Text(origin) : Text();
}

std::string dimensions(const Record& record) {
  static const std::regex between_extents("(\\d)x(?=\\d)");
  return std::regex_replace(size_text(record.workload, record.size),
                            between_extents, "$1×");
}

std::string point_of(const Record& record) {
  return dimensions(record) + ", " + std::string(to_string(record.dtype));
}

std::optional<double> of_roof(const Entry& entry) {
  if (!(entry.record.roof_s > 0) || !(entry.summary.median > 0))
    return std::nullopt;
  return entry.record.roof_s / entry.summary.median;
}

Quantity share(double fraction) {
  return {fraction, Unit::fraction};
}

Quantity bandwidth(double bytes_per_second) {
  return {bytes_per_second, Unit::byte_per_second};
}

Quantity rate(double flops_per_second) {
  return {flops_per_second, Unit::flop_per_second};
}

std::string counted(std::size_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

Text left_out(std::size_t times, const std::string& records) {
  if (times == 0) return {};
  return counted(times, "time") + ": 'parlab audit " + records +
         "' says why each was left out";
}

Text joined(const std::vector<Text>& parts, const char* between) {
  Text all;
  for (const auto& part : parts) {
    if (!all.empty()) all += between;
    all += part;
  }
  return all;
}

std::size_t gpus_of_last_run(const Measured& measured) {
  return measured.runs.empty() ? 0 : measured.runs.back().gpus.size();
}

bool several_gpus(const Measured& measured) {
  return gpus_of_last_run(measured) > 1;
}

std::string gpus_of(const Measured& measured) {
  if (!measured.has_gpu()) return "no GPU";
  const auto count = gpus_of_last_run(measured);
  return (count > 1 ? std::to_string(count) + " × " : "") + measured.gpu();
}

std::string typeset(const std::string& text) {
  static const std::regex extents(
      "\\b(\\d+|rows|[kmn]) ?x ?(?=(\\d+|cols|[kmn])\\b)"),
      transposed("\\^T\\b");
  auto set = std::regex_replace(text, transposed, "ᵀ");
  return std::regex_replace(set, extents, "$1 × ");
}

std::string in_words(const Text& text) {
  return words(text, Letters::unicode);
}

std::string limit_words(const std::string& limit) {
  if (limit == "memory") return "the memory";
  if (limit == "a launch") return "the launch of an empty kernel";
  for (const auto& [unit, named] : {std::pair("fma ", "multiply-adds in "),
                                    {"tensor ", "tensor cores in "}}) {
    if (limit.starts_with(unit))
      return "the peak of " + (named + limit.substr(std::strlen(unit)));
  }
  return "the peak of " + limit;
}

std::string of_all(std::size_t some, std::size_t all) {
  return std::to_string(some) + " of " + std::to_string(all);
}

void logarithmic_axis(Strip& strip) {
  double low = 1, high = 1;
  for (const auto& row : strip.rows) {
    for (const auto& mark : row.marks) {
      low = std::min(low, mark.at);
      high = std::max(high, mark.at);
    }
  }
  const bool both = !strip.left.empty();
  strip.logarithmic = true;
  strip.from = both ? std::min(0.5, 0.8 * low) : 1;
  strip.to = std::max(2.0, 1.2 * high);
  const auto counted = [](double times) {
    return std::to_string(std::lround(times));
  };
  const double step = strip.to / strip.from > 30 ? 10 : 2;
  strip.ticks = {{1, both ? "as fast" : "1 ×"}};
  for (double times = step; times < strip.to; times *= step)
    strip.ticks.push_back({times, counted(times) + " ×"});
  for (double times = step; 1 / times > strip.from; times *= step)
    strip.ticks.push_back({1 / times, "1/" + counted(times)});
}

Table table_of(const std::vector<std::string>& titles) {
  Table table;
  for (const auto& title : titles)
    table.columns.push_back({.title = title});
  return table;
}

Table folded_table(const Text& title, const std::vector<std::string>& titles) {
  auto table = table_of(titles);
  table.title = title;
  table.folded = table.printed = true;
  return table;
}

Table folded_numbers(const Text& title,
                     const std::vector<std::string>& titles) {
  auto table = table_of(titles);
  table.title = title;
  table.numbers = table.folded = true;
  return table;
}

}  // namespace parlab::page
