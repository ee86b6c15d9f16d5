// Tables for programs, as CSV and as JSON.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <variant>

#include "core/json.hpp"
#include "render/formats.hpp"

namespace parlab {
namespace {

// Empty if the value is unknown.
using RawValue =
    std::variant<std::monostate, std::string, std::int64_t, double>;

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

// The keys of all columns that have one.
std::vector<std::string> keys_of(const Table& table) {
  std::vector<std::string> keys;
  for (const auto& column : table.columns) {
    if (column.key.empty()) continue;
    keys.push_back(column.key);
    if (!column.interval) continue;
    keys.push_back(column.key + "_low");
    keys.push_back(column.key + "_high");
  }
  return keys;
}

// The values of a row for these keys.
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

// For CSV. A text that a spreadsheet would take for a formula gets a quote.
std::string field_of(const RawValue& value) {
  if (const auto* number = std::get_if<double>(&value))
    return csv_number(*number);
  if (const auto* count = std::get_if<std::int64_t>(&value))
    return std::to_string(*count);
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return "";
  const bool formula =
      !text->empty() &&
      std::string_view("=+-@").find(text->front()) != std::string_view::npos;
  return formula ? "'" + *text : *text;
}

std::string lines_of_blocks(const std::vector<Block>& blocks) {
  std::string lines;
  for (const auto& block : blocks) {
    if (const auto* table = std::get_if<Table>(&block)) {
      lines += json_lines(*table);
    } else if (const auto* section = std::get_if<Section>(&block)) {
      lines += lines_of_blocks(section->blocks);
    }
  }
  return lines;
}

void write_value(JsonWriter& json, const RawValue& value) {
  if (const auto* number = std::get_if<double>(&value)) json.value(*number, 9);
  if (const auto* count = std::get_if<std::int64_t>(&value)) json.value(*count);
  if (const auto* text = std::get_if<std::string>(&value)) json.value(*text);
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const auto& field : fields) {
    if (&field != &fields.front()) line += ',';
    // Not find_first_of, because it calls a function for each character, and
    // there are millions of cells.
    const bool plain = std::ranges::none_of(field, [](char c) {
      // Some spreadsheets use ';' as the separator.
      return c == ',' || c == ';' || c == '"' || c == '\r' || c == '\n';
    });
    if (plain) {
      line += field;
      continue;
    }
    line += '"';
    for (const char c : field)
      line.append(c == '"' ? 2 : 1, c);
    line += '"';
  }
  return line + '\n';
}

std::string csv_number(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return "";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, *value,
                                 std::chars_format::general, 9)
                       .ptr;
  return {text, end};
}

std::string csv(const Table& table) {
  auto text = csv_line(keys_of(table));
  for (const auto& row : table.rows) {
    std::vector<std::string> fields;
    for (const auto& value : values_of(table, row))
      fields.push_back(field_of(value));
    text += csv_line(fields);
  }
  return text;
}

std::string json_lines(const Table& table) {
  if (table.key.empty()) return "";
  const auto keys = keys_of(table);
  std::string lines;
  for (const auto& row : table.rows) {
    JsonWriter json;
    json.begin_object().key("type").value(table.key);
    const auto values = values_of(table, row);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (std::holds_alternative<std::monostate>(values[i])) continue;
      write_value(json.key(keys[i]), values[i]);
    }
    lines += json.end_object().text() + '\n';
  }
  return lines;
}

std::string json_lines(const Document& document) {
  return lines_of_blocks(document.blocks);
}

}  // namespace parlab
