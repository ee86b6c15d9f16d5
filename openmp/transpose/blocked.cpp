// The matrix is cut into square tiles, and the threads share the tiles. The
// lines of a and of b that a tile touches fit into the first-level cache
// together, so that each line is read, or written, in one go. A thread takes
// neighbouring tiles of one strip of b: its stores go on where they ended.
#include <algorithm>

#include "host/host.hpp"
#include "workloads/transpose.hpp"

using namespace parlab;

namespace {

template <typename T>
void transpose_blocked(const T* a, T* b, std::int64_t rows, std::int64_t cols,
                       std::int64_t tile, int threads) {
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads)
  for (std::int64_t col0 = 0; col0 < cols; col0 += tile) {
    for (std::int64_t row0 = 0; row0 < rows; row0 += tile) {
      const auto row1 = std::min(row0 + tile, rows);
      const auto col1 = std::min(col0 + tile, cols);
      for (std::int64_t col = col0; col < col1; ++col) {
        for (std::int64_t row = row0; row < row1; ++row)
          b[col * rows + row] = a[row * cols + col];
      }
    }
  }
}

}  // namespace

const Register<Transpose, float, double> variant(
    {
        .rung = 1,
        .idea = "tiles that fit in the first-level cache, shared among threads",
        .tunables = {threads(),
                     {.name = "tile", .fallback = 32, .min = 1, .max = 1024}},
    },
    []<typename T>(Host&, const Transpose::Args<T>& p,
                   const Tunables& tunables) {
      transpose_blocked(p.a, p.b, p.rows, p.cols, tunables["tile"],
                        static_cast<int>(tunables["threads"]));
    });
