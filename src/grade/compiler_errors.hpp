// Explains the output of a compiler or linker to the author of a submission.
#pragma once

#include <filesystem>
#include <string>

#include "facts/cause.hpp"

namespace parlab::grade {

// log: the whole output. Returns the first error, "mine.cu:12:5: error: ...",
// at the line of the submission that led to it, followed by a cause if one is
// known; empty if there was no output.
Detail explained_error(const std::filesystem::path& log,
                       const std::filesystem::path& source);
// The same for output in memory.
Detail explained_error(const std::string& said, const std::string& source);

}  // namespace parlab::grade
