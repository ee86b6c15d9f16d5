// Speedup of one record over another, with its interval; what a CPU variant
// gains by threads, and its limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
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

// full: the arithmetic of its dtype. alike: another one, whose errors stay
// within the bound of the dtype, for uniform inputs and for wide ones.
enum class Precision { full, alike, reduced };
Precision precision_of(const Record& record);

// The serial record of the same point and machine that speedups are measured
// against. That is the one named plain, else the first, unless another host of
// this name measured plain. If a variant has several records, the last one
// counts. Returns nullptr when none passed and was timed. Points into records.
const Record* baseline_of(const std::vector<Record>& records,
                          const Record& record);

// The resource that sets a record's roof, by the ceilings of its device: "a
// launch" of an empty kernel, "memory" (including caches), or a unit; "" if the
// record has no roof.
std::string limit_of(const Ceilings& ceilings, const Record& record);

// The number that it was asked to have; 0: it has no such tunable.
std::int64_t threads_of(const Record& record);

struct ThreadGain {
  std::int64_t threads = 0;
  // Time of one thread / (threads * time of all): 1 at best.
  Ratio efficiency;
  // what keeps it below 1, if it is and that is known:
  // Cause::threads_at_memory ...
  Detail limit;
  bool good() const;  // nothing limits it
};

// Compares the record with one of the same variant, point and machine that
// differs only in having one thread. run: its ceilings were measured with all
// cores at work. Nothing if the record has one thread, or if there is no such
// other record.
std::optional<ThreadGain> gain_by_threads(const Record& record,
                                          const std::vector<Record>& records,
                                          const Run& run);

}  // namespace parlab
