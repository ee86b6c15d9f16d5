// Copies strips of columns and centres them on the way, so that no centred copy
// of the whole is made.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../strip.hpp"
#include "workloads/covariance.hpp"

namespace parlab {
namespace {

// A strip as multiply_tile reads it: `count` columns of p.data from `first` on,
// rows k0 to k0 + depth, less their means; row after row, each filled up with
// zeros to `width`.
template <typename T>
void pack_centred(const Covariance::Args<T>& p, const T* mean,
                  std::int64_t first, std::int64_t count, std::int64_t k0,
                  std::int64_t depth, std::int64_t width, T* to) {
  for (std::int64_t k = 0; k < depth; ++k) {
    const T* const row = p.data + (k0 + k) * p.n + first;
    prefetch_strip(row, p.n, count);
    for (std::int64_t j = 0; j < count; ++j)
      to[k * width + j] = row[j] - mean[first + j];
    std::fill(to + k * width + count, to + (k + 1) * width, T{0});
  }
}

}  // namespace
}  // namespace parlab
