#include "core/name.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>

#include <rapidjson/encodedstream.h>
#include <rapidjson/stringbuffer.h>
#include "core/json.hpp"

namespace parlab {
namespace {

struct Character {
  unsigned code = 0;
  std::size_t bytes = 0;  // of UTF-8; 0: invalid
};

Character character_at(std::string_view text) {
  rapidjson::MemoryStream in(text.data(), text.size());
  Character read;
  if (rapidjson::UTF8<>::Decode(in, &read.code)) read.bytes = in.Tell();
  return read;
}

// False for characters that control something, change the direction of a line,
// have no width, or end a line.
bool can_be_seen(std::uint32_t code) {
  constexpr std::pair<std::uint32_t, std::uint32_t> unseen[] = {
      {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},      {0x61c, 0x61c},
      {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f},
      {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xe0000, 0xe0fff}};
  return std::ranges::none_of(unseen, [=](const auto& range) {
    return code >= range.first && code <= range.second;
  });
}

std::string escaped(const char* format, std::uint32_t code) {
  char text[16];
  std::snprintf(text, sizeof text, format, static_cast<unsigned>(code));
  return text;
}

std::string utf8(unsigned code) {
  rapidjson::StringBuffer out;
  rapidjson::UTF8<>::Encode(out, code);
  return {out.GetString(), out.GetSize()};
}

std::string in_utf8(const std::string& bytes) {
  std::string text;
  rapidjson::MemoryStream all(bytes.data(), bytes.size());
  rapidjson::AutoUTFInputStream<unsigned, rapidjson::MemoryStream> in(all);
  if (in.GetType() != rapidjson::kUTF8) {
    constexpr unsigned not_a_character = 0xfffd;
    for (unsigned code = 1; code != 0; text += utf8(code)) {
      if (!rapidjson::AutoUTF<unsigned>::Decode(in, &code))
        code = not_a_character;
    }
    text.pop_back();
    return text;
  }
  std::size_t i = bytes.starts_with(byte_order_mark) ? 3 : 0;
  while (i < bytes.size()) {
    const auto length = character_at(std::string_view(bytes).substr(i)).bytes;
    text += length > 0 ? bytes.substr(i, length)
                       : utf8(static_cast<unsigned char>(bytes[i]));
    i += std::max<std::size_t>(length, 1);
  }
  return text;
}

}  // namespace

bool is_name(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
  };
  const auto allowed = [&](char c) {
    return plain(c) || c == '.' || c == '+' || c == '-';
  };
  return !text.empty() && text.size() <= 64 && plain(text[0]) &&
         std::all_of(text.begin(), text.end(), allowed);
}

std::string printable(const std::string& text) {
  // Most texts are plain ASCII, and files of records have many of them.
  if (std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; }))
    return text;
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    const auto [code, bytes] = character_at(std::string_view(text).substr(i));
    if (bytes == 0) {
      shown += escaped("\\x%02x", static_cast<unsigned char>(text[i++]));
      continue;
    }
    shown += can_be_seen(code) ? text.substr(i, bytes)
             : code < 0x80     ? escaped("\\x%02x", code)
                               : escaped("\\u%04x", code);
    i += bytes;
  }
  return shown;
}

std::string plain_text(const std::string& bytes) {
  const auto text = in_utf8(bytes);
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool return_and_feed = text.compare(i, 2, "\r\n") == 0;
    if (!return_and_feed) plain += text[i] == '\r' ? '\n' : text[i];
  }
  return plain;
}

}  // namespace parlab
