// The kernel of `warp_tiles`, which says how it works; the parts of
// several GPUs are computed by it too.
#pragma once

#include <cuda_pipeline.h>

#include "gpu/gpu.hpp"
#include "place.cuh"
#include "slices.cuh"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

// The shapes: the best of two dozen tried on an H200 in float, 1000 to 8192.
// rows x cols: of C, per block, per warp, per lane. depth: columns of
// A in a stage of shared memory.
struct LargeFloat {
  static constexpr int block_rows = 128, block_cols = 128, depth = 16;
  static constexpr int warp_rows = 64, warp_cols = 32;
  static constexpr int lane_rows = 8, lane_cols = 8;
  static constexpr int stages = 3, slices = 1, blocks_per_sm = 2;
};
struct SmallFloat {
  static constexpr int block_rows = 64, block_cols = 64, depth = 16;
  static constexpr int warp_rows = 32, warp_cols = 64;
  static constexpr int lane_rows = 8, lane_cols = 8;
  static constexpr int stages = 3, slices = 2, blocks_per_sm = 4;
};
// Where that leaves most of the device without work: half a tile, four
// warps that share its depth.
struct TinyFloat {
  static constexpr int block_rows = 32, block_cols = 64, depth = 32;
  static constexpr int warp_rows = 32, warp_cols = 64;
  static constexpr int lane_rows = 8, lane_cols = 8;
  static constexpr int stages = 3, slices = 4, blocks_per_sm = 3;
};
struct LargeDouble {
  static constexpr int block_rows = 128, block_cols = 64, depth = 8;
  static constexpr int warp_rows = 32, warp_cols = 32;
  static constexpr int lane_rows = 8, lane_cols = 4;
  static constexpr int stages = 4, slices = 1, blocks_per_sm = 1;
};
struct SmallDouble : LargeDouble {
  static constexpr int depth = 16;
};

// What follows from a shape.
template <typename T, typename Shape>
struct Tiling : Shape {
  static constexpr int vector = 16 / sizeof(T);  // elements in 16 bytes

  static constexpr int warps_down = Shape::block_rows / Shape::warp_rows;
  // in a slice
  static constexpr int warps =
      warps_down * (Shape::block_cols / Shape::warp_cols);
  static constexpr int slice_threads = 32 * warps,
                       threads = slice_threads * Shape::slices;
  static constexpr int lanes_down = Shape::warp_rows / Shape::lane_rows;
  static constexpr int lanes_across = Shape::warp_cols / Shape::lane_cols;
  static constexpr int slice_depth = Shape::depth / Shape::slices;
  static_assert(lanes_down * lanes_across == 32 && slice_depth % 2 == 0);

  // Of a stage, in elements: the transposed tile of A, its rows
  // padded, then the tile of B.
  static constexpr int a_stride = Shape::block_rows + vector,
                       b_stride = Shape::block_cols;
  static constexpr int b_begin = Shape::depth * a_stride;
  static constexpr int stage = b_begin + Shape::depth * b_stride;
  static constexpr int sums =
      (Shape::slices - 1) * Shape::block_rows * Shape::block_cols;
  static constexpr int shared_bytes =
      (Shape::stages * stage > sums ? Shape::stages * stage : sums) * sizeof(T);
};

template <typename T>
struct alignas(16) Vector {
  T element[16 / sizeof(T)];
};

// What is known of the edges of a problem. none: whole tiles fit, and
// rows of B and C are aligned to 16 bytes. columns: the same, but rows
// of C are not; those of B are in a copy of it, whose columns beyond
// n are zero. any: nothing.
enum class Edges { none, columns, any };

// Where the tile of this block begins in C. Of a tile that was moved
// inwards, the rows above first_row and the columns left of first_col
// are stored by other blocks. cols: of B.
template <Edges EDGES, typename S>
struct TilePlace {
  static constexpr bool ANY = EDGES == Edges::any;
  std::int64_t first_row, first_col, row0, col0;

  __device__ __forceinline__ TilePlace(std::int64_t m, std::int64_t cols) {
    std::int64_t tile_row, tile_col;
    place_of_block(ceil_div(m, S::block_rows), ceil_div(cols, S::block_cols),
                   tile_row, tile_col);
    first_row = tile_row * S::block_rows, first_col = tile_col * S::block_cols;
    row0 = ANY ? first_row : min(first_row, m - S::block_rows);
    col0 = ANY ? first_col : min(first_col, cols - S::block_cols);
  }
};

