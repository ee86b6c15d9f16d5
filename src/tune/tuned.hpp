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
  // as fast as the best as far as the samples tell; fastest first
  std::vector<Record> ties;
};

// trials: records of one variant, size and dtype. The best is the one that is
// surely fast: its interval has the lowest upper end.
// Nothing when none has a time.
std::optional<Choice> choose_best(const std::vector<Record>& trials);

class Tuned {
 public:
  // From the records of all trials, of which those of this machine with
  // hot caches count. source: what a variant's file is now, by full name;
  // trials of another version are left out.
  Tuned(const std::vector<Record>& trials, const std::string& machine,
        const std::map<std::string, std::string>& source);

  struct Found {
    // the one asked for, or the nearest that was tuned: least change
    // of the extents, as factors
    Size size;
    Choice choice;
  };
  // Nothing when the variant was not tuned for this dtype.
  std::optional<Found> find(const std::string& full_name, Dtype dtype,
                            const Size& size) const;

 private:
  std::map<std::pair<std::string, Dtype>, std::map<Size, std::vector<Record>>>
      trials_;
};

}  // namespace parlab
