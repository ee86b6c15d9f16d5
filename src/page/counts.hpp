// The memory requests of a variant's kernels, counted by emulation: they
// explain its time. The counts do not depend on a machine, so one file serves
// all pages.
#pragma once

#include <filesystem>
#include <vector>

#include "facts/document.hpp"
#include "record/record.hpp"

namespace parlab::page {

// Reads results/counts.jsonl, which scripts/counts.sh makes, without variants
// that have changed since.
std::vector<Record> load_counts(const std::filesystem::path& results);

// The counts of the same variant and dtype; nullptr: there are none.
const Record* counts_of(const std::vector<Record>& counted,
                        const Record& record);

// "2.10M sectors loaded, 2.0 a request; 786k passes of loads from shared
// memory, 1.2 a request". Counts below a tenth of the largest are left out.
Text counts_in_words(const Record& counts);

}  // namespace parlab::page
