// How the configurations of a variant are searched. Whoever
// calls this measures them.
#pragma once

#include <functional>
#include <vector>

#include "record/record.hpp"
#include "tune/space.hpp"

namespace parlab {

// quick: a few samples, to tell good from bad; full: as any measurement.
enum class Effort { quick, full };

struct Search {
  std::vector<TunableAxis> axes;
  TunableValues start;      // where to begin: the defaults
  bool exhaustive = false;  // measure all of them
  // Measures these configurations and says what came out; less
  // when it was interrupted.
  std::function<std::vector<Record>(const std::vector<TunableValues>&, Effort)>
      measure;
  // asked between measurements: the budget is spent, or Ctrl-C
  std::function<bool()> stop;
};

// Exhaustive: all at full effort. Otherwise coordinate descent at quick
// effort: all values of one tunable, the others at the best so far, in
// turns until nothing improves; then again from other places, as long as
// the budget lasts, for a valley may hide another; at last the few that
// might be the best (and the start, to compare with), at full effort.
// Returns how many configurations were tried.
std::size_t run_search(const Search& search);

}  // namespace parlab
