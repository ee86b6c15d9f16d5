// Unpredictable changes around every timed execution.
//
// Before most executions every element of the inputs is written anew. It
// changes its sign or keeps it, by a key drawn for this execution. So a
// remembered answer is wrong, and a variant that wanted to track the changes
// would have to read all inputs. Before all executions a few elements of each
// input take the values of others. A few elements of each output are spoiled,
// so that an output that is not computed again stays wrong. A variant cannot
// tell which executions are checked, because that is drawn after they end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/workload.hpp"
#include "verify/signs.hpp"

namespace parlab {

// Element `to` takes the value of element `from`. No element is both, and none
// is `to` twice.
struct ChangedElement {
  std::string array;
  std::int64_t to = 0, from = 0;
};

// An output's element in which one bit changes. Elements that still hold poison
// are left alone, because a workload may leave them unwritten.
struct SpoiledElement {
  std::string array;
  std::int64_t element = 0;
};

// A bit of the last byte but one of an element, or of its only byte. In float,
// half and bfloat16 it belongs to the significand, in double to the exponent.
// The value stays plausible but is wrong.
constexpr unsigned char spoiling_bits = 0x40;

struct Disturbance {
  Signs signs;  // relative to the original elements
  std::vector<ChangedElement> inputs;
  std::vector<SpoiledElement> outputs;
};

Signs random_signs();
// Signs from a seed, for inputs that can be made again.
Signs signs_of_seed(std::uint64_t seed);
// A few elements of every input, the same in all its layouts. They take the
// values of random other elements, or of planted ones.
std::vector<ChangedElement> random_changes(const Arrays& inputs,
                                           InputKind kind = InputKind::uniform);
std::vector<SpoiledElement> random_spoils(
    const std::vector<ArraySpec>& outputs);

// Applies the changes in host memory while the object lives. The signs of the
// elements must have been changed before.
class Changed {
 public:
  Changed(const std::vector<ChangedElement>& changes, const Arrays& inputs);
  ~Changed();
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;

 private:
  struct Word {
    unsigned char* at;
    std::size_t bytes;
    std::uint64_t before;
  };
  std::vector<Word> words_;
};

void spoil(const std::vector<SpoiledElement>& elements, const Arrays& outputs);

}  // namespace parlab
