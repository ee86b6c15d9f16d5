// Records in the formats of other programs.
#pragma once

#include <iosfwd>

#include "record/store.hpp"

namespace parlab {

// JSON as Google Benchmark writes it, for its compare.py and for actions that
// read it. Each run of a point is a repetition of one name, with the median of
// its samples. Runs of a source older than the last, and records without a
// time, are left out. Throws UsageError if the records are from several
// machines.
void write_google_benchmark(std::ostream& out, const Loaded& loaded);

// OpenMetrics, for Prometheus and similar programs: the median of the last run
// of each point, at the time of that run.
void write_openmetrics(std::ostream& out, const Loaded& loaded);

}  // namespace parlab
