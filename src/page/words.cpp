#include "page/words.hpp"

#include <algorithm>

namespace parlab::page {

Quantity time_of(const Uncertain& seconds) {
  return {seconds.value, Unit::second, seconds.interval()};
}

Quantity time_of(const Entry& entry) {
  return time_of(entry.summary.estimate);
}

Quantity times(const Ratio& ratio) {
  return {ratio.value, Unit::factor, ratio.interval};
}

Cell with_interval(const Quantity& quantity, const Text& more) {
  return {quantity, Range{quantity} + more};
}

Cell as_fast_as(const Ratio& ratio, const Record& record, const Record& other) {
  return {(tied(ratio) ? Text("a tie with ")
                       : times(ratio) + Text(" as fast as ")) +
              name(other),
          Range{times(ratio)} + behind_of_two(record, other)};
}

Text interval(const Ratio& ratio) {
  return Range{times(ratio)} + Text(tied(ratio) ? ": a tie" : "");
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

bool says_of_two(const Text& text) {
  return std::ranges::any_of(text.pieces, [](const Piece& piece) {
    const auto* detail = std::get_if<Detail>(&piece);
    return detail != nullptr && (detail->cause == Cause::different_gpus ||
                                 detail->cause == Cause::different_hosts);
  });
}

std::string dimensions(const Record& record) {
  const auto extents = extents_of(record);
  const auto named = [&](std::size_t i) {
    const auto name = i < record.dimensions.size() ? record.dimensions[i] : "n";
    return name + " = " + std::to_string(record.size[i]);
  };
  if (record.size.size() == 1) return named(0);
  std::string text;
  for (std::size_t i = 0; i < extents; ++i)
    text += (i == 0 ? "" : "×") + std::to_string(record.size[i]);
  for (std::size_t i = extents; i < record.size.size(); ++i) {
    // An ordinary covariance has no float_n.
    const bool absent = record.size[i] == 0 && is_usual_parameter(record, i);
    if (!absent) text += ", " + named(i);
  }
  return text;
}

std::string point_of(const Record& record) {
  return dimensions(record) + ", " +
         std::string(parlab::to_string(record.dtype));
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

Text joined(const std::vector<Text>& parts, const char* between) {
  Text all;
  for (const auto& part : parts) {
    if (!all.empty()) all += between;
    all += part;
  }
  return all;
}

Table table_of(const std::vector<std::string>& titles, std::vector<Row> rows) {
  Table table{.rows = std::move(rows)};
  for (const auto& title : titles)
    table.columns.push_back({.title = title});
  return table;
}

}  // namespace parlab::page
