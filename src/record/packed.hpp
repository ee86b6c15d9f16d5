// Packed record files. The records of NAME.jsonl are the lines of
// NAME.jsonl.zst, compressed by zstd, followed by those of NAME.jsonl, which
// were appended since. Either file may be missing. Users always say NAME.jsonl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

// packed_path: x.jsonl.zst for x.jsonl. plain_path: x.jsonl for either.
std::filesystem::path packed_path(const std::filesystem::path& plain);
std::filesystem::path plain_path(const std::filesystem::path& file);

// The files that hold the records of x.jsonl, the older one first; empty if
// there is none. A packed file given by its own name is the only part, and so
// is a folder.
std::vector<std::filesystem::path> parts_of(const std::filesystem::path& file);

// The lines of a file, packed or not. Throws UsageError when it cannot be read;
// reading from it throws std::runtime_error when the packed file is damaged.
std::unique_ptr<std::istream> open_lines(const std::filesystem::path& file);

// Calls f with each line of a file and its number.
void each_line(const std::filesystem::path& file,
               const std::function<void(const Line&, std::size_t)>& f);

struct Packed {
  std::uintmax_t bytes = 0;  // size of the packed file now
  std::vector<std::string> warnings;
};

// Moves the lines of x.jsonl into x.jsonl.zst. Removes x.jsonl once the packed
// file is on disk and was read back. Whenever packing is stopped, every record
// is in at least one of the two files; a record in both counts once. A record
// keeps all samples, but those within each of the judged_groups() are sorted
// (Record::grouped), which takes two thirds of the bytes. A line whose
// statistics would change in the last bit stays as it is. Throws UsageError
// when the file is not x.jsonl or another process writes it, and
// std::runtime_error when it cannot be packed.
Packed pack_records(const std::filesystem::path& plain);

}  // namespace parlab
