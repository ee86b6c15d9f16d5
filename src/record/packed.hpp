// Record files that were packed. The records of NAME.jsonl are the lines of
// NAME.jsonl.zst, compressed by zstd, and after them those of NAME.jsonl, which
// were appended since; either may be missing. NAME.jsonl is what all are
// called by.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "record/lines.hpp"

namespace parlab {

// x.jsonl.zst of x.jsonl, and x.jsonl of either.
std::filesystem::path packed_path(const std::filesystem::path& plain);
std::filesystem::path plain_path(const std::filesystem::path& file);

// The files that hold the records of x.jsonl, the older first; none when there
// is none. A packed file that is named itself is one, and so is a folder.
std::vector<std::filesystem::path> parts_of(const std::filesystem::path& file);

// The lines of a file, packed or not. Throws UsageError when it cannot be read;
// reading from it throws std::runtime_error when the packed file is damaged.
std::unique_ptr<std::istream> open_lines(const std::filesystem::path& file);

// Calls f with each line of a file and its number.
void each_line(const std::filesystem::path& file,
               const std::function<void(const Line&, std::size_t)>& f);

struct Packed {
  std::uintmax_t bytes = 0;  // that the packed file has now
  std::vector<std::string> warnings;
};

// Takes the lines of x.jsonl into x.jsonl.zst, and removes x.jsonl when the
// packed file is on disk and was read again. Stopped at any time it leaves
// every record in one of the two, or in both: of these one counts.
// A record keeps all samples. Those of one of the judged_groups() are sorted
// (Record::grouped), which takes two thirds of the bytes. If its statistics
// did not stay the same to the last bit, the line stays as it is. Throws
// UsageError when the file is not x.jsonl or somebody writes it, and
// std::runtime_error when it cannot be packed.
Packed pack_records(const std::filesystem::path& plain);

}  // namespace parlab
