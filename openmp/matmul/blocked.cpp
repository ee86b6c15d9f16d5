// Blocked for every level of the memory, after Goto and van de Geijn, Anatomy of high-performance
// matrix multiplication, 2008. A tile of C stays in vector registers while `deep` products are
// added to each of its elements: two vectors wide and as many rows high as there are registers.
// What it reads was copied before into the order in which it is read: strips of B, shared by all
// threads (they stay in the last-level cache), and strips of A, one set a thread (in its
// second-level cache). So memory is read rarely, always in sequence, and each load feeds many
// multiplications.
#include <omp.h>

#include <algorithm>

#include "host/host.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

#ifdef __AVX512F__
constexpr int vector_bytes = 64, tile_rows = 14;  // 28 of 32 registers hold the tile
#else
constexpr int vector_bytes = 32, tile_rows = 6;  // 12 of 16
#endif

template <typename T>
struct Blocking {
  typedef T Vector __attribute__((vector_size(vector_bytes)));
  // The same for memory that is aligned to its elements only.
  typedef T Loose __attribute__((vector_size(vector_bytes), aligned(alignof(T)), may_alias));
  static constexpr int lanes = vector_bytes / sizeof(T);
  static constexpr int cols = 2 * lanes;  // width of a tile
  static constexpr int rows = tile_rows;
  static constexpr std::int64_t deep = 1024 / sizeof(T);        // of a strip: B's fits the L1 cache
  static constexpr std::int64_t most_rows = 32 * tile_rows;     // of A packed at once
  static constexpr std::int64_t most_cols = 16384 / sizeof(T);  // of B packed at once
};

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Rows first..first+count of A, columns of one block of depth: strips of tile rows, each stored
// column after column; rows that are not there are zero.
template <typename T>
void pack_a(const T* a, std::int64_t stride, std::int64_t count, std::int64_t depth, T* packed) {
  constexpr int rows = Blocking<T>::rows;
  for (std::int64_t strip = 0; strip < count; strip += rows) {
    const auto present = std::min<std::int64_t>(rows, count - strip);
    for (std::int64_t r = 0; r < rows; ++r) {
      const T* from = a + (strip + r) * stride;
      for (std::int64_t i = 0; i < depth; ++i) packed[i * rows + r] = r < present ? from[i] : T{0};
    }
    packed += rows * depth;
  }
}

// One strip of B, `present` columns of it there, stored row after row.
template <typename T>
void pack_b(const T* b, std::int64_t stride, std::int64_t present, std::int64_t depth, T* packed) {
  constexpr int cols = Blocking<T>::cols;
  for (std::int64_t i = 0; i < depth; ++i) {
    std::copy_n(b + i * stride, present, packed + i * cols);
    std::fill(packed + i * cols + present, packed + (i + 1) * cols, T{0});
  }
}

// One tile of C from a strip of A and a strip of B. rows x cols of it exist.
template <typename T>
void multiply_tile(const T* a, const T* b, std::int64_t depth, T* c, std::int64_t stride,
                   std::int64_t rows, std::int64_t cols, bool add) {
  using B = Blocking<T>;
  typename B::Vector sum[B::rows][2] = {};
  for (std::int64_t i = 0; i < depth; ++i) {
    const auto* vectors = reinterpret_cast<const typename B::Loose*>(b + i * B::cols);
    const typename B::Vector left = vectors[0], right = vectors[1];
#pragma GCC unroll 16
    for (int r = 0; r < B::rows; ++r) {
      sum[r][0] += a[i * B::rows + r] * left;
      sum[r][1] += a[i * B::rows + r] * right;
    }
  }
  if (rows == B::rows && cols == B::cols) {
#pragma GCC unroll 16
    for (int r = 0; r < B::rows; ++r) {
      auto* to = reinterpret_cast<typename B::Loose*>(c + r * stride);
      to[0] = add ? to[0] + sum[r][0] : sum[r][0];
      to[1] = add ? to[1] + sum[r][1] : sum[r][1];
    }
  } else {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t col = 0; col < cols; ++col) {
        const T value = sum[r][col / B::lanes][col % B::lanes];
        c[r * stride + col] = add ? c[r * stride + col] + value : value;
      }
    }
  }
}

template <typename T>
void matmul_blocked(Host& host, const Matmul::Args<T>& p, int threads) {
  using B = Blocking<T>;
  // The rows are cut so that every thread gets equally many blocks.
  const auto rounds = divide_up(p.m, threads * B::most_rows);
  const auto block_rows = divide_up(divide_up(p.m, threads * rounds), B::rows) * B::rows;
  const auto block_cols = std::min(B::most_cols, divide_up(p.n, B::cols) * B::cols);
  T* packed_b = host.scratch<T>(B::deep * block_cols);
  T* packed_a = host.scratch<T>(B::deep * block_rows * threads);

#pragma omp parallel num_threads(threads)
  for (std::int64_t col0 = 0; col0 < p.n; col0 += block_cols) {
    const auto cols = std::min(block_cols, p.n - col0);
    for (std::int64_t k0 = 0; k0 < p.k; k0 += B::deep) {
      const auto depth = std::min(B::deep, p.k - k0);
#pragma omp for schedule(static)
      for (std::int64_t col = 0; col < cols; col += B::cols) {
        pack_b(p.b + k0 * p.n + col0 + col, p.n, std::min<std::int64_t>(B::cols, cols - col), depth,
               packed_b + col * depth);
      }
      T* mine = packed_a + omp_get_thread_num() * B::deep * block_rows;
#pragma omp for schedule(static)
      for (std::int64_t row0 = 0; row0 < p.m; row0 += block_rows) {
        const auto rows = std::min(block_rows, p.m - row0);
        pack_a(p.a + row0 * p.k + k0, p.k, rows, depth, mine);
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
        .rung = 2,
        .idea = "tiles of C in vector registers, A and B repacked for the caches",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const Matmul::Args<T>& p, const Tunables& tunables) {
      matmul_blocked(host, p, static_cast<int>(tunables["threads"]));
    });
