// Ranks the results of several people, measured or handed in to a class, on one
// page.
#pragma once

#include <filesystem>
#include <vector>

#include "facts/document.hpp"

namespace parlab::page {

// Each folder is a person's records, with the person's name, or a graded class,
// which has grades.csv. Ranks compare times from machines of one name, at the
// size that most of these have. Sources are shown if they lie beside the
// records, or in sources/ of either. Throws UsageError for a folder that has
// neither.
Document leaderboard(const std::vector<std::filesystem::path>& folders);

}  // namespace parlab::page
