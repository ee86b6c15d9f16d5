// The tables of one point: times with intervals, bars, rates, gains.
#pragma once

#include <string>
#include <vector>

#include "facts/document.hpp"
#include "record/record.hpp"

namespace parlab {

struct PointTables {
  Section section = {};       // without a title
  std::string baseline = {};  // serial, of the speedups; empty: none
  // whether it shows times, energy, and the efficiency of threads
  bool times = false, energy = false, threads = false;
  std::size_t more = 0;  // settings that are not shown
};

// shown: some of these records, which `run` measured. all_settings: every
// setting of a variant, below the best of each. can_go_on: whether more samples
// can be taken.
PointTables tables_of_point(const std::vector<const Record*>& shown,
                            const std::vector<Record>& records, const Run& run,
                            bool all_settings, bool can_go_on);

// "dmv 64x64 float, hot caches"
std::string title_of_point(const Record& record);

}  // namespace parlab
