#include "record/numbers_of_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "record/json.hpp"

namespace parlab {
namespace {

constexpr int most_levels = 64;  // records have four
// Digits and exponent together. The smallest and the largest double have 341.
constexpr int most_digits = 345;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The index after the number that begins at `at`.
std::size_t skip_number(const std::string& line, std::size_t at) {
  int digits = 0, exponent = 0;
  for (; at < line.size() && (is_digit(line[at]) || line[at] == '.'); ++at) {
    digits += line[at] != '.';
  }
  if (at < line.size() && (line[at] == 'e' || line[at] == 'E')) {
    ++at;
    if (at < line.size() && (line[at] == '+' || line[at] == '-')) ++at;
    for (; at < line.size() && is_digit(line[at]); ++at) {
      exponent = std::min(exponent * 10 + (line[at] - '0'), most_digits + 1);
    }
  }
  if (digits + exponent > most_digits)
    throw ForeignLine("a number that no double can hold");
  return at;
}

// The index of the quote that ends the text whose first character is
// at `at`, or of the line's end.
std::size_t end_of_text(const std::string& line, std::size_t at) {
  while (at < line.size() && line[at] != '"')
    at += line[at] == '\\' ? 2 : 1;
  return std::min(at, line.size());
}

// Reads the number at `next` and moves `next` behind it; false when
// there is none as JSON has them.
bool read_number(const char*& next, const char* end, double& value) {
  // Up to 15 digits are an integer that a double holds, and so are these
  // powers of ten: one division rounds as it should (Clinger, How to read
  // floating point numbers accurately, 1990).
  constexpr std::array<double, 16> power = {1e0,  1e1,  1e2,  1e3, 1e4,  1e5,
                                            1e6,  1e7,  1e8,  1e9, 1e10, 1e11,
                                            1e12, 1e13, 1e14, 1e15};
  const char* at = next;
  std::int64_t whole = 0;
  while (at != end && is_digit(*at) && at - next < 16)
    whole = 10 * whole + (*at++ - '0');
  const char* const point = at;
  if (at == next || (*next == '0' && point - next > 1)) return false;
  if (at != end && *at == '.') {
    if (++at == end || !is_digit(*at)) return false;
    while (at != end && is_digit(*at) && at - next < 17)
      whole = 10 * whole + (*at++ - '0');
  }
  const bool ended = at != end && (*at == ',' || *at == ']');
  if (ended && at - next <= 15) {
    value = static_cast<double>(whole) /
            power[static_cast<std::size_t>(at - point - (at > point))];
    next = at;
    return true;
  }
  const auto read = std::from_chars(next, end, value);
  next = read.ptr;
  return read.ec == std::errc() && is_digit(next[-1]);
}

// The numbers from `at` on up to a bracket, whose index is set. None when there
// is anything else, be it a blank or a sign: no line of ours has one there.
std::optional<std::vector<double>> numbers(const std::string& line,
                                           std::size_t at,
                                           std::size_t& bracket) {
  const char* const end = line.data() + line.size();
  std::vector<double> all;
  for (const char* next = line.data() + at; next != end; ++next) {
    if (!read_number(next, end, all.emplace_back()) || next == end) return {};
    if (*next == ']') {
      bracket = static_cast<std::size_t>(next - line.data());
      return all;
    }
    if (*next != ',') return {};
  }
  return {};
}

}  // namespace

std::optional<std::vector<double>> take_numbers(std::string& line,
                                                std::string_view name) {
  std::optional<std::vector<double>> taken;
  int level = 0;
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    if (is_digit(c)) {
      i = skip_number(line, i);
      continue;
    }
    ++i;
    if (c == '{' || c == '[') {
      if (++level > most_levels) throw ForeignLine("not JSON");
    } else if (c == '}' || c == ']') {
      --level;
    } else if (c == '"') {
      const std::size_t end = end_of_text(line, i);
      const bool named = level == 1 && !taken &&
                         line.compare(i, end - i, name) == 0 &&
                         line.compare(end, 3, "\":[") == 0;
      i = std::min(end + 1, line.size());
      if (!named) continue;
      std::size_t bracket = 0;
      taken = numbers(line, end + 3, bracket);
      if (taken) line.erase(end + 3, bracket - (end + 3));
    }
  }
  return taken;
}

}  // namespace parlab
