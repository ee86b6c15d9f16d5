// Stand-in for the toolkit's header of this name, for emulated kernels.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {

template <typename T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {  // the smaller of two
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {  // the larger of two
  T operator()(T a, T b) const { return a < b ? b : a; }
};

// Every lane of the tile gets the result.
template <typename Tile, typename T, typename F>
T reduce(const Tile& tile, T value, F combine, const Site& site = Site::current()) {
  for (unsigned lanes = tile.size() / 2; lanes > 0; lanes /= 2) {
    value = combine(value, tile.shfl_xor(value, static_cast<int>(lanes), site));
  }
  return value;
}

}  // namespace cooperative_groups
