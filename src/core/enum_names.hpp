// Values of enums by name, for all enums of core/named_enum.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

#include "core/named_enum.hpp"

namespace parlab {

template <typename E>
concept NamedEnum = std::is_enum_v<E> && requires(E value) {
  table_of(value);
};

// throws std::logic_error
[[noreturn]] void refuse_value(const EnumTable& table, int value);
// throws UsageError: "cache state 'warm' is unknown: use hot or cold"
[[noreturn]] void refuse_name(const EnumTable& table, std::string_view name);

// In the order of their declaration.
template <NamedEnum E>
constexpr auto every_value() {
  std::array<E, std::size_t(table_of(E{}).count)> values{};
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<E>(i);
  return values;
}

template <NamedEnum E>
constexpr std::string_view to_string(E value) {
  constexpr EnumTable table = table_of(E{});
  const int number = static_cast<int>(value);
  if (number < 0 || number >= table.count) refuse_value(table, number);
  return table.names[number];
}

template <NamedEnum E>
constexpr std::optional<E> value_named(std::string_view name) {
  for (const E value : every_value<E>()) {
    if (to_string(value) == name) return value;
  }
  return std::nullopt;
}

// Throws UsageError that lists the valid names.
template <NamedEnum E>
E from_string(std::string_view name) {
  if (const auto value = value_named<E>(name)) return *value;
  refuse_name(table_of(E{}), name);
}

}  // namespace parlab
