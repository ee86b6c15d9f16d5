// How a problem is divided among the GPUs of a team: each GPU's part of each
// array.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/variant.hpp"
#include "core/workload.hpp"

namespace parlab {

// A rectangle of an array, row-major, on one GPU: rows x cols elements without
// gaps, and room for `above` and `below` more rows around them.
struct ArrayPart {
  ArraySpec spec;                 // describes the part alone, with its count
  std::int64_t row = 0, col = 0;  // where the part begins in the whole array
  std::int64_t rows = 0, cols = 0;
  std::int64_t pitch = 0;  // elements per row of the whole array
  std::int64_t above = 0, below = 0;
  bool whole = false;  // each GPU has a copy of the array

  // Position in this part of an element of the whole array; nothing if it is
  // elsewhere.
  std::optional<std::int64_t> place_of(std::int64_t element) const;
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(cols) * bytes_of(spec.dtype);
  }
  // Offset of the part's first row in the whole array, and distance between its
  // rows there.
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

// Divides the arrays as the variant declares (Description::split); parts of an
// extent differ by at most one. A GPU takes part only if it has something to
// do: at least one row, or as many as a halo has. Throws std::logic_error when
// the variant declares an unknown dimension, or leaves copies of an output on a
// grid.
std::vector<Share> divide(const Workload& workload, const Variant& variant,
                          const Size& size,
                          const std::vector<ArraySpec>& arrays, int gpus);

// How many of the `gpus` GPUs a variant uses by default: all, or one if a team
// does not pay off.
int gpus_that_pay(const Workload& workload, const Variant& variant,
                  const Size& size, Dtype dtype, int gpus);

}  // namespace parlab
