// Records of several jobs, together again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace parlab {

struct Merged {
  std::size_t records = 0;  // that were appended
  // torn and foreign lines, by file and line
  std::vector<std::string> warnings;
};

// Appends to a record file the lines of other ones that it does not
// hold yet, and removes these. One that is being written stays as it
// is, with a warning. Interrupted, it can be started again: nothing is
// lost, nothing stands twice. Throws UsageError when they are of several
// machines or cannot be read or written, and std::system_error when the
// disk is full; then no file is removed.
Merged merge_records(const std::filesystem::path& into,
                     const std::vector<std::filesystem::path>& files);

}  // namespace parlab
