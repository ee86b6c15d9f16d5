// Names and text that come from elsewhere: from records, from folders.
#pragma once

#include <string>
#include <string_view>

namespace parlab {

// Whether it can be a name in a record, or of a folder or file of records: 1
// to 64 letters, digits and . _ + - of ASCII, the first a letter, a digit or
// _. Nothing in it means anything to a shell, to SQL or to make.
bool is_name(std::string_view text);

// For messages about one that is none.
inline constexpr const char* name_rule =
    "names are of letters, digits and . _ + -, at most 64";

// The same with what a terminal might obey, what turns its lines and what
// nobody sees made visible: "\x1b", "\u202e"; so are bytes that are no UTF-8.
std::string printable(const std::string& text);

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// A text file as editors here write it: UTF-8 without a byte order mark, a line
// feed behind each line. bytes: UTF-8, UTF-16 or 32, which begin with a mark or
// with plain letters, or Latin-1, with line ends of any system.
std::string plain_text(const std::string& bytes);

}  // namespace parlab
