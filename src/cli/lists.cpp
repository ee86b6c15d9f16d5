#include "cli/lists.hpp"

#include <algorithm>
#include <boost/algorithm/string/erase.hpp>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/text.hpp"

namespace parlab {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t most_values = 10000;
constexpr std::int64_t most_bytes = std::int64_t{1} << 50;

class ListParser {
 public:
  ListParser(const std::string& name, const std::string& text, std::int64_t min,
             std::int64_t max, const std::string& typed)
      : name_(name), text_(text), typed_(typed), min_(min), max_(max) {}

  std::vector<std::int64_t> parse() {
    for (const auto& item : split(text_, ',')) {
      const auto parts = split(item, ':');
      if (parts.size() > 3) fail("'" + item + "' is no range");
      parts.size() == 1 ? add(value(item)) : range(item, parts);
    }
    return values_;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    std::string allowed = "allowed: " + std::to_string(min_);
    allowed += max_ == largest ? " and more" : " to " + std::to_string(max_);
    if (name_ == "size") allowed += ", as 1K or 300x1000";
    throw UsageError(as_written(name_, typed_) + ": " + why + " (" + allowed +
                     ", a list 16,32 or a range 16:512:16)");
  }

  // How it is written instead, if that can be told.
  static std::string instead_of(const std::string& text) {
    if (text.ends_with('i') && std::isdigit(text[0]))
      return "; write " + text.substr(0, text.size() - 1);
    const auto value = number_in<double>(text);
    const bool whole =
        value && *value >= 1 && *value < 0x1p53 && *value == std::floor(*value);
    return whole ? "; write " + significant(*value, 16, 0) : "";
  }

  std::int64_t number(const std::string& text) const {
    if (text.empty()) fail("a number is missing");
    if (text.size() > 1 && text[0] == '0' && std::isdigit(text[1]))
      fail("'" + text + "' begins with 0: 1,024 would be two numbers");
    std::int64_t result = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, result);
    if (error == std::errc::result_out_of_range)
      fail("'" + text + "' is too large");
    std::int64_t unit = 1;
    if (stop != end && (*stop == 'K' || *stop == 'k'))
      unit = std::int64_t{1} << 10;
    if (stop != end && (*stop == 'M' || *stop == 'm'))
      unit = std::int64_t{1} << 20;
    if (stop != end && (*stop == 'G' || *stop == 'g'))
      unit = std::int64_t{1} << 30;
    if (error != std::errc{} || stop + (unit > 1) != end)
      fail("'" + text + "' is not a whole number" + instead_of(text));
    if (result > largest / unit) fail("'" + text + "' is too large");
    return result * unit;
  }

  std::int64_t value(const std::string& text) const {
    const auto result = number(text);
    if (result < 0) fail("'" + text + "' is negative");
    if (result < min_) {
      const bool hex = typed_.starts_with("0x");
      fail("'" + text + "' is too small" + (hex ? ": write a decimal" : ""));
    }
    if (result > max_) fail("'" + text + "' is too large");
    return result;
  }

  void range(const std::string& item, const std::vector<std::string>& parts) {
    const auto first = value(parts[0]), last = value(parts[1]);
    if (first > last) fail("the range '" + item + "' is reversed");
    const bool factor = parts.size() == 3 && parts[2].starts_with('*');
    const auto step = parts.size() < 3 ? 1 : number(parts[2].substr(factor));
    if (step < 1 + factor)
      fail(factor ? "a factor is 2 or more" : "a step is 1 or more");
    if (factor && first == 0) fail("a range with a factor cannot start at 0");
    for (auto current = first;;) {
      add(current);
      if (factor ? current > last / step : current > last - step) break;
      current = factor ? current * step : current + step;
    }
  }

  void add(std::int64_t new_value) {
    if (std::ranges::find(values_, new_value) != values_.end()) return;
    if (values_.size() == most_values)
      fail("these are more than " + std::to_string(most_values) + " values");
    values_.push_back(new_value);
  }

  const std::string &name_, &text_, &typed_;
  std::int64_t min_, max_;
  std::vector<std::int64_t> values_;
};

