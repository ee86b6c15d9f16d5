// The parts of a problem that the GPUs of a team have.
#pragma once

#include <vector>

#include "core/register.hpp"

namespace parlab {

// Each part looks like a whole problem: Parts<Dmv::Args<T>>. No part is empty,
// so a team is smaller than requested if there is too little to divide. If an
// array has a halo, there is room for it around each part, and the variant
// fills it.
template <typename Args>
class Parts : public std::vector<Args> {
 public:
  using std::vector<Args>::vector;
};

}  // namespace parlab
