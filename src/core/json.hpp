// JSON (RFC 8259), read and written by RapidJSON. Its headers are slow to
// compile: include this in files that read or write, in no header.
#pragma once

#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>

namespace parlab {

// The text is no JSON.
struct NotJson : std::runtime_error {
  NotJson() : runtime_error("not JSON") {}
};
// It is JSON, but not what was asked for.
struct WrongKind : std::runtime_error {
  using runtime_error::runtime_error;
};

}  // namespace parlab

// Asking a value for another kind than it has.
#define RAPIDJSON_ASSERT(holds) \
  ((holds) ? void() : throw parlab::WrongKind("another kind of JSON"))
#define RAPIDJSON_HAS_STDSTRING 1
#include <rapidjson/document.h>
#include <rapidjson/writer.h>

namespace parlab {

// Strict: 1.5 is no integer, true is no number, and asking one for the other
// throws WrongKind. A search finds the first of
// several members of one name; who reads a record takes the last.
using Json = rapidjson::Value;

// Throws NotJson.
rapidjson::Document parse_json(std::string_view text);

// On one line.
class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_list();
  JsonWriter& end_list();
  // The name of the value that follows.
  JsonWriter& key(std::string_view name);

  // Bytes that are no UTF-8 become U+FFFD.
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  // As few digits as tell it from every other number, or so many. There is no
  // infinity and no NaN in JSON: throws std::invalid_argument naming the key.
  JsonWriter& value(double number, int digits = 0);
  JsonWriter& value(std::integral auto number) {
    return put(std::to_string(number));
  }
  JsonWriter& value(bool truth) { return put(truth ? "true" : "false"); }

  // Without a line break at the end.
  std::string text() const { return {out_.GetString(), out_.GetSize()}; }

 private:
  JsonWriter& put(std::string_view plain);

  rapidjson::StringBuffer out_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_{out_};
  std::string key_;
};

}  // namespace parlab
