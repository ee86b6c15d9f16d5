// spmv: y = A x for a sparse matrix in CSR, compressed sparse rows.
#pragma once

#include <cstdint>

#include "core/register.hpp"

namespace parlab {

struct Spmv {
  // Row r of A has the entries row_begin[r] to row_begin[r + 1] - 1. Entry e
  // has the value values[e] and is in column columns[e]. row_begin: rows + 1
  // elements; columns and values: entries elements; x: cols; y: rows, written
  // whole, 0 where a row is empty. A column may occur twice in a row.
  template <typename T, typename Out = T>
  struct Args {
    const std::uint32_t* row_begin;
    const std::int32_t* columns;
    const T* values;
    const T* x;
    Out* y;
    std::int64_t rows, cols, entries;
  };

  // How many entries are in the rows before this one. Every second row is
  // empty, every fourth has one entry, every eighth three, and so on: as many
  // entries are in long rows as in short ones, and longest - 1 are the most.
  static std::int64_t entries_before(std::int64_t row, std::int64_t longest) {
    std::int64_t entries = 0;
    for (std::int64_t step = 2; step <= longest; step *= 2)
      entries += row / step * (step / 2);
    return entries;
  }

  template <typename T, typename Out = T>
  static Args<T, Out> bind(const NamedArrays& arrays,
                           const std::int64_t* size) {
    return {arrays.get<const std::uint32_t>("row_begin"),
            arrays.get<const std::int32_t>("columns"),
            arrays.get<const T>("values"),
            arrays.get<const T>("x"),
            arrays.get<Out>("y"),
            size[0],
            size[1],
            entries_before(size[0], size[2])};
  }
};

}  // namespace parlab
