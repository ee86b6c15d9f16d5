#include "core/json.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <system_error>

namespace parlab {
namespace {

constexpr int most_levels = 64;  // records have four

// How many bytes the first character of a text that is not empty has; 0: it is
// no UTF-8 (RFC 3629: not too long a form, no surrogate, at most U+10FFFF).
std::size_t bytes_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t count = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const unsigned low = first == 0xe0   ? 0xa0
                       : first == 0xf0 ? 0x90
                                       : 0x80,
                 high = first == 0xed   ? 0x9f
                        : first == 0xf4 ? 0x8f
                                        : 0xbf;
  if (second < low || second > high) return 0;
  for (std::size_t i = 2; i < count; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  return count;
}

void append_character(std::string& text, unsigned code) {
  const int bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  constexpr unsigned marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
  int shift = 6 * (bytes - 1);
  text += static_cast<char>(marks[bytes] | (code >> shift));
  while ((shift -= 6) >= 0)
    text += static_cast<char>(0x80 | ((code >> shift) & 0x3f));
}

}  // namespace

// ---- writing ----------------------------------------------------------------

JsonWriter& JsonWriter::key(std::string_view name) {
  key_ = name;
  value(name);
  text_ += ':';
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  put("\"");
  while (!text.empty()) {
    const std::size_t bytes = bytes_of_character(text);
    const char c = text[0];
    if (bytes == 0) {
      text_ += "\xef\xbf\xbd";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      text_ += code;
    } else {
      if (c == '"' || c == '\\') text_ += '\\';
      text_ += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  text_ += '"';
  return *this;
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

JsonWriter& JsonWriter::end(char bracket) {
  text_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::put(std::string_view plain) {
  // a key ends with its colon
  const bool first = text_.empty() || text_.back() == '{' ||
                     text_.back() == '[' || text_.back() == ':';
  if (!first) text_ += ',';
  text_ += plain;
  return *this;
}

// ---- reading ----------------------------------------------------------------

// The next character that is no blank; 0 at the end, as for a NUL.
char JsonReader::peek() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return c;
    ++at_;
  }
  return '\0';
}

void JsonReader::expect(char c) {
  if (peek() != c) throw NotJson();
  ++at_;
}

char JsonReader::kind() {
  const char c = peek();
  if ((c >= '0' && c <= '9') || c == '-') return '0';
  constexpr std::string_view others = "{[\"tfn";
  if (others.find(c) == others.npos) throw NotJson();
  return c;
}

void JsonReader::begin(char bracket) {
  if (kind() != bracket) throw WrongKind("neither object nor list");
  ++at_;
  if (++level_ > most_levels) throw NotJson();
  first_ = true;
}

bool JsonReader::next(char bracket) {
  if (peek() == bracket) {
    ++at_;
    --level_;
    first_ = false;
    return false;
  }
  if (!first_) expect(',');
  first_ = false;
  return true;
}

bool JsonReader::next_member(std::string& key) {
  if (!next('}')) return false;
  if (peek() != '"') throw NotJson();
  key.clear();
  read_text(&key);
  expect(':');
  return true;
}

void JsonReader::expect_end() {
  if (peek() != '\0' || at_ != text_.size()) throw NotJson();
}

std::string JsonReader::text() {
  if (kind() != '"') throw WrongKind("no text");
  std::string text;
  read_text(&text);
  return text;
}

// From its opening quote on; into may be null.
void JsonReader::read_text(std::string* into) {
  ++at_;
  while (true) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\') {
      const std::size_t bytes = bytes_of_character(text_.substr(at_));
      if (bytes == 0 || static_cast<unsigned char>(text_[at_]) < 0x20)
        throw NotJson();
      at_ += bytes;
    }
    if (into != nullptr) into->append(text_, begin, at_ - begin);
    if (at_ == text_.size()) throw NotJson();
    if (text_[at_++] == '"') return;
    if (at_ == text_.size()) throw NotJson();
    const char c = text_[at_++];
    unsigned code = static_cast<unsigned char>(c);
    constexpr std::string_view letters = "bfnrt", meant = "\b\f\n\r\t";
    if (c == 'u') {
      code = escaped_unit();
      if (code >= 0xdc00 && code <= 0xdfff) throw NotJson();
      if (code >= 0xd800 && code <= 0xdbff) {  // the first half of a pair
        if (text_.substr(at_, 2) != "\\u") throw NotJson();
        at_ += 2;
        const unsigned half = escaped_unit();
        if (half < 0xdc00 || half > 0xdfff) throw NotJson();
        code = 0x10000 + ((code - 0xd800) << 10) + (half - 0xdc00);
      }
    } else if (const auto which = letters.find(c); which != letters.npos) {
      code = static_cast<unsigned char>(meant[which]);
    } else if (c != '"' && c != '\\' && c != '/') {
      throw NotJson();
    }
    if (into != nullptr) append_character(*into, code);
  }
}

// The four digits of \uXXXX.
unsigned JsonReader::escaped_unit() {
  unsigned code = 0;
  const char* begin = text_.data() + at_;
  const char* end = begin + std::min<std::size_t>(4, text_.size() - at_);
  if (end - begin != 4 || std::from_chars(begin, end, code, 16).ptr != end)
    throw NotJson();
  at_ += 4;
  return code;
}

// Sets it to the number that comes next. from_chars() takes more than JSON:
// 01, -.5 and 1.
template <typename T>
std::errc JsonReader::read_number(T& value) {
  if (kind() != '0') throw WrongKind("no number");
  const char *const begin = text_.data() + at_, *const last =
                                                    text_.data() + text_.size();
  const auto [end, error] = std::from_chars(begin, last, value);
  const std::string_view read(begin, end);
  const auto digit_at = [&](std::size_t i) {
    return i < read.size() && read[i] >= '0' && read[i] <= '9';
  };
  const std::size_t first = read.starts_with('-');
  std::size_t i = first;
  while (digit_at(i))
    ++i;
  const bool padded = i > first + 1 && read[first] == '0';
  const bool open = i < read.size() && read[i] == '.' && !digit_at(i + 1);
  if (i == first || padded || open) throw NotJson();
  at_ += read.size();
  return error;
}

double JsonReader::number() {
  double value = 0;
  if (read_number(value) != std::errc())
    throw WrongKind("a number that no double can hold");
  return value;
}

std::int64_t JsonReader::integer() {
  std::int64_t value = 0;
  const auto error = read_number(value);
  const char next = at_ < text_.size() ? text_[at_] : ' ';
  if (error != std::errc() || next == '.' || next == 'e' || next == 'E')
    throw WrongKind("no integer");
  return value;
}

bool JsonReader::boolean() {
  const char c = kind();
  if (c != 't' && c != 'f') throw WrongKind("neither true nor false");
  skip();
  return c == 't';
}

void JsonReader::skip() {
  const char c = kind();
  if (c == '{') {
    begin_object();
    for (std::string key; next_member(key);)
      skip();
  } else if (c == '[') {
    begin_list();
    while (next_element())
      skip();
  } else if (c == '"') {
    read_text(nullptr);
  } else if (c == '0') {
    number();
  } else {
    const std::string_view word = c == 't'   ? "true"
                                  : c == 'f' ? "false"
                                             : "null";
    if (text_.substr(at_, word.size()) != word) throw NotJson();
    at_ += word.size();
  }
}

}  // namespace parlab
