// The best known configuration of a variant at a size, and its ties.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/variant.hpp"
#include "record/record.hpp"

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

// trials: records of one variant, size and dtype. The best is the one whose
// interval has the lowest upper end, so that it is surely fast. Nothing if none
// has a time.
std::optional<Choice> choose_best(const std::vector<Record>& trials);

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

}  // namespace parlab
