// A table for programs that read CSV or JSON: fields with the keys of its
// columns, numbers in SI base units.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "facts/document.hpp"

namespace parlab {

// Empty if the value is unknown.
using RawValue =
    std::variant<std::monostate, std::string, std::int64_t, double>;

// The keys of all columns that have one. A column with intervals has three:
// "ratio", "ratio_low", "ratio_high".
std::vector<std::string> keys_of(const Table& table);
// The values of a row for these keys.
std::vector<RawValue> values_of(const Table& table, const Row& row);

}  // namespace parlab
