// What each GPU of a team has of a problem.
#pragma once

#include <vector>

#include "core/register.hpp"

namespace parlab {

// Each part is as if it were the whole of a problem: Parts<Dmv::Args<T>>. No
// part is empty: a team is smaller than was asked for where there is nothing
// left to share out. Where an array has a halo there is room for it around
// each part, and the variant fills it.
template <typename Args>
class Parts : public std::vector<Args> {
 public:
  using std::vector<Args>::vector;
};

}  // namespace parlab
