// How a problem is divided among the GPUs of a team: the part of each
// array that each of them has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/variant.hpp"
#include "core/workload.hpp"

namespace parlab {

// A rectangle of an array, row-major, as one GPU has it: rows x cols elements
// without gaps, and room for `above` and `below` more rows around them.
struct ArrayPart {
  ArraySpec spec;                 // of the part alone: its count
  std::int64_t row = 0, col = 0;  // where it begins in the whole array
  std::int64_t rows = 0, cols = 0;
  std::int64_t pitch = 0;  // elements in a row of the whole array
  std::int64_t above = 0, below = 0;
  bool whole = false;  // each GPU has a copy of the array

  // Where the element of the whole array is in this part; nothing: not here.
  std::optional<std::int64_t> place_of(std::int64_t element) const;
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(cols) * bytes_of(spec.dtype);
  }
  // Of the part's first row in the whole array, and from each
  // of its rows to the next.
  std::size_t offset_bytes() const {
    return static_cast<std::size_t>(row * pitch + col) * bytes_of(spec.dtype);
  }
  std::size_t pitch_bytes() const {
    return static_cast<std::size_t>(pitch) * bytes_of(spec.dtype);
  }
};

// The whole array, for one GPU.
inline ArrayPart whole_part(const ArraySpec& spec) {
  return {.spec = spec,
          .rows = 1,
          .cols = spec.count,
          .pitch = spec.count,
          .whole = true};
}

// One GPU's part of a problem. parts: in the order of the arrays.
struct Share {
  Size size;
  std::vector<ArrayPart> parts;
};

// Divides the arrays as the variant declares (Description::split): the extents
// in parts that differ by one at the most. Of `gpus` GPUs as many take part
// as have something to do: each has at least one row, or as many as a halo
// has. Throws std::logic_error when the variant declares a dimension that
// is none, or leaves copies of an output on a grid.
std::vector<Share> divide(const Workload& workload, const Variant& variant,
                          const Size& size,
                          const std::vector<ArraySpec>& arrays, int gpus);

// Of `gpus` GPUs those that a variant is to use when nobody says how many:
// all, or one where a team does not pay.
int gpus_that_pay(const Workload& workload, const Variant& variant,
                  const Size& size, Dtype dtype, int gpus);

}  // namespace parlab
