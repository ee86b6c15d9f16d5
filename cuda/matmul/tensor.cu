// Products of doubles on the tensor cores: a warp multiplies 16 x 4 by 4 x 8 elements at a time, at
// twice the rate of the other units of an H200, and each value read from shared memory is used by
// several lanes. A block computes a tile of C of 128 x 64, or of 64 x 64 where those would leave a
// part of the device without work; several blocks share a multiprocessor. For the smallest problems
// a tile is 32 x 32, and its warps share k: each takes a part of every stage, and in the end their
// sums are added in a fixed order. Where rows are not aligned to 16 bytes and each element is used
// often enough, A and B are first copied to scratch memory with aligned rows. Only in double: in
// float the tensor cores would round A and B.
#include <cuda_pipeline.h>

#include <algorithm>

#include "aligned.cuh"
#include "gpu/tensor_cores.hpp"
#include "place.cuh"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

// rows x cols: of C, per block and per warp. depth: columns of A in a stage of shared memory, which
// the slices share, groups of warps that have the whole tile each. Two or three blocks on a
// multiprocessor have something to multiply while one waits for its barrier.
struct LargeTile {
  static constexpr int rows = 128, cols = 64, warp_rows = 64, warp_cols = 32;
  static constexpr int depth = 16, slices = 1, stages = 3, blocks_per_sm = 2;
  static constexpr double share = 1;  // of its time, for as much work: as measured on an H200
};
struct SmallTile {
  static constexpr int rows = 64, cols = 64, warp_rows = 32, warp_cols = 32;
  static constexpr int depth = 16, slices = 1, stages = 4, blocks_per_sm = 3;
  static constexpr double share = 1.02;
};
// For small problems: eight warps share what one block has.
struct WholeTile {
  static constexpr int rows = 128, cols = 64, warp_rows = 32, warp_cols = 32;
  static constexpr int depth = 16, slices = 1, stages = 4, blocks_per_sm = 1;
  static constexpr double share = 1.04;
};
struct TinyTile {
  static constexpr int rows = 32, cols = 32, warp_rows = 32, warp_cols = 32;
  static constexpr int depth = 32, slices = 4, stages = 3, blocks_per_sm = 3;
};

// What follows from a tile.
template <typename Tile>
struct Tiling : Tile {
  static constexpr int warps_down = Tile::rows / Tile::warp_rows;
  static constexpr int warps = warps_down * (Tile::cols / Tile::warp_cols);  // of a slice
  static constexpr int slice_threads = 32 * warps, threads = slice_threads * Tile::slices;
  static constexpr int down = Tile::warp_rows / 16, across = Tile::warp_cols / 16;  // of a warp
  static constexpr int depth = Tile::depth, slice_depth = depth / Tile::slices;
  static constexpr int stages = Tile::stages;
  static_assert(slice_depth % 8 == 0);  // pairs of products, for operands that are read in turns

  // Padded, so that what neighbouring lanes read lies in different banks.
  static constexpr int a_stride = depth + 4, b_stride = Tile::cols + 4;
  static constexpr int b_begin = Tile::rows * a_stride, stage = b_begin + depth * b_stride;
  static constexpr int sums = (Tile::slices - 1) * Tile::rows * Tile::cols;
  static constexpr int shared_bytes =
      (stages * stage > sums ? stages * stage : sums) * static_cast<int>(sizeof(double));
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
  std::int64_t m, n;
  std::int64_t a_pitch, b_pitch;
  int a_row, a_col, b_row, b_col;  // in the tiles
  std::int64_t row, col;           // in C
  const double *next_a, *next_b;
  std::int64_t left;  // columns of A, rows of B, that are not copied yet

