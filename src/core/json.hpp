// JSON (RFC 8259), read and written value after value: nothing is kept.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace parlab {

// On one line.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return put("{"); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_list() { return put("["); }
  JsonWriter& end_list() { return end(']'); }
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
  const std::string& text() const { return text_; }

 private:
  JsonWriter& put(std::string_view plain);
  JsonWriter& end(char bracket);

  std::string text_, key_;
};

// The text is no JSON.
struct NotJson : std::runtime_error {
  NotJson() : runtime_error("not JSON") {}
};
// It is JSON, but not what was asked for.
struct WrongKind : std::runtime_error {
  using runtime_error::runtime_error;
};

// Strict: 1.5 is no integer, true is no number. All throw NotJson and
// WrongKind.
class JsonReader {
 public:
  // text must outlive the reader.
  explicit JsonReader(std::string_view text) : text_(text) {}

  // Which kind of value comes next, by its first character: { [ " t f n, or 0
  // of a number.
  char kind();
  std::string text();
  double number();
  std::int64_t integer();
  bool boolean();
  void skip();  // whatever comes next

  // reader.begin_object();
  // for (std::string key; reader.next_member(key);) reader.skip();
  void begin_object() { begin('{'); }
  bool next_member(std::string& key);
  void begin_list() { begin('['); }
  bool next_element() { return next(']'); }

  void expect_end();  // nothing follows

 private:
  char peek();
  void begin(char bracket);
  bool next(char bracket);
  void expect(char c);
  template <typename T>
  std::errc read_number(T& value);
  void read_text(std::string* into);
  unsigned escaped_unit();

  std::string_view text_;
  std::size_t at_ = 0;
  int level_ = 0;
  bool first_ = false;  // of its object or list
};

}  // namespace parlab
