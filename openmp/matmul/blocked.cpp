// Blocked for every level of the memory, after Goto and van de Geijn, Anatomy
// of high-performance matrix multiplication, 2008. A tile of C stays in vector
// registers while `deep` products are added to each of its elements: it is two
// vectors wide and as many rows high as there are registers. Its inputs are
// first copied into the order in which they are read: strips of B, shared by
// all threads (they stay in the last-level cache), and strips of A, one set per
// thread (in its second-level cache). So memory is read rarely and always in
// sequence, and each load feeds many multiplications.
#include <omp.h>

#include <algorithm>

#include "../register_tile.hpp"
#include "host/host.hpp"
#include "pack.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

template <typename T>
struct Blocking : RegisterTile<T> {
  // rows of a strip: B's fits the L1 cache
  static constexpr std::int64_t deep = 1024 / sizeof(T);
  // rows of A packed at once
  static constexpr std::int64_t most_rows = 32 * RegisterTile<T>::rows;
  // columns of B packed at once
  static constexpr std::int64_t most_cols = 16384 / sizeof(T);
};

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

template <typename T>
void matmul_blocked(Host& host, const Matmul::Args<T>& p, int threads) {
  using B = Blocking<T>;

  // The rows are cut so that every thread gets equally many blocks.
  const auto rounds = divide_up(p.m, threads * B::most_rows);
  const auto block_rows =
      divide_up(divide_up(p.m, threads * rounds), B::rows) * B::rows;
  const auto block_cols =
      std::min(B::most_cols, divide_up(p.n, B::cols) * B::cols);
  T* packed_b = host.scratch<T>(B::deep * block_cols);
  T* packed_a = host.scratch<T>(B::deep * block_rows * threads);

#pragma omp parallel num_threads(threads)
  for (std::int64_t col0 = 0; col0 < p.n; col0 += block_cols) {
    const auto cols = std::min(block_cols, p.n - col0);
    for (std::int64_t k0 = 0; k0 < p.k; k0 += B::deep) {
      const auto depth = std::min(B::deep, p.k - k0);
#pragma omp for schedule(static)
      for (std::int64_t col = 0; col < cols; col += B::cols) {
        pack_cols(p.b + k0 * p.n + col0 + col, p.n,
                  std::min<std::int64_t>(B::cols, cols - col), depth,
                  packed_b + col * depth);
      }
      T* mine = packed_a + omp_get_thread_num() * B::deep * block_rows;
#pragma omp for schedule(static)
      for (std::int64_t row0 = 0; row0 < p.m; row0 += block_rows) {
        const auto rows = std::min(block_rows, p.m - row0);
        for (std::int64_t row = 0; row < rows; row += B::rows) {
          pack_rows(p.a + (row0 + row) * p.k + k0, p.k,
                    std::min<std::int64_t>(B::rows, rows - row), depth,
                    mine + row * depth);
        }
        for (std::int64_t col = 0; col < cols; col += B::cols) {
          for (std::int64_t row = 0; row < rows; row += B::rows) {
            multiply_tile(mine + row * depth, packed_b + col * depth, depth,
                          p.c + (row0 + row) * p.n + col0 + col, p.n,
                          std::min<std::int64_t>(B::rows, rows - row),
                          std::min<std::int64_t>(B::cols, cols - col), k0 > 0);
          }
        }
      }
    }
  }
}

}  // namespace

const Register<Matmul, float, double, int> variant(
    {
        .rung = 4,
        .idea =
            "tiles of C in vector registers, A and B repacked for the caches",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const Matmul::Args<T>& p,
                   const Tunables& tunables) {
      matmul_blocked(host, p, static_cast<int>(tunables["threads"]));
    });
