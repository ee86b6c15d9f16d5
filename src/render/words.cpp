#include "render/words.hpp"

#include <cmath>

#include "core/numbers.hpp"
#include "facts/document.hpp"

namespace parlab {
namespace {

struct Prefixed {
  double value;
  std::string unit;
};

// The prefix that leaves 1 to 999 before the point, judged by the value as it
// will be shown, with four digits.
Prefixed with_prefix(double value, Unit unit, Letters letters) {
  const char* micro = letters == Letters::unicode ? "µ" : "u";
  const std::pair<double, const char*> prefixes[] = {
      {1e12, "T"}, {1e9, "G"},  {1e6, "M"},    {1e3, "k"},
      {1, ""},     {1e-3, "m"}, {1e-6, micro}, {1e-9, "n"}};
  const bool of_time = unit == Unit::second;
  for (const auto& [scale, prefix] : prefixes) {
    if (of_time && scale > 1) continue;
    if (std::abs(value) >= 0.99995 * scale)
      return {value / scale, prefix + std::string(to_string(unit))};
  }
  return {value / 1e-9, "n" + std::string(to_string(unit))};
}

// "123M" where nobody counts the digits.
std::string count_words(double value) {
  const std::pair<double, const char*> prefixes[] = {
      {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e5, "k"}};
  for (const auto& [from, prefix] : prefixes) {
    const double scale = from == 1e5 ? 1e3 : from;
    if (std::abs(value) >= from) return significant(value / scale, 3) + prefix;
  }
  return significant(value, 4);
}

bool has_prefix(Unit unit) {
  return unit != Unit::none && unit != Unit::fraction && unit != Unit::factor &&
         unit != Unit::byte;
}

}  // namespace

std::string words(const Quantity& quantity, Letters letters) {
  const double value = quantity.value;
  switch (quantity.unit) {
    case Unit::none:
      return count_words(value);
    case Unit::fraction:
      return percent(value);
    case Unit::byte:
      return bytes_with_unit(value);
    case Unit::factor:
      return significant(value, 3) + (letters == Letters::unicode ? "×" : "x");
    default:
      break;
  }
  const auto shown = with_prefix(value, quantity.unit, letters);
  return significant(shown.value, 4) + " " + shown.unit;
}

std::string interval_words(const Quantity& quantity, Letters letters) {
  if (!quantity.interval) return "";
  const auto [low, high] = *quantity.interval;
  if (!std::isfinite(high)) return "too few samples";
  const char* dash = letters == Letters::unicode ? "–" : "-";
  if (!has_prefix(quantity.unit)) {
    const std::string unit = quantity.unit != Unit::factor ? ""
                             : letters == Letters::unicode ? "×"
                                                           : "x";
    return significant(low, 4) + dash + significant(high, 4) + unit;
  }
  const auto shown = with_prefix(quantity.value, quantity.unit, letters);
  const double scale = quantity.value / shown.value;
  return significant(low / scale, 4) + dash + significant(high / scale, 4) +
         " " + shown.unit;
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
    return words(std::get<Quantity>(value), letters);
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
    text += text.empty() ? "" : text.ends_with(':') ? " " : "; ";
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
    } else {
      all += std::get<Link>(piece).text;
    }
  }
  return all;
}

}  // namespace parlab
