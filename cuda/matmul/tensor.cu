// Products of doubles on the tensor cores: a warp multiplies 16 x 4 by 4 x 8 elements at a time, at
// twice the rate of the other units of an H200, and each value read from shared memory is used by
// several lanes. A block computes a tile of C of 128 x 64, or of 64 x 64 where those would leave a
// part of the device without work; several blocks share a multiprocessor. Only in double: in float
// the tensor cores would round A and B.
#include <cuda_pipeline.h>

#include <algorithm>

#include "gpu/tensor_cores.hpp"
#include "place.cuh"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

// rows x cols: of C, per block and per warp. depth: columns of A in a stage of shared memory.
// Two or three blocks on a multiprocessor have something to multiply while one waits for its
// barrier.
struct LargeTile {
  static constexpr int rows = 128, cols = 64, warp_rows = 64, warp_cols = 32;
  static constexpr int depth = 16, stages = 3, blocks_per_sm = 2;
  static constexpr double share = 1;  // of its time, for as much work: as measured on an H200
};
struct SmallTile {
  static constexpr int rows = 64, cols = 64, warp_rows = 32, warp_cols = 32;
  static constexpr int depth = 16, stages = 4, blocks_per_sm = 3;
  static constexpr double share = 1.02;
};
// For the smallest problems: eight warps share what one block has.
struct WholeTile {
  static constexpr int rows = 128, cols = 64, warp_rows = 32, warp_cols = 32;
  static constexpr int depth = 16, stages = 4, blocks_per_sm = 1;
  static constexpr double share = 1.04;
};

// What follows from a tile.
template <typename Tile>
struct Tiling : Tile {
  static constexpr int warps_down = Tile::rows / Tile::warp_rows;
  static constexpr int threads = 32 * warps_down * (Tile::cols / Tile::warp_cols);
  static constexpr int down = Tile::warp_rows / 16, across = Tile::warp_cols / 16;  // of a warp
  static constexpr int depth = Tile::depth, stages = Tile::stages;

  // Padded, so that what neighbouring lanes read lies in different banks.
  static constexpr int a_stride = depth + 4, b_stride = Tile::cols + 4;
  static constexpr int b_begin = Tile::rows * a_stride, stage = b_begin + depth * b_stride;
  static constexpr int shared_bytes = stages * stage * sizeof(double);
};

struct alignas(16) Pair {
  double element[2];
};

// The copies of one thread into shared memory: of each tile WIDTH elements, and more in steps of so
// many rows. What lies outside of A and B is zero in shared memory.
template <int WIDTH, typename S>
struct Copies {
  static constexpr int a_across = S::depth / WIDTH, b_across = S::cols / WIDTH;
  static constexpr int a_step = S::threads / a_across, b_step = S::threads / b_across;

  const double *a, *b;  // any readable addresses, for copies of zeros
  std::int64_t m, k, n;
  int a_row, a_col, b_row, b_col;  // in the tiles
  std::int64_t row, col;           // in C
  const double *next_a, *next_b;
  std::int64_t left;  // columns of A, rows of B, that are not copied yet

  __device__ __forceinline__ Copies(const double* a_, const double* b_, std::int64_t m_,
                                    std::int64_t k_, std::int64_t n_, std::int64_t row0,
                                    std::int64_t col0)
      : a(a_), b(b_), m(m_), k(k_), n(n_), left(k_) {
    const int thread = threadIdx.x;
    a_row = thread / a_across, a_col = thread % a_across * WIDTH;
    b_row = thread / b_across, b_col = thread % b_across * WIDTH;
    row = row0 + a_row, col = col0 + b_col;
    next_a = a + row * k + a_col;
    next_b = b + b_row * n + col;
  }

  __device__ __forceinline__ static void put(double* to, const double* from, bool there,
                                             const double* somewhere) {
    __pipeline_memcpy_async(to, there ? from : somewhere, WIDTH * sizeof(double),
                            there ? 0 : WIDTH * sizeof(double));
  }

  // Starts the copies of one stage.
  __device__ __forceinline__ void start(double* stage) {
    _Pragma("unroll")
    for (int r = 0; r < S::rows; r += a_step) {
      put(stage + (a_row + r) * S::a_stride + a_col, next_a + r * k, a_col < left && row + r < m,
          a);
    }
    _Pragma("unroll")
    for (int i = 0; i < S::depth; i += b_step) {
      put(stage + S::b_begin + (b_row + i) * S::b_stride + b_col, next_b + i * n,
          b_row + i < left && col < n, b);
    }
    next_a += S::depth;
    next_b += S::depth * n;
    left -= S::depth;
  }
};

// A lane's elements of 4 columns of A and 4 rows of B, twice: for these products and for the next
// ones. Of B a lane reads two columns at once, for products that compute every second column of C.
template <typename S>
struct Operands {
  double a[2][S::down][2];
  Pair b[2][S::across];
  int row, col;  // of the warp in the tile
  int a_at, b_at;

  __device__ __forceinline__ Operands() {
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    row = warp % S::warps_down * S::warp_rows;
    col = warp / S::warps_down * S::warp_cols;
    a_at = (row + g) * S::a_stride + t;
    b_at = S::b_begin + t * S::b_stride + col + 2 * g;
  }

  __device__ __forceinline__ void read(int set, const double* stage, int first) {
    _Pragma("unroll")
    for (int r = 0; r < 2 * S::down; ++r) {
      a[set][r / 2][r % 2] = stage[a_at + first + r * 8 * S::a_stride];
    }
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      b[set][s] = *reinterpret_cast<const Pair*>(stage + b_at + first * S::b_stride + s * 16);
    }
  }

  __device__ __forceinline__ void multiply_add(int set, double (&sum)[S::down][S::across][2][4]) {
    _Pragma("unroll")
    for (int r = 0; r < S::down; ++r) {
      _Pragma("unroll")
      for (int s = 0; s < 2 * S::across; ++s) {
        tensor_multiply_add(sum[r][s / 2][s % 2], a[set][r], b[set][s / 2].element[s % 2]);
      }
    }
  }
};