// The copies of one thread into shared memory: of each tile one element or
// vector, and more in steps of so many rows. A warp copies 8 columns of 4
// rows of A at a time, to 32 different banks.
template <Edges EDGES, typename T, typename S>
struct Copies {
  static constexpr bool ANY = EDGES == Edges::any;
  static constexpr int a_rows = S::threads / 8, b_width = ANY ? 1 : S::vector;
  static constexpr int b_rows = S::threads * b_width / S::block_cols;
  static_assert(S::block_rows % a_rows == 0 && S::depth % b_rows == 0 &&
                S::depth % 8 == 0);

  const T *a, *b;  // any readable addresses, for copies of zeros
  std::int64_t m, k, cols;
  int a_i, a_row, b_i, b_col;  // in the tiles
  std::int64_t row, col;       // in C
  const T *a_from, *b_from;    // what is copied next

  __device__ __forceinline__ Copies(const T* a_,
                                    const T* b_,
                                    std::int64_t m_,
                                    std::int64_t k_,
                                    std::int64_t cols_,
                                    const TilePlace<EDGES, S>& place)
      : a(a_), b(b_), m(m_), k(k_), cols(cols_) {
    const int thread = threadIdx.x;
    a_i = thread % 8, a_row = thread / 8;
    b_i = thread * b_width / S::block_cols,
    b_col = thread * b_width % S::block_cols;
    row = place.row0 + a_row, col = place.col0 + b_col;
    a_from = a + row * k + a_i;
    b_from = b + b_i * cols + col;
  }

  // Starts the copies of one stage. count: columns of A, rows of B it gets,
  // the others being zero. Beyond the edge of C anything will do: it is
  // multiplied into elements that are not stored.
  template <bool TESTED>
  __device__ __forceinline__ void start(T* stage, int count) {
    _Pragma("unroll")
    for (int r = 0; r < S::block_rows; r += a_rows) {
      _Pragma("unroll")
      for (int i = 0; i < S::depth; i += 8) {
        const bool there =
            !TESTED || (a_i + i < count && (!ANY || row + r < m));
        __pipeline_memcpy_async(stage + (a_i + i) * S::a_stride + a_row + r,
                                there ? a_from + r * k + i : a, sizeof(T),
                                there ? 0 : sizeof(T));
      }
    }
    _Pragma("unroll")
    for (int i = 0; i < S::depth; i += b_rows) {
      const bool there = !TESTED || (b_i + i < count && (!ANY || col < cols));
      __pipeline_memcpy_async(
          stage + S::b_begin + (b_i + i) * S::b_stride + b_col,
          there ? b_from + i * cols : b, b_width * sizeof(T),
          there ? 0 : b_width * sizeof(T));
    }
    a_from += count;
    b_from += count * cols;
  }
};

// What a lane computes of its block's tile. Its rows and columns come in
// vectors, beside those of the next lanes: rows row + v * row_step + [0,
// vector). Within a half warp, lanes are numbered down first, two or four deep.
template <typename S>
struct LanePart {
  static constexpr int row_step = S::lanes_down * S::vector;
  static constexpr int col_step = S::lanes_across * S::vector;
  int slice, row, col;

  __device__ __forceinline__ LanePart() {
    constexpr int half_down = S::lanes_down / 2;
    const int thread = threadIdx.x, lane = thread % 32,
              warp = thread / 32 % S::warps;
    slice = thread / S::slice_threads;
    row = warp % S::warps_down * S::warp_rows +
          (lane / 16 * half_down + lane % half_down) * S::vector;
    col =
        warp / S::warps_down * S::warp_cols + lane % 16 / half_down * S::vector;
  }
};

// A lane's elements of A and B for one step along k, twice: for this
// step and for the next.
template <typename T, typename S>
struct Operands {
  Vector<T> a[2][S::lane_rows / S::vector], b[2][S::lane_cols / S::vector];
  int a_at, b_at;  // of the lane in a stage

  __device__ __forceinline__ explicit Operands(const LanePart<S>& lane)
      : a_at(lane.slice * S::slice_depth * S::a_stride + lane.row),
        b_at(S::b_begin + lane.slice * S::slice_depth * S::b_stride +
             lane.col) {}

  __device__ __forceinline__ void read(int set, const T* stage, int i) {
    _Pragma("unroll")
    for (int v = 0; v < S::lane_rows / S::vector; ++v) {
      a[set][v] = *reinterpret_cast<const Vector<T>*>(
          stage + a_at + i * S::a_stride + v * LanePart<S>::row_step);
    }
    _Pragma("unroll")
    for (int v = 0; v < S::lane_cols / S::vector; ++v) {
      b[set][v] = *reinterpret_cast<const Vector<T>*>(
          stage + b_at + i * S::b_stride + v * LanePart<S>::col_step);
    }
  }

