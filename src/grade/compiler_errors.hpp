// What a compiler or a linker said of a submission, for whoever wrote it.
#pragma once

#include <filesystem>
#include <string>

#include "facts/cause.hpp"

namespace parlab::grade {

// log: all that it said. The first error, "mine.cu:12:5: error: ...", at the
// line of the submission that led to it, with a cause behind it where one is
// known; empty: it said nothing.
Detail explained_error(const std::filesystem::path& log,
                       const std::filesystem::path& source);
// The same of what was said.
Detail explained_error(const std::string& said, const std::string& source);

}  // namespace parlab::grade