// row0, col0: of the warp in C. A lane has 4 neighbouring columns of each 16.
template <int WIDTH, typename S>
__device__ __forceinline__ void store(double* c, std::int64_t m, std::int64_t n, std::int64_t row0,
                                      std::int64_t col0,
                                      const double (&sum)[S::down][S::across][2][4]) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  _Pragma("unroll")
  for (int r = 0; r < 2 * S::down; ++r) {
    const std::int64_t row = row0 + r * 8 + g;
    if (row >= m) continue;
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      const std::int64_t col = col0 + s * 16 + 4 * t;
      _Pragma("unroll")
      for (int i = 0; i < 4; i += 2) {
        const int element = r % 2 * 2 + i / 2;
        const Pair part = {sum[r / 2][s][0][element], sum[r / 2][s][1][element]};
        double* const at = c + row * n + col + i;
        if (WIDTH == 2 && col + i < n) *reinterpret_cast<Pair*>(at) = part;
        if (WIDTH == 1 && col + i < n) at[0] = part.element[0];
        if (WIDTH == 1 && col + i + 1 < n) at[1] = part.element[1];
      }
    }
  }
}

// WIDTH: elements copied at once, of rows of A and of B; 2 where all rows are aligned to 16 bytes.
template <int WIDTH, typename S>
__global__ void __launch_bounds__(S::threads, S::blocks_per_sm)
    matmul_tensor(const double* a, const double* b, double* c, std::int64_t m, std::int64_t k,
                  std::int64_t n) {
  double* const shared = shared_memory<double>();
  std::int64_t tile_row, tile_col;
  place_of_block(ceil_div(m, S::rows), ceil_div(n, S::cols), tile_row, tile_col);
  const std::int64_t row0 = tile_row * S::rows, col0 = tile_col * S::cols;
  Copies<WIDTH, S> copies(a, b, m, k, n, row0, col0);
  Operands<S> operands;
  double sum[S::down][S::across][2][4] = {};

  // All stages but one are under way before the first is multiplied.
  const auto steps = static_cast<int>((k + S::depth - 1) / S::depth);
  _Pragma("unroll")
  for (int step = 0; step < S::stages - 1; ++step) {
    if (step < steps) copies.start(shared + step * S::stage);
    __pipeline_commit();
  }

  __pipeline_wait_prior(S::stages - 2);
  __syncthreads();

  double* const end = shared + S::stages * S::stage;
  const double* from = shared;
  double* to = shared + (S::stages - 1) * S::stage;
  operands.read(0, from, 0);
  _Pragma("unroll 1")
  for (int step = 0; step < steps; ++step) {
    constexpr int slices = S::depth / 4;
    _Pragma("unroll")
    for (int i = 0; i < slices; ++i) {
      if (i == slices - 1) {
        // The next stage has arrived, for everybody; and nobody reads this one any more, which is
        // the one that is refilled next.
        __pipeline_wait_prior(S::stages - 2);
        __syncthreads();
        from = from + S::stage == end ? shared : from + S::stage;
      }
      if (i < slices - 1 || step + 1 < steps) {
        operands.read((i + 1) % 2, from, (i + 1) % slices * 4);
      }
      if (i == 0) {
        if (step + S::stages - 1 < steps) copies.start(to);
        __pipeline_commit();
        to = to + S::stage == end ? shared : to + S::stage;
      }
      operands.multiply_add(i % 2, sum);
    }
  }

  store<WIDTH, S>(c, m, n, row0 + operands.row, col0 + operands.col, sum);
}

template <typename S>
std::int64_t tiles(const Matmul::Args<double>& p) {
  return ceil_div(p.m, S::rows) * ceil_div(p.n, S::cols);
}

// The time in units of an element: whole rounds of as many tiles as run at once, and a fifth of one
// to begin and to end.
template <typename S>
double estimate(Gpu& gpu, const Matmul::Args<double>& p) {
  const std::int64_t at_once = std::int64_t{gpu.multiprocessors()} * S::blocks_per_sm;
  return (static_cast<double>(ceil_div(tiles<S>(p), at_once)) + 0.2) * S::rows * S::cols *
         S::blocks_per_sm * S::share;
}

template <typename S>
void launch_tensor(Gpu& gpu, const Matmul::Args<double>& p) {
  const auto kernel = p.k % 2 == 0 && p.n % 2 == 0 ? matmul_tensor<2, S> : matmul_tensor<1, S>;
  gpu.launch({.grid = {tiles<S>(p)}, .block = {S::threads}, .shared_bytes = S::shared_bytes},
             kernel, p.a, p.b, p.c, p.m, p.k, p.n);
}

}  // namespace

const Register<Matmul, double> variant(
    {
        .rung = 8,
        .idea = "products of doubles on the tensor cores, tiles of 128 x 64 or 64 x 64",
        .units = {{Dtype::f64, "tensor double"}},
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      using Large = Tiling<LargeTile>;
      using Small = Tiling<SmallTile>;
      using Whole = Tiling<WholeTile>;
      const double large = estimate<Large>(gpu, p), small = estimate<Small>(gpu, p),
                   whole = estimate<Whole>(gpu, p);
      if (large <= std::min(small, whole)) {
        launch_tensor<Large>(gpu, p);
      } else if (small <= whole) {
        launch_tensor<Small>(gpu, p);
      } else {
        launch_tensor<Whole>(gpu, p);
      }
    });
