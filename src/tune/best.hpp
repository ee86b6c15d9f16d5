// The best known configuration of a variant at a size, and its use in a plan.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/variant.hpp"
#include "facts/cause.hpp"
#include "record/record.hpp"
#include "sweep/plan.hpp"

namespace parlab {

// One variant at one size and dtype.
struct Subject {
  const Variant* variant;
  Size size;
  Dtype dtype;
};

struct Choice {
  Record best;
  // those that the samples cannot tell from the best; fastest first
  std::vector<Record> ties;
};

// trials: records of one variant, size and dtype. The one whose interval has
// the lowest upper end is surely fast. The best is among those that tie with
// it: the defaults, or else the one with the lowest median. Nothing if none has
// a time.
std::optional<Choice> choose_best(const std::vector<Record>& trials,
                                  const TunableValues& defaults);

class Tuned {
 public:
  // trials: the records of all trials; those of this machine with hot caches
  // count. source: current source hash by full name; trials of other versions
  // are left out.
  Tuned(const std::vector<Record>& trials, const std::string& machine,
        const std::map<std::string, std::string>& source);

  struct Found {
    // the size asked for, or the nearest one that was tuned, by the factors
    // between extents
    Size size;
    Choice choice;
  };
  // Nothing if the variant was not tuned for this dtype.
  std::optional<Found> find(const std::string& full_name, Dtype dtype,
                            const Size& size) const;

 private:
  std::map<std::pair<std::string, Dtype>, std::map<Size, std::vector<Record>>>
      trials_;
};

// results/MACHINE/tuned.trials. It has records like any record file, appended
// as they are measured, but figures and claims do not use them.
std::string tuned_file();

// Makes plan run with the best known value of each tunable in best, which maps
// its name to the user's words, such as "GPU_BLOCK_SIZE=best". file: the file
// of the trials; empty: tuned_file(). Returns notes for the user: sizes used in
// place of the requested one, and variants that run with their defaults because
// they are not tuned. Throws UsageError with the command to run when no chosen
// variant is tuned.
std::vector<Detail> use_best(const std::map<std::string, std::string>& best,
                             const std::string& file, Plan& plan);

}  // namespace parlab