// The size with every combination of the requested values.
std::vector<Size> with_parameters(const Workload& workload, const Size& size,
                                  const Parameters& asked) {
  std::vector<Size> sizes{size};
  const auto parameters = workload.parameters();
  const auto extents = count_extents(workload);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto values = asked.find(parameters[i].name);
    if (values == asked.end()) continue;
    std::vector<Size> all;
    for (auto each : sizes) {
      for (const auto value : values->second) {
        each[extents + i] = value;
        all.push_back(each);
      }
    }
    sizes = std::move(all);
  }
  return sizes;
}

// Arrays have at most as many elements as the product of all extents.
void require_countable(const Workload& workload, const Size& size) {
  const auto fail = [&] {
    throw UsageError("the arrays of " + std::string(workload.name()) +
                     " would need more than 2^63 bytes");
  };
  const double limit = 0x1p63;
  double elements = 1;
  const auto extents = count_extents(workload);
  for (std::size_t i = 0; i < extents; ++i)
    elements *= static_cast<double>(size[i]);
  if (elements * sizeof(double) >= limit) fail();
  double bytes = 0;
  for (const auto& array : workload.arrays(size, Dtype::f64))
    bytes += static_cast<double>(array.count) * sizeof(double);
  if (bytes >= limit) fail();
}

// Counts each array once, in the first of the workload's types.
double bytes_of_square(const Workload& workload, std::int64_t edge) {
  double bytes = 0;
  for (const auto& array : workload.arrays(complete_size(workload, {edge}),
                                           workload.dtypes().front())) {
    if (array.layout_of.empty()) bytes += static_cast<double>(array.bytes());
  }
  return bytes;
}

// "1MiB:64MiB:*4+3": the bytes, and the number added to each extent.
std::pair<std::vector<std::int64_t>, std::int64_t> parse_bytes(
    const std::string& item, const std::string& typed) {
  const auto plus = item.find('+');
  auto bytes = item.substr(0, plus);
  boost::erase_all(bytes, "iB");
  std::vector<std::int64_t> more = {0};
  if (plus != item.npos)
    more = parse_list("size", item.substr(plus + 1), 0, most_values, typed);
  if (more.size() != 1)
    throw UsageError(as_written("size", typed) +
                     ": add one number, as in 1MiB+3");
  return {parse_list("size", bytes, 1, most_bytes, typed), more.front()};
}

// The edge of the square with about so many bytes; rounded if it is long.
std::int64_t edge_with(const Workload& workload, std::int64_t bytes) {
  const auto fits = [&](std::int64_t edge) {
    return bytes_of_square(workload, edge) <= static_cast<double>(bytes);
  };
  std::int64_t step = 1;
  while (fits(2 * step))
    step *= 2;
  std::int64_t edge = step;
  while (step /= 2, step > 0) {
    if (fits(edge + step)) edge += step;
  }
  const std::int64_t round = edge >= 512 ? 64 : edge >= 64 ? 8 : 1;
  return (edge + round / 2) / round * round;
}

Parameters parameters_of(const Arguments& arguments) {
  Parameters asked;
  for (const auto& parameter : arguments.workload->parameters()) {
    if (const auto* setting = arguments.find(parameter.name)) {
      auto& values = asked[parameter.name];
      values = parse_list(*setting, parameter.min, parameter.max);
      for (const auto value : values) {
        if (!parameter.allows(value))
          setting->refuse("'" + std::to_string(value) +
                          "' is not allowed: " + parameter.allowed());
      }
    }
  }
  return asked;
}

bool is_one_problem(const Arguments& arguments) {
  const auto is_variable = [&](const char* flag) {
    const auto* setting = arguments.find(flag);
    return setting != nullptr && !setting->from_command_line;
  };
  const auto is_number = [](const std::string& text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
      return std::isalnum(c) && c != 'x';
    });
  };
  const auto& typed = arguments.positional;
  const auto extents = count_extents(*arguments.workload);
  return extents >= 2 && typed.size() == extents &&
         (is_variable("kernel") || is_variable("block")) &&
         std::ranges::all_of(typed, is_number);
}

