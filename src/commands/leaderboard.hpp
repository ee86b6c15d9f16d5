// Ranks what several people measured, or handed in to a class, on one page.
#pragma once

#include <filesystem>
#include <vector>

#include "facts/document.hpp"

namespace parlab::page {

// Each folder is a person's records, named for the person, or a graded class,
// which has grades.csv. Ranks are made among what was measured on machines of
// one name, at the size that most of them have. Sources are shown where they
// lie beside the records, or in sources/ of either. Throws UsageError for a
// folder that has neither.
Document leaderboard(const std::vector<std::filesystem::path>& folders);

}  // namespace parlab::page
