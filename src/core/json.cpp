#include "core/json.hpp"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

namespace parlab {
namespace {

constexpr int most_levels = 64;  // records have four levels

// Number of bytes before the first ones that are not UTF-8.
std::size_t utf8_bytes(std::string_view text) {
  rapidjson::MemoryStream in(text.data(), text.size());
  unsigned code = 0;
  std::size_t bytes = 0;
  while (bytes < text.size() && rapidjson::UTF8<>::Decode(in, &code))
    bytes = in.Tell();
  return bytes;
}

// Refuses some texts that RapidJSON accepts.
class Builder : public rapidjson::Document {
 public:
  bool String(const char* text, unsigned size, bool) {
    constexpr bool with_copy = true;
    return utf8_bytes({text, size}) == size &&
           GenericDocument::String(text, size, with_copy);
  }
  bool Key(const char* text, unsigned size, bool copy) {
    return String(text, size, copy);
  }
  bool RawNumber(const char* text, unsigned size, bool) {
    const char* const end = text + size;
    std::int64_t integer = 0;
    const auto read = std::from_chars(text, end, integer);
    const bool minus_zero = *text == '-' && integer == 0;
    if (read.ptr == end && read.ec == std::errc() && !minus_zero)
      return Int64(integer);
    double number = 0;
    return std::from_chars(text, end, number).ec == std::errc() &&
           Double(number);
  }
  bool StartObject() { return deeper() && GenericDocument::StartObject(); }
  bool EndObject(unsigned count) {
    --level_;
    return GenericDocument::EndObject(count);
  }
  bool StartArray() { return deeper() && GenericDocument::StartArray(); }
  bool EndArray(unsigned count) {
    --level_;
    return GenericDocument::EndArray(count);
  }

 private:
  bool deeper() { return ++level_ <= most_levels; }

  int level_ = 0;
};

}  // namespace

rapidjson::Document parse_json(std::string_view text) {
  std::string copy(text);
  rapidjson::InsituStringStream in(copy.data());
  rapidjson::Reader reader;
  Builder builder;
  const auto read = [&](auto&) {
    constexpr auto numbers_by_text =
        rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag;
    return !reader.Parse<numbers_by_text>(in, builder).IsError();
  };
  builder.Populate(read);
  // RapidJSON takes a NUL for the end
  if (reader.HasParseError() || in.Tell() != text.size()) throw NotJson();
  return builder;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  key_ = name;
  return value(name);
}

JsonWriter& JsonWriter::value(std::string_view text) {
  std::string valid;
  while (true) {
    const auto bytes = utf8_bytes(text);
    valid += text.substr(0, bytes);
    if (bytes == text.size()) break;
    valid += "\xef\xbf\xbd";
    text.remove_prefix(bytes + 1);
  }
  return after(writer_.String(valid));
}

JsonWriter& JsonWriter::value(double number, int digits) {
  if (!std::isfinite(number)) {
    throw std::invalid_argument("cannot store " + key_ + " = " +
                                std::to_string(number) +
                                ": not a finite number");
  }
  char text[40], *const end = text + sizeof text;
  const auto result = digits == 0
                          ? std::to_chars(text, end, number)
                          : std::to_chars(text, end, number,
                                          std::chars_format::general, digits);
  return put({text, result.ptr});
}

}  // namespace parlab
