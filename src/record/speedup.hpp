// Speedup of one record over another, with its interval.
#pragma once

#include <optional>
#include <vector>

#include "record/record.hpp"
#include "statistics/statistics.hpp"

namespace parlab {

// The copies between host and device that count: none, or those to and from
// pageable or pinned memory of the host.
enum class Copies { none, pageable, pinned };

// How many times as fast as the baseline the record is: the baseline's median
// time divided by the record's. Nothing when either did not pass, was not
// timed, or belongs to another point. The median times of copies are added to
// the medians as if they were exact; nothing when a kernel needs copies and
// they were not measured. A record whose time includes the copies is only
// compared with pageable copies, and one with pinned copies only with a
// baseline that needs none.
std::optional<Ratio> speedup(const Record& record, const Record& baseline,
                             Copies copies = Copies::none);
// The same, for callers that already have both estimates from summary().
std::optional<Ratio> speedup(const Record& record, const Uncertain& ours,
                             const Record& baseline, const Uncertain& theirs,
                             Copies copies);

// The serial record of the same point and machine that speedups are measured
// against. That is the one named plain, else the first, unless another host of
// this name measured plain. If a variant has several records, the last one
// counts. Returns nullptr when none passed and was timed. Points into records.
const Record* baseline_of(const std::vector<Record>& records,
                          const Record& record);

}  // namespace parlab
