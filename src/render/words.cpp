#include "render/words.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <tuple>

#include "core/text.hpp"
#include "facts/document.hpp"

namespace parlab {
namespace {

struct Prefixed {
  double of = 1;
  std::string unit;  // with its prefix
};

int digits_of(Unit unit) {
  return unit == Unit::second || unit == Unit::joule ? 4 : 3;
}

// Chooses the prefix that leaves 1 to 999 before the point, judged by the
// rounded value.
Prefixed prefixed(double value, Unit unit, Letters letters) {
  const std::string name(to_string(unit));
  const char* micro = letters == Letters::unicode ? "µ" : "u";
  const std::pair<double, const char*> prefixes[] = {
      {1e12, "T"}, {1e9, "G"},  {1e6, "M"},    {1e3, "k"},
      {1, ""},     {1e-3, "m"}, {1e-6, micro}, {1e-9, "n"}};
  if (value == 0) return {1, name};
  const double nearly = 1 - 0.5 * std::pow(10, -digits_of(unit));
  for (const auto& [scale, prefix] : prefixes) {
    if (unit == Unit::second && scale > 1) continue;
    if (std::abs(value) >= nearly * scale) return {scale, prefix + name};
  }
  return {1e-9, "n" + name};
}

// "123M", for numbers whose digits nobody counts.
std::string count_words(double value) {
  const std::pair<double, const char*> prefixes[] = {
      {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e5, "k"}};
  for (const auto& [from, prefix] : prefixes) {
    const double scale = from == 1e5 ? 1e3 : from;
    if (std::abs(value) >= from) return significant(value / scale, 3) + prefix;
  }
  return significant(value, 4);
}

// "0.1234", "1.206e+29": an element of an array.
std::string element_words(double value, int more) {
  const double size = std::abs(value);
  if (size == 0 || (size >= 1e-4 && size < 1e7))
    return significant(value, 4 + more);
  char text[32];
  std::snprintf(text, sizeof text, "%.*e", 3 + more, value);
  return text;
}

bool has_prefix(Unit unit) {
  return unit != Unit::none && unit != Unit::fraction && unit != Unit::factor &&
         unit != Unit::byte;
}

// A bar of eight characters, in eighths of one if the letters allow.
std::string meter_words(const Meter& meter, Letters letters) {
  constexpr int characters = 8;
  const double filled = characters * std::clamp(meter.share, 0.0, 1.0);
  if (letters == Letters::ascii)
    return std::string(static_cast<std::size_t>(std::lround(filled)), '#');
  const char* eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto all = static_cast<std::size_t>(std::lround(8 * filled));
  std::string bar;
  for (std::size_t i = 0; i < all / 8; ++i)
    bar += "█";
  return bar + eighths[all % 8];
}

std::string factor_sign(Letters letters) {
  return letters == Letters::unicode ? "×" : "x";
}

// more: digits beyond the usual.
std::string words_of(const Quantity& quantity, Letters letters, int more) {
  const auto [value, unit, interval, like] = quantity;
  const int digits = digits_of(unit) + more;
  constexpr double long_s = 1000;
  if (unit == Unit::second && value >= long_s && more == 0)
    return time_span(value);
  if (has_prefix(unit)) {
    const auto scale = prefixed(like != 0 ? like : value, unit, letters);
    return significant(value / scale.of, digits) + " " + scale.unit;
  }
  if (unit == Unit::fraction) return percent(value);
  if (unit == Unit::byte) return bytes_with_unit(value);
  if (unit == Unit::none) return count_words(value);
  auto text = significant(value, digits);
  if (unit != Unit::factor) return text;
  // Near 1, a third decimal shows the side.
  if (value != 1 && value > 0.95 && value < 1.05)
    text = significant(value, digits + 1, 3 + more);
  return text + factor_sign(letters);
}

// Two different numbers of a sentence that look equal get more digits. Without
// a unit they are whole, or all have decimals.
std::string told_apart(const Quantity& quantity,
                       const std::vector<Argument>& sentence, Letters letters) {
  constexpr int most = 13;  // 17 digits tell all doubles apart
  const auto is_whole = [](const Argument& argument) {
    const auto* one = std::get_if<Quantity>(&argument);
    return one == nullptr || one->unit != Unit::none ||
           (one->value == std::trunc(one->value) &&
            std::abs(one->value) < 1e15);
  };
  if (quantity.unit == Unit::none && std::ranges::all_of(sentence, is_whole))
    return std::to_string(static_cast<std::int64_t>(quantity.value));
  const auto with_digits = [&](const Quantity& one, int more) {
    return one.unit == Unit::none ? element_words(one.value, more)
                                  : words_of(one, letters, more);
  };
  std::string text;
  for (int more = 0; more <= most; ++more) {
    text = with_digits(quantity, more);
    const auto looks_equal = [&](const Argument& argument) {
      const auto* other = std::get_if<Quantity>(&argument);
      return other != nullptr && other->value != quantity.value &&
             with_digits(*other, more) == text;
    };
    if (std::ranges::none_of(sentence, looks_equal)) break;
  }
  return text;
}

}  // namespace

std::string words(const Quantity& quantity, Letters letters) {
  return words_of(quantity, letters, 0);
}

std::string interval_words(const Quantity& quantity, Letters letters) {
  if (!quantity.interval) return "";
  const auto [low, high] = *quantity.interval;
  if (!std::isfinite(high)) return "no interval: too few samples";
  const char* dash = letters == Letters::unicode ? "–" : "-";
  const auto unit = quantity.unit;
  if (unit == Unit::byte || unit == Unit::fraction)
    return words({low, unit}, letters) + dash + words({high, unit}, letters);
  Prefixed scale;
  if (has_prefix(unit)) {
    scale = prefixed(quantity.like != 0 ? quantity.like : quantity.value, unit,
                     letters);
  }
  const auto ends = [&](int digits) {
    return std::pair(significant(low / scale.of, digits),
                     significant(high / scale.of, digits));
  };
  // Two different ends that look equal get another digit.
  auto [from, to] = ends(digits_of(unit));
  if (from == to) std::tie(from, to) = ends(digits_of(unit) + 1);
  return from + dash + to +
         (unit == Unit::factor ? factor_sign(letters)
          : scale.unit.empty() ? ""
                               : " " + scale.unit);
}

std::string tick_words(double value, Unit unit) {
  if (unit == Unit::byte) return bytes_with_unit(value);
  if (has_prefix(unit)) {
    const auto scale = prefixed(value, unit, Letters::unicode);
    return significant(value / scale.of, 1) + " " + scale.unit;
  }
  if (value < 99999) return significant(value, 1, 6);
  const int power = static_cast<int>(std::floor(std::log10(value) + 1e-9));
  const char* superscripts[] = {"⁰", "¹", "²", "³", "⁴",
                                "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string raised;
  for (const char digit : std::to_string(power))
    raised += superscripts[digit - '0'];
  const auto times = significant(value / std::pow(10.0, power), 1);
  return (times == "1" ? "10" : times + "·10") + raised;
}

std::string words(const Detail& detail, Letters letters) {
  static constexpr std::string_view templates[] = {
#define PARLAB_CAUSE(name, words) words,
#include "facts/causes.inc"
#undef PARLAB_CAUSE
  };
  const auto argument = [&](std::size_t i) -> std::string {
    if (i >= detail.arguments.size()) return "?";
    const auto& value = detail.arguments[i];
    if (const auto* name = std::get_if<std::string>(&value)) return *name;
    if (const auto* count = std::get_if<std::int64_t>(&value))
      return std::to_string(*count);
    return told_apart(std::get<Quantity>(value), detail.arguments, letters);
  };
  std::string text;
  const auto form = templates[static_cast<std::size_t>(detail.cause)];
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '{' && i + 2 < form.size() && form[i + 2] == '}') {
      text += argument(static_cast<std::size_t>(form[i + 1] - '0'));
      i += 2;
    } else {
      text += form[i];
    }
  }
  for (const auto& more : detail.further) {
    const bool goes_on = text.empty() || text.ends_with(": ");
    text += goes_on ? "" : text.ends_with(':') ? " " : "; ";
    text += words(more, letters);
  }
  return text;
}

