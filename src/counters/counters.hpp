// Adds hardware counters to the records of a sweep.
#pragma once

#include <string>
#include <vector>

#include "facts/document.hpp"
#include "sweep/observer.hpp"

namespace parlab {

using Points = std::vector<std::vector<Record>>;

// Keeps the points of a sweep until their counters are known; passes everything
// else on.
struct KeptPoints final : PassingObserver {
  using PassingObserver::PassingObserver;
  void point(const std::vector<Record>& records) override {
    points.push_back(records);
  }

  Points points;
};

// Profiles one execution of each configuration that passed on a GPU and has no
// counters yet, with one run of ncu per point. Appends the records with their
// counters to results (empty: nowhere). If nothing can be counted, for one
// point or all, a note gives the reason and the records stay unchanged. Throws
// what Store throws. reports: a folder for ncu's own files, one per point, or
// empty. Returns a section for each kernel at its largest size, with what ncu
// says of its lines.
Document add_counters(Points& points, const std::string& results,
                      Observer& observer, const std::string& reports = {});
// The same if there is a GPU; throws NoCountersHere.
Document count_each_point(Points& points, const std::string& results,
                          Observer& observer, const std::string& reports = {});

// Appends again those records that now have counters, to the file that has them
// without, if one is named. Throws what Store throws.
void append_counters(const std::vector<Record*>& records,
                     const std::string& results);

// Runs under a profiler or compute-sanitizer. arguments: workload, size, dtype,
// then one configuration each: "cuda/rw block=128"; unnamed tunables keep their
// defaults. Without a configuration: all variants in cuda/. Executes each once,
// in this order, while the profiler records; nothing is verified, timed or
// printed. Throws PointError when one of them cannot run, UsageError when the
// arguments are invalid.
void execute_once(const std::vector<std::string>& arguments);

}  // namespace parlab
