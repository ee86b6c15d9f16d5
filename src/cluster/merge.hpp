// Merges the records of several jobs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace parlab {

struct Merged {
  std::size_t records = 0;  // those that were appended
  // torn and foreign lines, by file and line
  std::vector<std::string> warnings;
  bool complete = true;  // no file stays because of foreign lines
};

// Appends to a record file the lines of other files that it does not hold yet,
// and removes those files. A file that is being written, or has lines that
// cannot be read, stays, with a warning.
// After an interrupt it can be started again without losing or duplicating
// lines. Throws UsageError when the files come from several machines or cannot
// be read or written, and std::system_error when the disk is full; then no file
// is removed.
Merged merge_records(const std::filesystem::path& into,
                     const std::vector<std::filesystem::path>& files);

}  // namespace parlab
