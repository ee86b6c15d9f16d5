// The table of one point: times with intervals, bars, rates, gains.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "facts/document.hpp"
#include "record/record.hpp"
#include "record/speedup.hpp"
#include "statistics/statistics.hpp"

namespace parlab {

struct TimedRow {
  const Record* record;
  Summary summary;
  bool timed;  // only results that passed have a time
  bool interval() const {
    return timed && std::isfinite(summary.interval.high);
  }
};

// The references for all rows of one point.
struct Yardsticks {
  // lowest median; among rows with the arithmetic of their type if there are
  // any, and among these of rows with data in place
  const TimedRow* best = nullptr;
  const Record* baseline = nullptr;  // the serial one
  Uncertain baseline_time;
  bool flops = false;  // show the rate of operations, not of bytes
  // of the rows whose variant was also measured with one thread
  std::map<const Record*, ThreadGain> threads = {};
};

// The rows point into the records.
std::vector<TimedRow> rows_of(const std::vector<Record>& records);
// rows: the shown ones of these records, which `run` measured.
Yardsticks compare(const std::vector<TimedRow>& rows,
                   const std::vector<Record>& records, const Run& run = {});
// The fastest configuration of each variant, or one without a time if no other
// exists.
std::vector<TimedRow> best_of_each(const std::vector<TimedRow>& rows);

Table table_of_rows(const std::vector<TimedRow>& rows,
                    const Yardsticks& yardsticks);
// The fastest variant, its lead, and the ones that the samples cannot tell from
// it. can_go_on: whether more samples can be taken. Empty if none has the
// arithmetic of its type.
Paragraph fastest(const std::vector<TimedRow>& best,
                  const Yardsticks& yardsticks, bool can_go_on);
// The variants with other arithmetic than that of their type, which are marked
// in the table and compete with no others.
void add_other_arithmetic(Section& section, const std::vector<TimedRow>& best);
// How well the fastest uses its threads, and what limits it; empty if that is
// not known.
Paragraph use_of_threads(const Yardsticks& yardsticks);
bool any_efficiency(const std::vector<TimedRow>& rows,
                    const Yardsticks& yardsticks);
bool any_energy(const std::vector<TimedRow>& rows);
// Why some have no energy or no limit: each reason once, with the variants
// concerned.
void add_what_is_absent(Section& section, const std::vector<TimedRow>& rows);

// "dmv 64x64 float, hot caches"
std::string title_of_point(const Record& record);

}  // namespace parlab