  __device__ __forceinline__ Copies(const Matmul::Args<double>& p, std::int64_t a_pitch_,
                                    std::int64_t b_pitch_, std::int64_t row0, std::int64_t col0)
      : a(p.a), b(p.b), m(p.m), n(p.n), a_pitch(a_pitch_), b_pitch(b_pitch_), left(p.k) {
    const int thread = threadIdx.x;
    a_row = thread / a_across, a_col = thread % a_across * WIDTH;
    b_row = thread / b_across, b_col = thread % b_across * WIDTH;
    row = row0 + a_row, col = col0 + b_col;
    next_a = a + row * a_pitch + a_col;
    next_b = b + b_row * b_pitch + col;
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
      put(stage + (a_row + r) * S::a_stride + a_col, next_a + r * a_pitch,
          a_col < left && row + r < m, a);
    }
    _Pragma("unroll")
    for (int i = 0; i < S::depth; i += b_step) {
      put(stage + S::b_begin + (b_row + i) * S::b_stride + b_col, next_b + i * b_pitch,
          b_row + i < left && col < n, b);
    }
    next_a += S::depth;
    next_b += S::depth * b_pitch;
    left -= S::depth;
  }
};

// A lane's elements of 4 columns of A and 4 rows of B, twice: for these products and for the next
// ones. Of B a lane reads two columns at once, for products that compute every second column of C.
template <typename S>
struct Operands {
  double a[2][S::down][2];
  Pair b[2][S::across];
  int slice, row, col;  // of the warp, and where it is in the tile
  int a_at, b_at;

  __device__ __forceinline__ Operands() {
    const int warp = threadIdx.x / 32 % S::warps, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    slice = threadIdx.x / S::slice_threads;
    row = warp % S::warps_down * S::warp_rows;
    col = warp / S::warps_down * S::warp_cols;
    const int first = slice * S::slice_depth + t;
    a_at = (row + g) * S::a_stride + first;
    b_at = S::b_begin + first * S::b_stride + col + 2 * g;
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

// Each slice but the first hands its sums over, and the first adds them, in order.
template <typename S>
__device__ __forceinline__ void add_slices(int slice, double* shared,
                                           double (&sum)[S::down][S::across][2][4]) {
  constexpr int pairs = S::down * S::across * 4;
  double* const own = &sum[0][0][0][0];
  const auto place = [&](int of, int pair) {
    return reinterpret_cast<Pair*>(shared) + ((of - 1) * pairs + pair) * S::slice_threads +
           threadIdx.x % S::slice_threads;
  };
  __syncthreads();  // nobody reads a stage any more
  _Pragma("unroll")
  for (int pair = 0; pair < pairs; ++pair) {
    if (slice > 0) *place(slice, pair) = {own[2 * pair], own[2 * pair + 1]};
  }

  __syncthreads();
  if (slice > 0) return;

  _Pragma("unroll")
  for (int of = 1; of < S::slices; ++of) {
    _Pragma("unroll")
    for (int pair = 0; pair < pairs; ++pair) {
      const Pair part = *place(of, pair);
      own[2 * pair] += part.element[0];
      own[2 * pair + 1] += part.element[1];
    }
  }
}

// row0, col0: of the warp in C. A lane has 4 neighbouring columns of each 16.
template <typename S>
__device__ __forceinline__ void store(double* c, std::int64_t m, std::int64_t n, std::int64_t row0,
                                      std::int64_t col0,
                                      const double (&sum)[S::down][S::across][2][4]) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const bool aligned = n % 2 == 0;
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
        if (aligned) {
          if (col + i < n) *reinterpret_cast<Pair*>(at) = part;
        } else {
          if (col + i < n) at[0] = part.element[0];
          if (col + i + 1 < n) at[1] = part.element[1];
        }
      }
    }
  }
}

