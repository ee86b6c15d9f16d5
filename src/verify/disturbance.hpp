// Changes that nobody can foresee, around every timed execution.
//
// Before most of them every element of the inputs is written anew: it takes the
// other sign or keeps its own, by a key that is drawn for this execution. So an
// answer that was remembered is wrong, and to follow the changes is to read all
// of the inputs. Before all of them a few elements of each input take the value
// of others, and a few elements of each output are spoiled, so that an output
// that is not computed anew stays wrong. Nothing tells a variant which
// executions are judged: that is drawn when they are over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/workload.hpp"
#include "verify/signs.hpp"

namespace parlab {

// Element `to` takes the value of element `from`. No element is both,
// and none is `to` twice.
struct ChangedElement {
  std::string array;
  std::int64_t to = 0, from = 0;
};

// An output's element, of which one bit changes. Elements that still hold
// poison are left alone: a workload may leave them unwritten.
struct SpoiledElement {
  std::string array;
  std::int64_t element = 0;
};

// A bit of the last byte but one of an element, or of its only one: of the
// significand of a float, half or bfloat16, of the exponent of a double. The
// value stays plausible, and is wrong.
constexpr unsigned char spoiling_bits = 0x40;

struct Disturbance {
  Signs signs;  // of the elements as they were at first
  std::vector<ChangedElement> inputs;
  std::vector<SpoiledElement> outputs;
};

Signs random_signs();
// That a seed gives, for inputs that can be made again.
Signs signs_of_seed(std::uint64_t seed);
// A few elements of every input, in all its layouts alike; they take the values
// of any others, or of planted ones.
std::vector<ChangedElement> random_changes(const Arrays& inputs,
                                           InputKind kind = InputKind::uniform);
std::vector<SpoiledElement> random_spoils(
    const std::vector<ArraySpec>& outputs);

// The changes as they are done in host memory, until this goes out of scope.
// The signs of the elements have been changed before.
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
