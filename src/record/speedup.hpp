// Speedup of one record over another, with its interval.
#pragma once

#include <optional>
#include <vector>

#include "record/record.hpp"
#include "statistics/statistics.hpp"

namespace parlab {

// Which copies between host and device count: none, or those from and to
// ordinary memory of the host or pinned memory.
enum class Copies { none, pageable, pinned };

// How many times as fast as the baseline: median time of the baseline over
// that of the record. Nothing when either did not pass, was not timed, or
// belongs to another point. The median times of copies are added to the
// medians, as if they were exact; nothing when they were not measured for a
// kernel that needs them. A record with the copies in its time is compared
// with pageable ones alone; one with pinned ones against what needs none.
std::optional<Ratio> speedup(const Record& record, const Record& baseline,
                             Copies copies = Copies::none);
// The same, where summary().estimate of both is at hand.
std::optional<Ratio> speedup(const Record& record, const Uncertain& ours,
                             const Record& baseline, const Uncertain& theirs,
                             Copies copies);

// The serial record of the same point and machine that speedups are
// measured against: the one named plain; else the first, unless another host
// of this name measured plain; of several of the same variant the last.
// nullptr when there is none that passed and was timed. Points into records.
const Record* baseline_of(const std::vector<Record>& records,
                          const Record& record);

}  // namespace parlab
