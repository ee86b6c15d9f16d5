#include "render/fields.hpp"

#include <cmath>

#include "render/words.hpp"

namespace parlab {
namespace {

const Quantity* quantity_of(const Row& row, std::size_t column) {
  if (column >= row.cells.size()) return nullptr;
  const auto& pieces = row.cells[column].text.pieces;
  return pieces.size() == 1 ? std::get_if<Quantity>(&pieces.front()) : nullptr;
}

RawValue number(double value) {
  return std::isfinite(value) ? RawValue(value) : RawValue();
}

RawValue value_of_cell(const Row& row, std::size_t column) {
  if (const auto* quantity = quantity_of(row, column))
    return number(quantity->value);
  if (column >= row.cells.size() || row.cells[column].text.empty()) return {};
  const auto& text = row.cells[column].text;
  const auto* count = text.pieces.size() == 1
                          ? std::get_if<std::int64_t>(&text.pieces.front())
                          : nullptr;
  return count != nullptr ? RawValue(*count) : RawValue(words(text));
}

}  // namespace

std::vector<std::string> keys_of(const Table& table) {
  std::vector<std::string> keys;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const auto& key = table.columns[c].key;
    if (key.empty()) continue;
    keys.push_back(key);
    if (!table.columns[c].interval) continue;
    keys.push_back(key + "_low");
    keys.push_back(key + "_high");
  }
  return keys;
}

std::vector<RawValue> values_of(const Table& table, const Row& row) {
  std::vector<RawValue> values;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].key.empty()) continue;
    values.push_back(value_of_cell(row, c));
    if (!table.columns[c].interval) continue;
    const auto* quantity = quantity_of(row, c);
    const bool known = quantity != nullptr && quantity->interval;
    values.push_back(known ? number(quantity->interval->low) : RawValue());
    values.push_back(known ? number(quantity->interval->high) : RawValue());
  }
  return values;
}

}  // namespace parlab
