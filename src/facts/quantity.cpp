#include "facts/quantity.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace parlab {
namespace {

constexpr std::pair<Unit, std::string_view> units[] = {
    {Unit::none, ""},
    {Unit::second, "s"},
    {Unit::joule, "J"},
    {Unit::watt, "W"},
    {Unit::byte, "B"},
    {Unit::byte_per_second, "B/s"},
    {Unit::flop_per_second, "flop/s"},
    {Unit::operation_per_second, "op/s"},
    {Unit::flop_per_joule, "flop/J"},
    {Unit::fraction, "1"},
    {Unit::factor, "x"}};

}  // namespace

std::string_view to_string(Unit unit) {
  for (const auto& [value, name] : units) {
    if (value == unit) return name;
  }
  return "";
}

Unit unit_from_string(std::string_view text) {
  for (const auto& [value, name] : units) {
    if (name == text) return value;
  }
  throw std::invalid_argument("unknown unit '" + std::string(text) + "'");
}

}  // namespace parlab