  __device__ __forceinline__ void multiply_add(
      int set, T (&sum)[S::lane_rows][S::lane_cols]) const {
    _Pragma("unroll")
    for (int r = 0; r < S::lane_rows; ++r) {
      _Pragma("unroll")
      for (int s = 0; s < S::lane_cols; ++s) {
        // There and back again: neighbours share a register that was just read.
        const int col = r % 2 == 0 ? s : S::lane_cols - 1 - s;
        sum[r][col] += a[set][r / S::vector].element[r % S::vector] *
                       b[set][col / S::vector].element[col % S::vector];
      }
    }
  }
};

// ADD: to what is there.
template <Edges EDGES, bool ADD, typename T, typename S>
__device__ __forceinline__ void store(
    T* c,
    std::int64_t m,
    std::int64_t n,
    const TilePlace<EDGES, S>& place,
    const LanePart<S>& lane,
    const T (&sum)[S::lane_rows][S::lane_cols]) {
  constexpr int vector = S::vector;
  _Pragma("unroll")
  for (int r = 0; r < S::lane_rows; ++r) {
    const std::int64_t row =
        place.row0 + lane.row + r / vector * LanePart<S>::row_step + r % vector;
    if (EDGES == Edges::any ? row >= m : row < place.first_row) continue;
    _Pragma("unroll")
    for (int s = 0; s < S::lane_cols; s += vector) {
      const std::int64_t col =
          place.col0 + lane.col + s / vector * LanePart<S>::col_step;
      if constexpr (EDGES != Edges::none) {
        if (col < place.first_col) continue;
        _Pragma("unroll")
        for (int i = 0; i < vector; ++i) {
          if (col + i >= n) continue;
          T& to = c[row * n + col + i];
          to = ADD ? to + sum[r][s + i] : sum[r][s + i];
        }
      } else if (col >= place.first_col) {
        Vector<T>& to = *reinterpret_cast<Vector<T>*>(c + row * n + col);
        Vector<T> part;
        if constexpr (ADD) part = to;
        _Pragma("unroll")
        for (int i = 0; i < vector; ++i) {
          part.element[i] =
              ADD ? part.element[i] + sum[r][s + i] : sum[r][s + i];
        }
        to = part;
      }
    }
  }
}

// cols: of B, n where EDGES does not say otherwise.
template <Edges EDGES, bool ADD, typename T, typename S>
__global__ void __launch_bounds__(S::threads, S::blocks_per_sm)
    matmul_warp_tiles(const T* a,
                      const T* b,
                      T* c,
                      std::int64_t m,
                      std::int64_t k,
                      std::int64_t n,
                      std::int64_t cols) {
  constexpr bool tested = EDGES == Edges::any;
  T* const shared = shared_memory<T>();
  const TilePlace<EDGES, S> place(m, cols);
  const LanePart<S> lane;
  Copies<EDGES, T, S> copies(a, b, m, k, cols, place);
  Operands<T, S> operands(lane);
  T sum[S::lane_rows][S::lane_cols] = {};

  // All stages but one are under way before the first is multiplied.
  const auto steps = static_cast<int>((k + S::depth - 1) / S::depth);
  copies.template start<true>(
      shared, static_cast<int>(k - std::int64_t{steps - 1} * S::depth));
  __pipeline_commit();
  _Pragma("unroll")
  for (int step = 1; step < S::stages - 1; ++step) {
    if (step < steps)
      copies.template start<tested>(shared + step * S::stage, S::depth);
    __pipeline_commit();
  }

  __pipeline_wait_prior(S::stages - 2);
  __syncthreads();

  T* const end = shared + S::stages * S::stage;
  const T* from = shared;
  T* to = shared + (S::stages - 1) * S::stage;
  operands.read(0, from, 0);
  _Pragma("unroll 1")
  for (int step = 0; step < steps; ++step) {
    _Pragma("unroll")
    for (int i = 0; i < S::slice_depth; ++i) {
      if (i == S::slice_depth - 1) {
        // The next stage has arrived, for everybody; and nobody reads this
        // one any more, which is the one that is refilled next.
        __pipeline_wait_prior(S::stages - 2);
        __syncthreads();
        from = from + S::stage == end ? shared : from + S::stage;
      }
      if (i < S::slice_depth - 1 || step + 1 < steps) {
        operands.read((i + 1) % 2, from, (i + 1) % S::slice_depth);
      }
      if (i == 0) {
        if (step + S::stages - 1 < steps)
          copies.template start<tested>(to, S::depth);
        __pipeline_commit();
        to = to + S::stage == end ? shared : to + S::stage;
      }
      operands.multiply_add(i % 2, sum);
    }
  }

  if constexpr (S::slices > 1) {
    add_slices<S, S::lane_rows * S::lane_cols>(lane.slice, shared, &sum[0][0]);
    if (lane.slice > 0) return;
  }

  store<EDGES, ADD>(c, m, n, place, lane, sum);
}

