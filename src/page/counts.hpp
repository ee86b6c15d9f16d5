// What the kernels of a variant ask of memory, by emulation: beside its time it
// says why. No machine has counted it: one file serves the pages of all.
#pragma once

#include <filesystem>
#include <vector>

#include "facts/document.hpp"
#include "record/record.hpp"

namespace parlab::page {

// Reads results/counts.jsonl, which scripts/counts.sh makes, without variants
// that were changed since.
std::vector<Record> load_counts(const std::filesystem::path& results);

// Finds that of the same variant and type of elements; nullptr: there is none.
const Record* counts_of(const std::vector<Record>& counted,
                        const Record& record);

// "2.10M sectors loaded, 2.0 a request; 786k passes of loads from shared
// memory, 1.2 a request". What is less than a tenth of the most is left out.
Text counts_in_words(const Record& counts);

}  // namespace parlab::page