std::string words(const Text& text, Letters letters) {
  std::string all;
  for (const auto& piece : text.pieces) {
    if (const auto* plain = std::get_if<std::string>(&piece)) {
      all += *plain;
    } else if (const auto* count = std::get_if<std::int64_t>(&piece)) {
      all += std::to_string(*count);
    } else if (const auto* quantity = std::get_if<Quantity>(&piece)) {
      all += words(*quantity, letters);
    } else if (const auto* range = std::get_if<Range>(&piece)) {
      all += interval_words(range->of, letters);
    } else if (const auto* detail = std::get_if<Detail>(&piece)) {
      all += words(*detail, letters);
    } else if (const auto* strong = std::get_if<Strong>(&piece)) {
      all += strong->text;
    } else if (const auto* meter = std::get_if<Meter>(&piece)) {
      all += meter_words(*meter, letters);
    } else {
      all += std::get<Link>(piece).text;
    }
  }
  return all;
}

std::string words(const Cell& cell, Letters letters) {
  const auto text = words(cell.text, letters), note = words(cell.note, letters);
  if (note.empty()) return text;
  return text + (text.empty() ? "(" : " (") + note + ")";
}

Table with_alike_rates(Table table) {
  constexpr Unit rates[] = {Unit::byte_per_second, Unit::flop_per_second,
                            Unit::operation_per_second};
  const auto each_rate = [&](std::size_t column, Unit unit, const auto& f) {
    for (auto& row : table.rows) {
      if (column >= row.cells.size()) continue;
      for (auto& piece : row.cells[column].text.pieces) {
        auto* const range = std::get_if<Range>(&piece);
        auto* const one = range ? &range->of : std::get_if<Quantity>(&piece);
        if (one != nullptr && one->unit == unit && one->value > 0) f(*one);
      }
    }
  };
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    for (const auto unit : rates) {
      double least = std::numeric_limits<double>::infinity(), most = 0;
      each_rate(c, unit, [&](const Quantity& one) {
        least = std::min(least, one.value);
        most = std::max(most, one.value);
      });
      each_rate(c, unit,
                [&](Quantity& one) { one.like = std::sqrt(least * most); });
    }
  }
  return table;
}

std::vector<bool> shown_columns(const Table& table) {
  std::vector<bool> shown;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const auto& column = table.columns[c];
    const bool for_people = column.key.empty() || !column.title.empty();
    shown.push_back(
        for_people && std::ranges::any_of(table.rows, [&](const Row& row) {
          return c < row.cells.size() && !words(row.cells[c]).empty();
        }));
  }
  return shown;
}

}  // namespace parlab