// WIDTH: elements copied at once, of rows of A and of B, which begin at multiples of their pitches;
// 2 where all rows are aligned to 16 bytes.
template <int WIDTH, typename S>
__global__ void __launch_bounds__(S::threads, S::blocks_per_sm)
    matmul_tensor(Matmul::Args<double> p, std::int64_t a_pitch, std::int64_t b_pitch) {
  double* const shared = shared_memory<double>();
  std::int64_t tile_row, tile_col;
  place_of_block(ceil_div(p.m, S::rows), ceil_div(p.n, S::cols), tile_row, tile_col);
  const std::int64_t row0 = tile_row * S::rows, col0 = tile_col * S::cols;
  Copies<WIDTH, S> copies(p, a_pitch, b_pitch, row0, col0);
  Operands<S> operands;
  double sum[S::down][S::across][2][4] = {};

  // All stages but one are under way before the first is multiplied.
  const auto steps = static_cast<int>((p.k + S::depth - 1) / S::depth);
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
    constexpr int products = S::slice_depth / 4;
    _Pragma("unroll")
    for (int i = 0; i < products; ++i) {
      if (i == products - 1) {
        // The next stage has arrived, for everybody; and nobody reads this one any more, which is
        // the one that is refilled next.
        __pipeline_wait_prior(S::stages - 2);
        __syncthreads();
        from = from + S::stage == end ? shared : from + S::stage;
      }
      if (i < products - 1 || step + 1 < steps) {
        operands.read((i + 1) % 2, from, (i + 1) % products * 4);
      }
      if (i == 0) {
        if (step + S::stages - 1 < steps) copies.start(to);
        __pipeline_commit();
        to = to + S::stage == end ? shared : to + S::stage;
      }
      operands.multiply_add(i % 2, sum);
    }
  }

  if constexpr (S::slices > 1) {
    add_slices<S>(operands.slice, shared, sum);
    if (operands.slice > 0) return;
  }

  store<S>(p.c, p.m, p.n, row0 + operands.row, col0 + operands.col, sum);
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
void launch_tensor(Gpu& gpu, const Matmul::Args<double>& p, std::int64_t a_pitch,
                   std::int64_t b_pitch) {
  const bool aligned = a_pitch % 2 == 0 && b_pitch % 2 == 0;
  gpu.launch({.grid = {tiles<S>(p)}, .block = {S::threads}, .shared_bytes = S::shared_bytes},
             aligned ? matmul_tensor<2, S> : matmul_tensor<1, S>, p, a_pitch, b_pitch);
}

enum class TileSize { large, small, whole, tiny };

// The smallest where the next ones give no multiprocessor more than one.
TileSize best_size(Gpu& gpu, const Matmul::Args<double>& p) {
  using Small = Tiling<SmallTile>;
  if (tiles<Small>(p) <= gpu.multiprocessors()) return TileSize::tiny;
  const double large = estimate<Tiling<LargeTile>>(gpu, p), small = estimate<Small>(gpu, p),
               whole = estimate<Tiling<WholeTile>>(gpu, p);
  if (large <= std::min(small, whole)) return TileSize::large;
  return small <= whole ? TileSize::small : TileSize::whole;
}

// How often an element of A or B must be used to pay for its copy.
constexpr std::int64_t uses_that_pay = 1500;

}  // namespace

const Register<Matmul, double> variant(
    {
        .rung = 8,
        .idea = "products of doubles on the tensor cores, tiles of 32 x 32 to 128 x 64",
        .units = {{Dtype::f64, "tensor double"}},
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      Matmul::Args<T> with_copies = p;
      std::int64_t a_pitch = p.k, b_pitch = p.n;
      if (std::min(p.m, p.n) >= uses_that_pay) {
        const auto a = align_rows(gpu, p.a, p.m, p.k), b = align_rows(gpu, p.b, p.k, p.n);
        with_copies.a = static_cast<const T*>(a.data), a_pitch = a.pitch / std::int64_t{sizeof(T)};
        with_copies.b = static_cast<const T*>(b.data), b_pitch = b.pitch / std::int64_t{sizeof(T)};
      }
      const auto launch = [&](auto tiling) {
        launch_tensor<decltype(tiling)>(gpu, with_copies, a_pitch, b_pitch);
      };
      switch (best_size(gpu, p)) {
        case TileSize::large:
          return launch(Tiling<LargeTile>());
        case TileSize::small:
          return launch(Tiling<SmallTile>());
        case TileSize::whole:
          return launch(Tiling<WholeTile>());
        case TileSize::tiny:
          return launch(Tiling<TinyTile>());
      }
    });
