// How the configurations of a variant are searched. The caller measures them.
#pragma once

#include <functional>
#include <vector>

#include "record/record.hpp"
#include "tune/space.hpp"

namespace parlab {

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

}  // namespace parlab
