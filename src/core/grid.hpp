// How extents are shared out among the members of a team.
#pragma once

#include <cstdint>

namespace parlab {

// Where member i's share of an extent begins; it ends where the next one
// begins. Shares differ by one at the most.
constexpr std::int64_t share_begin(std::int64_t extent, int i, int members) {
  return extent * i / members;
}

// The grid that GPUs form where a problem is divided two ways: GPU i is
// in row i / cols and in column i % cols.
struct Grid {
  int rows, cols;
};

// As near to a square as can be, with no more rows than columns.
constexpr Grid grid_of(int gpus) {
  int rows = 1;
  for (int i = 2; i * i <= gpus; ++i) {
    if (gpus % i == 0) rows = i;
  }
  return {rows, gpus / rows};
}

}  // namespace parlab
