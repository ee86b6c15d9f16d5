// Hardware counters of what a sweep has measured.
#pragma once

#include <string>
#include <vector>

#include "sweep/observer.hpp"

namespace parlab {

using Points = std::vector<std::vector<Record>>;

// Keeps the points of a sweep until their counters are known;
// passes everything else on.
struct KeptPoints final : PassingObserver {
  using PassingObserver::PassingObserver;
  void point(const std::vector<Record>& records) override {
    points.push_back(records);
  }

  Points points;
};

// Profiles one execution of each configuration that passed on a GPU and has no
// counters yet, one run of ncu per point, and appends the records with their
// counters to results (empty: nowhere). Where nothing can be counted a note
// says why, of a point or of all, which stay as they are. Throws what
// Store does.
// reports: a folder for ncu's own files, one for each point, or empty.
void add_counters(Points& points, const std::string& results,
                  Observer& observer, const std::string& reports = {});
// The same where there is a GPU; throws NoCountersHere.
void count_each_point(Points& points, const std::string& results,
                      Observer& observer, const std::string& reports = {});

// Appends those of the records that have counters a second time, to the file
// that has them without, if any is named. Throws what Store does.
void append_counters(const std::vector<Record*>& records,
                     const std::string& results);

// A profiler, or compute-sanitizer, runs this. arguments: workload, size,
// dtype, then one configuration each: "cuda/rw block=128"; unnamed tunables
// keep their defaults. Without any configuration: all variants in cuda/. Each
// is executed once where the profiler listens, in this order; nothing is
// verified, timed or printed. Throws PointError when one of them cannot run,
// UsageError when the arguments make no sense.
void execute_once(const std::vector<std::string>& arguments);

}  // namespace parlab
