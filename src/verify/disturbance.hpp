// Small changes that nobody can foresee, around every timed execution.
//
// Before it a few elements of each input take the value of others, so
// that an answer that was remembered is wrong, and a few elements of
// each output are spoiled, so that what is not computed anew stays wrong.
// Nothing tells the variant which executions will be looked at. Which
// elements, and which executions, follows from the system's own source
// of chance, never from a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "core/arrays.hpp"
#include "core/workload.hpp"

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

// A bit of the last two bytes of an element: of the significand of a
// float, half or bfloat16, of the exponent of a double. The value stays
// plausible, and is wrong.
constexpr std::uint16_t spoiling_bits = 0x0040;

struct Disturbance {
  std::vector<ChangedElement> inputs;
  std::vector<SpoiledElement> outputs;
};

class Secret {
 public:
  Secret() : engine_(std::random_device{}()) {}
  // For inputs that a grader can make again: nothing that
  // decides what is looked at.
  explicit Secret(std::uint64_t seed) : engine_(seed) {}
  // A few elements of every input, in all its layouts alike.
  std::vector<ChangedElement> changes(const Workload& workload,
                                      const Size& size, const Arrays& inputs);
  std::vector<SpoiledElement> spoils(const std::vector<ArraySpec>& outputs);
  std::int64_t below(std::int64_t count);
  bool chance(double probability);

 private:
  std::mt19937_64 engine_;
};

// The changes as they are done in host memory, until this goes out
// of scope, or for good.
class Changed {
 public:
  Changed(const std::vector<ChangedElement>& changes, const Arrays& inputs);
  ~Changed();
  void keep() { words_.clear(); }  // for good
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
