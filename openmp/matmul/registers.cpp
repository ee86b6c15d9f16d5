// A tile of C stays in vector registers while all products are added to it: two
// vectors wide, and as many rows high as there are registers. So C is stored
// once and never loaded, a vector of B serves all rows of the tile, and an
// element of A serves both vectors. But A and B are read in place: a step down
// in B is a step by a whole row, to another page and, if the rows are long,
// often to the same place in the caches.
#include <algorithm>

#include "../register_tile.hpp"
#include "host/host.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

// a, b, c: the first row of A, the first column of B, and the element of C
// where they meet.
template <typename T>
void whole_tile(const T* a, const T* b, T* c, std::int64_t k, std::int64_t n) {
  using Tile = RegisterTile<T>;
  using Vector = typename VectorOf<T>::type;
  using Unaligned = typename VectorOf<T>::unaligned;
  Vector sum[Tile::rows][2] = {};
  for (std::int64_t i = 0; i < k; ++i) {
    const auto* const row = reinterpret_cast<const Unaligned*>(b + i * n);
    const Vector left = row[0], right = row[1];
#pragma GCC unroll 16
    for (int r = 0; r < Tile::rows; ++r) {
      sum[r][0] += a[r * k + i] * left;
      sum[r][1] += a[r * k + i] * right;
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < Tile::rows; ++r) {
    auto* const row = reinterpret_cast<Unaligned*>(c + r * n);
    row[0] = sum[r][0];
    row[1] = sum[r][1];
  }
}

// At the right and lower edges: rows x cols sums, one by one.
template <typename T>
void part_of_tile(const T* a, const T* b, T* c, std::int64_t k, std::int64_t n,
                  std::int64_t rows, std::int64_t cols) {
  for (std::int64_t r = 0; r < rows; ++r) {
    T sum[RegisterTile<T>::cols] = {};
    for (std::int64_t i = 0; i < k; ++i) {
      for (std::int64_t col = 0; col < cols; ++col)
        sum[col] += a[r * k + i] * b[i * n + col];
    }
    std::copy_n(sum, cols, c + r * n);
  }
}

template <typename T>
void matmul_registers(const Matmul::Args<T>& p, int threads) {
  using Tile = RegisterTile<T>;
#pragma omp parallel num_threads(threads)
  for (std::int64_t col = 0; col < p.n; col += Tile::cols) {
    const auto cols = std::min<std::int64_t>(Tile::cols, p.n - col);
#pragma omp for schedule(static) nowait
    for (std::int64_t row = 0; row < p.m; row += Tile::rows) {
      const auto rows = std::min<std::int64_t>(Tile::rows, p.m - row);
      const T* const a = p.a + row * p.k;
      T* const c = p.c + row * p.n + col;
      if (rows == Tile::rows && cols == Tile::cols)
        whole_tile(a, p.b + col, c, p.k, p.n);
      else
        part_of_tile(a, p.b + col, c, p.k, p.n, rows, cols);
    }
  }
}

}  // namespace

const Register<Matmul, float, double, int> variant(
    {
        .rung = 3,
        .idea = "tiles of C in vector registers, A and B read in place",
        .tunables = {threads()},
    },
    []<typename T>(Host&, const Matmul::Args<T>& p, const Tunables& tunables) {
      matmul_registers(p, static_cast<int>(tunables["threads"]));
    });
