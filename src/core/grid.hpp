// How extents are divided among the members of a team.
#pragma once

#include <cstdint>

namespace parlab {

// The beginning of member i's share of an extent, which is also the end of the
// previous one. Shares differ by at most one.
constexpr std::int64_t share_begin(std::int64_t extent, int i, int members) {
  return extent * i / members;
}

// The grid of GPUs where a problem is divided in two dimensions. GPU i is in
// row i / cols and column i % cols.
struct Grid {
  int rows, cols;
};

// The grid closest to a square, with no more rows than columns.
constexpr Grid grid_of(int gpus) {
  int rows = 1;
  for (int i = 2; i * i <= gpus; ++i) {
    if (gpus % i == 0) rows = i;
  }
  return {rows, gpus / rows};
}

}  // namespace parlab
