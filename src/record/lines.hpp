// The lines of a file, whatever its size.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>

namespace parlab {

struct Line {
  std::string text;       // without its newline
  bool ended = false;     // by a newline
  bool too_long = false;  // the text is cut
};

// Like std::getline, but never holds more than the longest allowed line.
class LineReader {
 public:
  static constexpr std::size_t longest = std::size_t{64} << 20;

  // in must outlive the reader.
  explicit LineReader(std::istream& in)
      : in_(in), block_(std::size_t{1} << 18, '\0') {}

  // False at the end of the file.
  bool next(Line& line);

 private:
  bool refill();

  std::istream& in_;
  std::string block_;
  std::size_t begin_ = 0, end_ = 0;  // the part that is not consumed yet
};

// Whether the file begins as UTF-16 does. Some shells and editors of Windows
// write text in it.
bool is_utf_16(std::string_view text);

}  // namespace parlab
