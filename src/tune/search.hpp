// Searches for the best tunables of one variant: the values to try, and sweeps
// that measure them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/variant.hpp"
#include "record/record.hpp"
#include "sweep/observer.hpp"
#include "sweep/plan.hpp"
#include "sweep/supervisor.hpp"
#include "tune/best.hpp"

namespace parlab {

// One axis per tunable of the variant, ascending, without duplicates and not
// empty. If values were asked for by name, the axis has those. Otherwise it has
// all allowed values if there are at most 16; for threads 1, 2, 4, ... and
// cores; for a block the multiples of a warp; for anything else the allowed
// ones of 2^k and 3*2^k, and both ends. Throws UsageError when none of the
// values asked for is allowed.
std::vector<TunableAxis> axes_of(
    const Variant& variant,
    const std::map<std::string, std::vector<std::int64_t>>& asked,
    std::int64_t cores);

// The number of configurations, as a double, because a product of many axes may
// be large.
double count_of(const std::vector<TunableAxis>& axes);

// Every tunable as declared, with 0 threads (all cores) replaced by the number.
TunableValues defaults_of(const Variant& variant, std::int64_t cores);

// quick: a few samples, to tell good from bad. full: like any measurement.
enum class Effort { quick, full };

struct Search {
  std::vector<TunableAxis> axes;
  TunableValues start;      // first configuration: the defaults
  bool exhaustive = false;  // measure all configurations
  // Measures these configurations and returns their records; fewer if it was
  // interrupted.
  std::function<std::vector<Record>(const std::vector<TunableValues>&, Effort)>
      measure;
  // asked between measurements; true if the budget is spent, or after Ctrl-C
  std::function<bool()> stop;
};

// Exhaustive: measures all at full effort. Otherwise coordinate descent at
// quick effort: tries all values of one tunable, with the others at the best so
// far, in turns until nothing improves. It repeats that from other places while
// the budget lasts, because there may be several local minima. At the end it
// measures the few that might be the best, and the start for comparison, at
// full effort. Returns how many configurations were tried.
std::size_t run_search(const Search& search);

struct Tuning {
  std::size_t tried = 0;             // configurations
  std::vector<Record> records = {};  // the last record of each configuration
  // The winner by new samples, its ties by those of the search. Nothing if none
  // has a time.
  std::optional<Choice> choice = {};
  int status = 0;  // exit status of its sweeps, as from run_sweep()
};

// plan: its tunables limit the values to try; its results name the file of the
// trials. If the budget allows, all configurations are measured. Configurations
// of an earlier search are not measured again.
Tuning find_best(const Plan& plan, const Subject& subject, double budget_s,
                 Observer& observer, Supervisor& supervisor);

}  // namespace parlab
