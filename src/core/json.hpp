// JSON (RFC 8259), read and written by RapidJSON. Its headers are slow to
// compile, so include this only in source files that read or write JSON.
#pragma once

#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>

namespace parlab {

// The text is not JSON.
struct NotJson : std::runtime_error {
  NotJson() : runtime_error("not JSON") {}
};
// The text is JSON, but of another kind than was asked for.
struct WrongKind : std::runtime_error {
  using runtime_error::runtime_error;
};

}  // namespace parlab

// Raised by RapidJSON when a value is read as a kind that it does not have.
#define RAPIDJSON_ASSERT(holds) \
  ((holds) ? void() : throw parlab::WrongKind("another kind of JSON"))
#define RAPIDJSON_HAS_STDSTRING 1
#include <rapidjson/document.h>
#include <rapidjson/writer.h>

namespace parlab {

// Strict: 1.5 is not an integer and true is not a number; asking for the wrong
// kind throws WrongKind. If several members have one name, a search finds the
// first; readers of records take the last.
using Json = rapidjson::Value;

// Throws NotJson.
rapidjson::Document parse_json(std::string_view text);

// Writes JSON on one line.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return after(writer_.StartObject()); }
  JsonWriter& end_object() { return after(writer_.EndObject()); }
  JsonWriter& begin_list() { return after(writer_.StartArray()); }
  JsonWriter& end_list() { return after(writer_.EndArray()); }
  // Writes the name of the next value.
  JsonWriter& key(std::string_view name);

  // Bytes that are not UTF-8 become U+FFFD.
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  // Writes as few digits as identify the number, or at most `digits`. JSON has
  // no infinity and no NaN: throws std::invalid_argument naming the key.
  JsonWriter& value(double number, int digits = 0);
  JsonWriter& value(std::integral auto number) {
    return put(std::to_string(number));
  }
  JsonWriter& value(bool truth) { return put(truth ? "true" : "false"); }

  // Without a line break at the end.
  std::string text() const { return {out_.GetString(), out_.GetSize()}; }

 private:
  JsonWriter& after(bool /*written*/) { return *this; }
  JsonWriter& put(std::string_view plain) {
    return after(
        writer_.RawValue(plain.data(), plain.size(), rapidjson::kNumberType));
  }

  rapidjson::StringBuffer out_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_{out_};
  std::string key_;
};

}  // namespace parlab
