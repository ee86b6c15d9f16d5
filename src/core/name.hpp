// Names and text from outside: from records or folders.
#pragma once

#include <string>
#include <string_view>

namespace parlab {

// Whether the text can be a name in a record, or the name of a folder or file
// of records: 1 to 64 ASCII letters, digits and . _ + -, beginning with a
// letter, a digit or _. No such name has a special meaning in a shell, in SQL
// or in make.
bool is_name(std::string_view text);

// For messages about invalid names.
inline constexpr const char* name_rule =
    "names are of letters, digits and . _ + -, at most 64";

// Makes characters visible that a terminal might obey, that change the
// direction of a line, or that cannot be seen: "\x1b", "\u202e". Bytes that are
// not UTF-8 are treated alike.
std::string printable(const std::string& text);

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// Converts a text file from any editor to UTF-8 without a byte order mark, with
// a line feed after each line. bytes: UTF-8, UTF-16 or UTF-32, which begin with
// a mark or with ASCII letters, or Latin-1, with line ends of any system.
std::string plain_text(const std::string& bytes);

}  // namespace parlab
