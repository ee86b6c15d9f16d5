#include "core/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace parlab {

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

}  // namespace parlab
