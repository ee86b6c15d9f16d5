// Numbers in readable form.
#pragma once

#include <string>

namespace parlab {

// 4143.2 with 3 digits: "4143"; 0.01234: "0.0123", or "0.012"
// with at most 3 decimals.
std::string significant(double value, int digits, int most_decimals = 300);
// "0.05%", "1.2%", "95%": at most 2 decimals
std::string percent(double fraction);
std::string bytes_with_unit(double bytes);  // "3.6 TiB"
// "45 s", "3 min 20 s", "2 h 5 min", "10.4 days"
std::string time_span(double seconds);

}  // namespace parlab
