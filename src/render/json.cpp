#include "render/json.hpp"

#include "core/json.hpp"
#include "render/fields.hpp"

namespace parlab {
namespace {

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

void write_value(JsonWriter& json, const std::string& text) {
  json.value(text);
}
void write_value(JsonWriter& json, std::int64_t count) {
  json.value(count);
}
void write_value(JsonWriter& json, double number) {
  json.value(number, 9);
}
void write_value(JsonWriter&, std::monostate) {}

}  // namespace

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
      json.key(keys[i]);
      std::visit([&](const auto& value) { write_value(json, value); },
                 values[i]);
    }
    lines += json.end_object().text() + '\n';
  }
  return lines;
}

std::string json_lines(const Document& document) {
  return lines_of_blocks(document.blocks);
}

}  // namespace parlab
