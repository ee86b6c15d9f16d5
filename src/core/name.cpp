#include "core/name.hpp"

#include <algorithm>

namespace parlab {

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

std::string printable(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) text[i] = '?';
    // U+0080 to U+009F are control characters of eight bits.
    const bool two = byte == 0xc2 && i + 1 < text.size();
    if (two && static_cast<unsigned char>(text[i + 1]) < 0xa0)
      text.replace(i, 2, "?");
  }
  return text;
}

}  // namespace parlab
