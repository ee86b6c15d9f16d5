#include "core/text.hpp"

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <numeric>

namespace parlab {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string listed(const std::vector<std::string>& names) {
  if (names.size() < 2) return join(names, "");
  const auto but_last = std::vector(names.begin(), names.end() - 1);
  return join(but_last, ", ") + " and " + names.back();
}

std::string significant(double value, int digits, int most_decimals) {
  if (!std::isfinite(value)) return "?";
  // Round first, so that 9.996 with 3 digits becomes 10.0 and not 10.00.
  char text[400];
  std::snprintf(text, sizeof text, "%.*e", digits - 1, value);
  const int exponent = std::atoi(std::strchr(text, 'e') + 1);
  const int decimals = std::clamp(digits - 1 - exponent, 0, most_decimals);
  // nobody wants to read hundreds of zeros
  if (exponent > 15 || decimals > 15 + digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    return text;
  }
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string percent(double fraction) {
  return significant(100 * fraction, 2, 2) + "%";
}

std::string bytes_with_unit(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1023.5 && unit + 1 < std::size(units); ++unit)
    bytes /= 1024;
  return significant(bytes, 3) + " " + units[unit];
}

std::string time_span(double seconds) {
  constexpr double day = 86400;
  if (seconds >= 2 * day) return significant(seconds / day, 3) + " days";
  const auto whole = std::llround(seconds);
  const auto both = [&](auto unit, const char* name, const char* smaller) {
    return std::to_string(whole / unit) + " " + name + " " +
           std::to_string(whole % unit / (unit / 60)) + " " + smaller;
  };
  if (whole < 60) return std::to_string(whole) + " s";
  return whole < 3600 ? both(60LL, "min", "s") : both(3600LL, "h", "min");
}

std::vector<std::string> shell_words(std::string_view command) {
  std::vector<std::string> words;
  bool between = true;  // between two words
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (quote == 0 && blank) {
      between = true;
      continue;
    }
    if (between) words.emplace_back();
    between = false;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      words.back() += command[++i];
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::string shell_quoted(const std::string& word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-+=:,./@%^").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string result = "'";
  for (const char c : word)
    result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

std::string as_written(std::string_view name, std::string_view value) {
  const bool variable = !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
  return std::string(name) + (variable ? "=" : " ") +
         (value.empty() ? "''" : std::string(value));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string did_you_mean(std::string_view typed,
                         const std::vector<std::string>& candidates) {
  const auto half = std::min<std::size_t>(2, typed.size() / 2);
  std::size_t least = std::max(half, typed.size() / 3) + 1;
  const std::string* nearest = nullptr;
  for (const auto& candidate : candidates) {
    const auto distance =
        boost::iequals(typed, candidate) ? 0 : edit_distance(typed, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      nearest = &candidate;
    }
  }
  return nearest == nullptr ? "" : "; did you mean '" + *nearest + "'?";
}

namespace {

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

// Number of bytes of the first characters.
std::size_t bytes_of(std::string_view text, std::size_t characters) {
  std::size_t bytes = 0;
  for (; bytes < text.size(); ++bytes) {
    if (begins_character(text[bytes]) && characters-- == 0) break;
  }
  return bytes;
}

}  // namespace

std::size_t length_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, begins_character));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (length_of(text) > width) {
    const auto most = bytes_of(text, width);
    auto end = text.rfind(' ', most);
    if (end == text.npos || end == 0) end = most;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ', end)));
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

}  // namespace parlab