// cols: of p.b; p.n, or more where that is a copy of B with aligned rows.
template <Edges EDGES, bool ADD, typename S, typename T>
void launch_warp_tiles(Gpu& gpu, const Matmul::Args<T>& p, std::int64_t cols) {
  const auto blocks =
      ceil_div(p.m, S::block_rows) * ceil_div(p.n, S::block_cols);
  gpu.launch({.grid = {blocks},
              .block = {S::threads},
              .shared_bytes = S::shared_bytes},
             matmul_warp_tiles<EDGES, ADD, T, S>, p.a, p.b, p.c, p.m, p.k, p.n,
             cols);
}

// Whether whole tiles of this shape lie in C.
template <typename S, typename T>
bool fits(const Matmul::Args<T>& p) {
  return p.m >= S::block_rows && p.n >= S::block_cols;
}

// Whether they fill so much of the device, once.
template <typename S, typename T>
bool fills(Gpu& gpu, const Matmul::Args<T>& p, double share) {
  const auto blocks =
      ceil_div(p.m, S::block_rows) * ceil_div(p.n, S::block_cols);
  return static_cast<double>(blocks) >=
         share * S::blocks_per_sm * gpu.multiprocessors();
}

enum class TileSize { large, small, tiny };

template <typename T>
struct TileShapes {
  using Large = Tiling<T, LargeFloat>;
  using Small = Tiling<T, SmallFloat>;
  using Tiny = Tiling<T, TinyFloat>;
};
template <>
struct TileShapes<double> {
  using Large = Tiling<double, LargeDouble>;
  using Small = Tiling<double, SmallDouble>;
  using Tiny = Small;
};

// The smallest tiles where those of the next size do not give each
// multiprocessor one, the largest where they fill the device.
template <typename T>
TileSize best_size(Gpu& gpu, const Matmul::Args<T>& p) {
  using Shapes = TileShapes<T>;
  if (fits<typename Shapes::Large>(p) &&
      fills<typename Shapes::Large>(gpu, p, 0.9)) {
    return TileSize::large;
  }
  constexpr double one_each = 1.0 / Shapes::Small::blocks_per_sm;
  return fills<typename Shapes::Small>(gpu, p, one_each) ? TileSize::small
                                                         : TileSize::tiny;
}

// ADD: to what C has, in place of writing it. WHOLE: what is known of
// the edges of whole tiles.
template <bool ADD, Edges WHOLE, typename T>
void launch_tiles(Gpu& gpu,
                  const Matmul::Args<T>& p,
                  TileSize size,
                  std::int64_t cols) {
  using Large = typename TileShapes<T>::Large;
  using Small = typename TileShapes<T>::Small;
  using Tiny = typename TileShapes<T>::Tiny;
  const bool aligned = cols % Small::vector == 0;
  if (size == TileSize::large && aligned && fits<Large>(p)) {
    launch_warp_tiles<WHOLE, ADD, Large>(gpu, p, cols);
  } else if (size != TileSize::tiny && aligned && fits<Small>(p)) {
    launch_warp_tiles<WHOLE, ADD, Small>(gpu, p, cols);
  } else if (size != TileSize::tiny) {
    launch_warp_tiles<Edges::any, ADD, Small>(gpu, p, cols);
  } else if (aligned && fits<Tiny>(p)) {
    launch_warp_tiles<WHOLE, ADD, Tiny>(gpu, p, cols);
  } else {
    launch_warp_tiles<Edges::any, ADD, Tiny>(gpu, p, cols);
  }
}

template <bool ADD = false, typename T>
void choose_tiles(Gpu& gpu, const Matmul::Args<T>& p) {
  launch_tiles<ADD, Edges::none>(gpu, p, best_size(gpu, p), p.n);
}

}  // namespace
