// Records in the forms of other programs.
#pragma once

#include <iosfwd>

#include "record/store.hpp"

namespace parlab {

// JSON as Google Benchmark writes it, for its compare.py and for actions that
// read it. Each run of a point is a repetition of one name, with the median of
// its samples; runs of an older source than the last are left out, and so is
// what has no time. Throws UsageError when the records are of several machines.
void write_google_benchmark(std::ostream& out, const Loaded& loaded);

// OpenMetrics, for Prometheus and its kin: of each point the median of its last
// run, at the time of that run.
void write_openmetrics(std::ostream& out, const Loaded& loaded);

}  // namespace parlab