std::optional<double> positive_in(const std::string& text, double max) {
  const auto value = number_in<double>(text);
  return value && *value > 0 && *value <= max ? value : std::nullopt;
}

}  // namespace

std::vector<std::int64_t> parse_list(const std::string& name,
                                     const std::string& text, std::int64_t min,
                                     std::int64_t max,
                                     const std::string& typed) {
  return ListParser(name, text, min, max, typed.empty() ? text : typed).parse();
}

Size parse_extents(const std::string& name, const std::string& text,
                   const std::string& typed) {
  Size extents;
  for (const auto& part : split(text, 'x')) {
    const auto values = parse_list(name, part, 1, largest, typed);
    if (values.size() != 1) {
      throw UsageError(as_written(name, typed) +
                       ": an extent is one number, not a range");
    }
    extents.push_back(values[0]);
  }
  return extents;
}

std::vector<Size> parse_sizes(const Workload& workload, const std::string& text,
                              const Parameters& parameters) {
  std::vector<Size> sizes;
  const auto add = [&](const std::vector<std::int64_t>& typed) {
    try {
      const auto size = complete_size(workload, typed);
      const bool own = typed.size() == size.size();
      for (auto& each : own ? std::vector<Size>{size}
                            : with_parameters(workload, size, parameters)) {
        require_countable(workload, each);
        sizes.push_back(std::move(each));
      }
    } catch (const UsageError& error) {
      throw UsageError(as_written("size", text) + ": " + error.what());
    }
  };
  for (const auto& item : split(text, ',')) {
    if (item.ends_with('B') && !item.ends_with("iB")) {
      throw UsageError(as_written("size", text) +
                       ": bytes are KiB, MiB or GiB here, as in 64MiB");
    }
    if (item.find("iB") != item.npos) {
      const auto [bytes, more] = parse_bytes(item, text);
      for (const auto each : bytes)
        add({edge_with(workload, each) + more});
      continue;
    }
    if (item.find('x') == item.npos) {
      for (const auto n : parse_list("size", item, 1, largest, text))
        add({n});
      continue;
    }
    add(parse_extents("size", item, text));
  }
  return sizes;
}

std::vector<Size> sizes_of(const Arguments& arguments) {
  const Workload& workload = *arguments.workload;
  const auto parameters = parameters_of(arguments);
  std::vector<Size> sizes;
  for (const auto& text : is_one_problem(arguments)
                              ? std::vector{join(arguments.positional, "x")}
                              : arguments.positional) {
    for (auto& size : parse_sizes(workload, text, parameters)) {
      if (std::ranges::find(sizes, size) == sizes.end())
        sizes.push_back(std::move(size));
    }
  }
  return sizes;
}

Size smallest_square_with(const Workload& workload, Dtype dtype, double bytes,
                          double flops) {
  for (std::int64_t n = 64;; n *= 2) {
    const Size size = complete_size(workload, {n});
    const Work work = workload.work(size, dtype);
    if (work.bytes >= bytes || work.flops >= flops || n > largest >> 23)
      return size;
  }
}

std::vector<std::int64_t> parse_list(const Setting& setting, std::int64_t min,
                                     std::int64_t max) {
  return parse_list(setting.name, setting.text, min, max);
}

std::int64_t parse_count(const Setting& setting, std::int64_t min,
                         std::int64_t max) {
  const auto values = parse_list(setting, min, max);
  if (values.size() != 1) setting.refuse("one number is allowed, not a list");
  return values.front();
}

double parse_positive(const Setting& setting, double max) {
  if (const auto value = positive_in(setting.text, max)) return *value;
  setting.refuse("allowed is a number above 0, at most " + significant(max, 1));
}

double parse_percent(const Setting& setting) {
  auto text = setting.text;
  if (text.ends_with('%')) text.pop_back();
  if (const auto value = positive_in(text, 1000)) return *value / 100;
  setting.refuse("allowed is a percentage, as 5%");
}

}  // namespace parlab
