// The kernel of `warp_tiles`; warp_tiles.cu says how it works. The variants for
// several GPUs use it too.
#pragma once

#include <cuda_pipeline.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "aligned.cuh"
#include "gpu/gpu.hpp"
#include "gpu/shared_launch.hpp"
#include "parts.cuh"
#include "place.cuh"
#include "slices.cuh"
#include "workloads/matmul.hpp"

using namespace parlab;

enum class TileSize { large, medium, small, tiny };
// parts: the blocks that share a tile.
struct TileChoice {
  TileSize size = TileSize::tiny;
  int parts = 1;
};

namespace {

// The shapes: the best of two dozen tried on an H200 in float, 1000 to 8192.
// rows x cols: of C, per block, per warp, per lane. depth: columns of A in a
// stage of shared memory. share: relative time for the same work. fringe: how
// much longer a block with a fringe takes, in tiles.
struct LargeFloat {
  static constexpr int block_rows = 128, block_cols = 128, depth = 16;
  static constexpr int warp_rows = 64, warp_cols = 32;
  static constexpr int lane_rows = 8, lane_cols = 8;
  static constexpr int stages = 3, slices = 1, blocks_per_sm = 2;
  static constexpr double share = 0.92, fringe = 0.3;
};
// For many tiles. If rows of B are not aligned, it reads an aligned copy. It
// has no fringes.
struct MediumFloat {
  static constexpr int block_rows = 64, block_cols = 64, depth = 16;
  static constexpr int warp_rows = 32, warp_cols = 64;
  static constexpr int lane_rows = 8, lane_cols = 8;
  static constexpr int stages = 3, slices = 2, blocks_per_sm = 4;
  static constexpr double share = 0.96, fringe = 0;
};
struct SmallFloat {
  static constexpr int block_rows = 64, block_cols = 64, depth = 32;
  static constexpr int warp_rows = 32, warp_cols = 64;
  static constexpr int lane_rows = 8, lane_cols = 8;
  static constexpr int stages = 3, slices = 4, blocks_per_sm = 2;
  static constexpr double share = 1.08, fringe = 1;
};
// For problems where that leaves most of the device idle: half a tile, four
// warps that share its depth.
struct TinyFloat {
  static constexpr int block_rows = 32, block_cols = 64, depth = 32;
  static constexpr int warp_rows = 32, warp_cols = 64;
  static constexpr int lane_rows = 8, lane_cols = 8;
  static constexpr int stages = 3, slices = 4, blocks_per_sm = 3;
  static constexpr double share = 1.16, fringe = 1;
};
struct LargeDouble {
  static constexpr int block_rows = 128, block_cols = 64, depth = 8;
  static constexpr int warp_rows = 32, warp_cols = 32;
  static constexpr int lane_rows = 8, lane_cols = 4;
  static constexpr int stages = 4, slices = 1, blocks_per_sm = 1;
  static constexpr double share = 1, fringe = 0.3;
};
struct SmallDouble : LargeDouble {
  static constexpr int depth = 16;
};

// Facts about the edges of a problem. none: whole tiles fit, and rows of B and
// C are aligned to 16 bytes. copied: whole tiles fit, and B is a copy with
// aligned rows. unaligned: whole tiles fit. any: nothing is known.
enum class Edges { none, copied, unaligned, any };

constexpr bool has_aligned_b(Edges edges) {
  return edges == Edges::none || edges == Edges::copied;
}

// Constants that follow from a shape. fringe_room: elements beyond a row of B's
// tile, for a fringe.
template <typename T, typename Shape, int fringe_room = 16 / sizeof(T)>
struct Tiling : Shape {
  using WithoutFringe = Tiling<T, Shape, 0>;
  static constexpr int vector = 16 / sizeof(T);  // elements in 16 bytes

  static constexpr int warps_down = Shape::block_rows / Shape::warp_rows;
  // per slice
  static constexpr int warps =
      warps_down * (Shape::block_cols / Shape::warp_cols);
  static constexpr int slice_threads = 32 * warps,
                       threads = slice_threads * Shape::slices;
  static constexpr int lanes_down = Shape::warp_rows / Shape::lane_rows;
  static constexpr int lanes_across = Shape::warp_cols / Shape::lane_cols;
  static constexpr int slice_depth = Shape::depth / Shape::slices;
  static_assert(lanes_down * lanes_across == 32 && slice_depth % 2 == 0);

  // Whether a partial stage is filled up with zeros. Without this, another loop
  // multiplies its columns, and beside that loop a lane with many sums has too
  // few registers to keep them apart from their factors.
  template <Edges EDGES>
  static constexpr bool zeros = has_aligned_b(EDGES) ||
                                (EDGES == Edges::unaligned &&
                                 Shape::slices == 1 && sizeof(T) == 4);

  // Elements from one row of B's copy to the next: rows begin at lines of L2.
  __host__ __device__ static constexpr std::int64_t pitch(std::int64_t cols) {
    constexpr std::int64_t line = 128 / sizeof(T);
    return (cols + line - 1) / line * line;
  }

  // The place of a column of B in its tile if it is copied by elements, and the
  // inverse. The columns of a vector that a lane reads lie apart, so that
  // neighbouring lanes store neighbours at the same time.
  static constexpr int group = lanes_across * vector;
  static constexpr int place_of_col(int col) {
    return col / group * group + col % lanes_across * vector +
           col % group / lanes_across;
  }
  static constexpr int col_of_place(int place) {
    return place / group * group + place % vector * lanes_across +
           place % group / vector;
  }

  // Sizes in a stage, in elements: the transposed tile of A, then the tile of
  // B. Rows of A's are padded, which leaves room for a fringe there.
  static constexpr int a_stride = Shape::block_rows + vector,
                       b_stride = Shape::block_cols + fringe_room;
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

// Where this block's tile begins in C, and whether it has a fringe below
// and on the right: a row or column that its block computes too. A tile
// stores its elements from first_row and first_col on, as many rows and
// columns as C has. Other blocks store the rest of a tile that was moved
// inwards.
template <Edges EDGES, typename S>
struct TilePlace {
  std::int64_t row0, col0;
  int first_row, first_col, rows, cols;
  bool fringe_row, fringe_col;

  TilePlace() = default;
  __device__ __forceinline__ TilePlace(std::int64_t m, std::int64_t n,
                                       bool fringes) {
    std::int64_t down = m, across = n, tile_row, tile_col;
    if (EDGES == Edges::unaligned && fringes) {
      down = without_fringe(m, S::block_rows);
      across = without_fringe(n, S::block_cols);
    }
    // Tiles begin at multiples of 16 bytes.
    if (EDGES == Edges::copied) across = ceil_div(n, S::vector) * S::vector;
    place_of_block(ceil_div(down, S::block_rows),
                   ceil_div(across, S::block_cols), tile_row, tile_col);
    row0 = tile_row * S::block_rows, col0 = tile_col * S::block_cols;
    const auto beyond_row = static_cast<int>(
                   max(row0 + S::block_rows - down, std::int64_t{0})),
               beyond_col = static_cast<int>(
                   max(col0 + S::block_cols - across, std::int64_t{0}));
    constexpr bool ANY = EDGES == Edges::any;
    rows = S::block_rows - (ANY ? beyond_row : 0);
    cols = S::block_cols - (ANY ? beyond_col : 0);
    first_row = ANY ? 0 : beyond_row, first_col = ANY ? 0 : beyond_col;
    row0 -= first_row, col0 -= first_col;
    if (EDGES == Edges::copied)
      cols = static_cast<int>(min(n - col0, std::int64_t{S::block_cols}));
    fringe_row = down < m && row0 + S::block_rows == down;
    fringe_col = across < n && col0 + S::block_cols == across;
  }

  __device__ __forceinline__ bool stores_row(int row) const {
    return EDGES == Edges::any ? row < rows : row >= first_row;
  }
  __device__ __forceinline__ bool stores_col(int col) const {
    if (EDGES == Edges::copied && col >= cols) return false;
    return EDGES == Edges::any ? col < cols : col >= first_col;
  }
};

// A thread's copies into shared memory: one element or vector of each tile, and
// more at these steps of rows and columns. A warp copies 8 columns of 4 rows of
// A at a time, to 32 different banks; if rows of B are not aligned, it copies
// 32 elements of one.
template <Edges EDGES, bool FRINGE, typename T, typename S>
struct Copies {
  static constexpr bool ANY = EDGES == Edges::any;
  static constexpr bool ZEROS = S::template zeros<EDGES>;
  static constexpr bool VECTORS = has_aligned_b(EDGES);
  static constexpr int b_width = VECTORS ? S::vector : 1;
  static constexpr int b_cols = VECTORS ? S::block_cols : 32;
  static constexpr int a_rows = S::threads / 8;
  static constexpr int b_rows = S::threads * b_width / b_cols;
  static_assert(S::block_rows % a_rows == 0 && S::depth % b_rows == 0 &&
                S::block_cols % b_cols == 0 && S::depth % 8 == 0 &&
                b_cols % S::group == 0);

  std::int64_t k, n;             // elements from one row to the next
  int a_i, a_row, b_i, b_place;  // in the tiles
  int rows_left, cols_left;      // of C, from the thread's own on
  bool fringe_row, fringe_col;   // whether there are any
  const T *a_from, *b_from;      // the sources of the next copies

  __device__ __forceinline__ Copies(const T* a, const T* b, std::int64_t k_,
                                    std::int64_t n_,
                                    const TilePlace<EDGES, S>& place)
      : k(k_), n(n_) {
    const int thread = threadIdx.x;
    a_i = thread % 8, a_row = thread / 8;
    b_i = thread * b_width / b_cols;
    const int b_col = thread * b_width % b_cols;
    b_place = VECTORS ? b_col : S::place_of_col(b_col);
    rows_left = place.rows - a_row, cols_left = place.cols - b_col;
    fringe_row = place.fringe_row, fringe_col = place.fringe_col;
    a_from = a + (place.row0 + a_row) * k + a_i;
    b_from = b + b_i * n + place.col0 + b_col;
  }

  // Starts the copies of one stage. count: columns of A and rows of B in it.
  // TESTED: they may be fewer than a stage has. With ZEROS the others become
  // zero; without, they are never read. Places beyond the edge of C become
  // zero.
  template <bool TESTED>
  __device__ __forceinline__ void start(T* stage, int count) {
    T* const a_to = stage + a_i * S::a_stride + a_row;
    const auto copy_of_a = [&](int r, const T* row, bool there) {
      _Pragma("unroll")
      for (int i = 0; i < S::depth; i += 8) {
        const bool inside = !TESTED || a_i + i < count;
        if (!ZEROS && !inside) continue;
        copy<1>(a_to + i * S::a_stride + r, row + i, there && inside);
      }
    };
    const T* row = a_from;
    _Pragma("unroll")
    for (int r = 0; r < S::block_rows; r += a_rows, row += a_rows * k)
      copy_of_a(r, row, !ANY || r < rows_left);
    if (FRINGE && a_row == 0) copy_of_a(S::block_rows, row, fringe_row);

    T* const b_to = stage + S::b_begin + b_i * S::b_stride + b_place;
    row = b_from;
    _Pragma("unroll")
    for (int i = 0; i < S::depth; i += b_rows, row += b_rows * n) {
      const bool inside = !TESTED || b_i + i < count;
      if (!ZEROS && !inside) continue;
      T* const to = b_to + i * S::b_stride;
      _Pragma("unroll")
      for (int s = 0; s < S::block_cols; s += b_cols)
        copy<b_width>(to + s, row + s, inside && (!ANY || s < cols_left));
      if (FRINGE && b_place == 0)
        copy<1>(to + S::block_cols, row + S::block_cols, inside && fringe_col);
    }
    a_from += count;
    b_from += count * n;
  }

  // A zero has no source: nothing is read for it.
  template <int width>
  __device__ __forceinline__ static void copy(T* to, const T* from,
                                              bool there) {
    __pipeline_memcpy_async(to, from, width * sizeof(T),
                            there ? 0 : width * sizeof(T));
  }
};

// A lane's part of its block's tile. Its rows and columns come in vectors,
// beside those of the next lanes: rows row + v * row_step + [0, vector). Within
// a half warp, lanes are numbered downwards first, two or four deep.
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

// A lane's elements of A and B for one step along k, twice: for this step and
// for the next.
template <typename T, typename S>
struct Operands {
  Vector<T> a[2][S::lane_rows / S::vector], b[2][S::lane_cols / S::vector];
  int a_at, b_at;  // the lane's places in a stage

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
        // Back and forth, so that neighbours share a register just read.
        const int col = r % 2 == 0 ? s : S::lane_cols - 1 - s;
        sum[r][col] += a[set][r / S::vector].element[r % S::vector] *
                       b[set][col / S::vector].element[col % S::vector];
      }
    }
  }
};

// A thread's part of its block's fringes: every n-th of n threads has an
// element of the row below, then of the column on the right. For the corner
// where they meet, a lane takes a row of each stage.
template <typename T, typename S>
struct Fringe {
  static constexpr int count =
      (S::block_cols + S::block_rows + S::slice_threads - 1) / S::slice_threads;
  // whole vectors, for add_slices
  static constexpr int places = (count + S::vector - 1) / S::vector * S::vector;
  static_assert(S::depth <= 32);
  int slice, thread;  // in its slice
  T sum[places] = {}, corner = 0;

  __device__ __forceinline__ explicit Fringe(const LanePart<S>& lane)
      : slice(lane.slice), thread(threadIdx.x % S::slice_threads) {}

  // An element is in the row (this is its place in B) or in the column.
  __device__ __forceinline__ int element(int e) const {
    return thread + e * S::slice_threads;
  }
  __device__ __forceinline__ static bool in_row(int element) {
    return element < S::block_cols;
  }

  // One step along k: column i of the slice's part of A.
  __device__ __forceinline__ void multiply_add(const T* stage, int i) {
    const int at = slice * S::slice_depth + i;
    const T *const a = stage + at * S::a_stride, *const b = stage + S::b_begin +
                                                            at * S::b_stride;
    _Pragma("unroll")
    for (int e = 0; e < count; ++e) {
      const int of = element(e);
      const int row = in_row(of) ? S::block_rows : of - S::block_cols;
      const int col = in_row(of) ? of : S::block_cols;
      // Surplus threads read any element that exists.
      sum[e] += a[min(row, S::block_rows)] * b[col];
    }
  }

  // All of a stage that has this many columns of A.
  __device__ __forceinline__ void multiply_add_corner(const T* stage,
                                                      int columns) {
    const int at = threadIdx.x;
    if (at >= columns) return;
    corner += stage[at * S::a_stride + S::block_rows] *
              stage[S::b_begin + at * S::b_stride + S::block_cols];
  }

  template <bool ADD>
  __device__ __forceinline__ void store(
      T* c, std::int64_t n, const TilePlace<Edges::unaligned, S>& place) {
    const auto put = [&](int row, int col, T value) {
      if (!place.stores_row(row) || !place.stores_col(col)) return;
      T& to = c[row * n + col];
      to = ADD ? to + value : value;
    };
    _Pragma("unroll")
    for (int e = 0; e < count; ++e) {
      const int of = element(e), down = of - S::block_cols;
      if (in_row(of)) {
        if (place.fringe_row) put(S::block_rows, S::col_of_place(of), sum[e]);
      } else if (place.fringe_col && down < S::block_rows) {
        put(down, S::block_cols, sum[e]);
      }
    }
    if (threadIdx.x >= 32 || !place.fringe_row || !place.fringe_col) return;

    _Pragma("unroll")
    for (int offset = 16; offset > 0; offset /= 2)
      corner += __shfl_down_sync(0xffffffffu, corner, offset);
    if (threadIdx.x == 0) put(S::block_rows, S::block_cols, corner);
  }
};
template <typename T, typename S>
struct NoFringe {
  __device__ __forceinline__ explicit NoFringe(const LanePart<S>&) {}
  __device__ __forceinline__ void multiply_add(const T*, int) {}
  __device__ __forceinline__ void multiply_add_corner(const T*, int) {}
};

// Stores `count` of a lane's rows, from `first` on. c: where the tile begins.
// ADD: adds to what is there.
template <Edges EDGES, bool ADD, int count, typename T, typename S>
__device__ __forceinline__ void store(
    T* c, std::int64_t n, const TilePlace<EDGES, S>& place,
    const LanePart<S>& lane, const T (&sum)[S::lane_rows][S::lane_cols],
    int first) {
  constexpr int vector = S::vector;
  _Pragma("unroll")
  for (int r = first; r < first + count; ++r) {
    const int row = lane.row + r / vector * LanePart<S>::row_step + r % vector;
    if (!place.stores_row(row)) continue;
    _Pragma("unroll")
    for (int s = 0; s < S::lane_cols; s += vector) {
      const int col = lane.col + s / vector * LanePart<S>::col_step;
      if constexpr (EDGES != Edges::none) {
        _Pragma("unroll")
        for (int i = 0; i < vector; ++i) {
          const int of =
              has_aligned_b(EDGES) ? col + i : S::col_of_place(col + i);
          if (!place.stores_col(of)) continue;
          T& to = c[row * n + of];
          to = ADD ? to + sum[r][s + i] : sum[r][s + i];
        }
      } else if (place.stores_col(col)) {
        Vector<T>& to = *reinterpret_cast<Vector<T>*>(c + row * n + col);
        Vector<T> part;
        if constexpr (ADD) part = to;
        _Pragma("unroll")
        for (int i = 0; i < vector; ++i) {
          part.element[i] =
              ADD ? part.element[i] + sum[r][s + i] : apart(sum[r][s + i]);
        }
        to = part;
      }
    }
  }
}

// The tile of a block. FRINGE: and its fringe.
//
// It starts the copies of all stages but one, multiplies the columns beyond
// whole stages, then goes from stage to stage. Each is multiplied row by row
// while the next row is read and the stage before it is filled again. At the
// end slices add up their sums, and C is stored.
template <Edges EDGES, bool FRINGE, bool ADD, bool SHARED, typename T,
          typename S>
__device__ __forceinline__ void compute_tile(const Matmul::Args<T>& p,
                                             const TilePlace<EDGES, S>& here,
                                             const PartsOfK<T>& parts) {
  std::int64_t before = 0, columns = p.k;
  if constexpr (SHARED) {
    before = parts.template columns_before<S::depth>(p.k, blockIdx.y);
    columns =
        parts.template columns_before<S::depth>(p.k, blockIdx.y + 1) - before;
  }
  T* const shared = shared_memory<T>();
  // Kept in shared memory until C is written, for lack of registers.
  __shared__ TilePlace<EDGES, S> place;
  if (threadIdx.x == 0) place = here;
  const LanePart<S> lane;
  const std::int64_t pitch = EDGES == Edges::copied ? S::pitch(p.n) : p.n;
  Copies<EDGES, FRINGE, T, S> copies(p.a + before, p.b + before * pitch, p.k,
                                     pitch, here);
  Operands<T, S> operands(lane);
  std::conditional_t<FRINGE, Fringe<T, S>, NoFringe<T, S>> fringe(lane);
  T sum[S::lane_rows][S::lane_cols] = {};

  // All stages but one are under way before the first, which may be partial, is
  // multiplied.
  const auto steps = static_cast<int>((columns + S::depth - 1) / S::depth);
  const auto rest = static_cast<int>(columns % S::depth);
  copies.template start<true>(shared, rest > 0 ? rest : S::depth);
  __pipeline_commit();
  _Pragma("unroll")
  for (int step = 1; step < S::stages - 1; ++step) {
    if (step < steps)
      copies.template start<false>(shared + step * S::stage, S::depth);
    __pipeline_commit();
  }

  __pipeline_wait_prior(S::stages - 2);
  __syncthreads();

  constexpr int last = (S::stages - 1) * S::stage;
  const T* from = shared;
  int left = steps;
  // The previous stage, which all have read by now.
  const auto refill = [&] {
    T* const to = shared + (from == shared ? last : from - shared - S::stage);
    if (left >= S::stages) copies.template start<false>(to, S::depth);
    __pipeline_commit();
  };
  // It has arrived for all threads.
  const auto next_stage = [&] {
    __pipeline_wait_prior(S::stages - 2);
    __syncthreads();
    from = from == shared + last ? shared : from + S::stage;
  };

  if (!S::template zeros<EDGES> && rest > 0) {
    // Slices take turns at its columns.
    refill();
    fringe.multiply_add_corner(from, rest);
    _Pragma("unroll 1")
    for (int at = lane.slice; at < rest; at += S::slices) {
      const int i = at - lane.slice * S::slice_depth;
      operands.read(0, from, i);
      fringe.multiply_add(from, i);
      operands.multiply_add(0, sum);
    }
    next_stage();
    --left;
  }
  if (left > 0) operands.read(0, from, 0);
  _Pragma("unroll 1")
  for (; left > 0; --left) {
    _Pragma("unroll")
    for (int i = 0; i < S::slice_depth; ++i) {
      fringe.multiply_add(from, i);
      if (i == S::slice_depth - 1) {
        fringe.multiply_add_corner(from, S::depth);
        next_stage();
      }
      if (i < S::slice_depth - 1 || left > 1) {
        operands.read((i + 1) % 2, from, (i + 1) % S::slice_depth);
      }
      if (i == 0) refill();
      operands.multiply_add(i % 2, sum);
    }
  }

  T* const c = p.c + place.row0 * p.n + place.col0;
  constexpr int rows = S::lane_rows / S::slices, count = rows * S::lane_cols;
  // A slice has the tile's sums of some of the lane's rows in the end.
  const auto store_part = [&](int slice) {
    store<EDGES, ADD, rows>(c, p.n, place, lane, sum, slice * rows);
  };
  if constexpr (SHARED) {
    share_slices<S, S::slices * count>(
        lane.slice, shared, &sum[0][0], [&](int slice) {
          parts.template leave<S::threads, count>(&sum[0][0] + slice * count);
        });
    if (!parts.all_ended()) return;
    _Pragma("unroll")
    for (int slice = 0; slice < S::slices; ++slice) {
      if (slice != lane.slice) continue;
      parts.template add<S::threads, count>(&sum[0][0] + slice * count);
      store_part(slice);
    }
    return;
  }
  if constexpr (S::slices > 1) {
    share_slices<S, S::slices * count>(lane.slice, shared, &sum[0][0],
                                       store_part);
    if constexpr (FRINGE)
      add_slices<S, fringe.places>(lane.slice, shared, fringe.sum);
    if (lane.slice > 0) return;
  } else {
    store_part(0);
  }
  if constexpr (FRINGE) fringe.template store<ADD>(c, p.n, place);
}

// SHARED: several blocks share a tile.
template <Edges EDGES, bool ADD, bool SHARED, typename T, typename S>
__global__ void __launch_bounds__(S::threads, S::blocks_per_sm)
    matmul_warp_tiles(Matmul::Args<T> p, bool fringes, PartsOfK<T> parts) {
  const TilePlace<EDGES, S> place(p.m, p.n, fringes);
  if constexpr (EDGES == Edges::unaligned && !SHARED) {
    if (place.fringe_row || place.fringe_col)
      return compute_tile<EDGES, true, ADD, SHARED, T, S>(p, place, parts);
  }
  compute_tile<EDGES, false, ADD, SHARED, T, S>(p, place, parts);
}

template <Edges EDGES, bool ADD, typename S, typename T>
void launch_warp_tiles(Gpu& gpu, const Matmul::Args<T>& p, std::int64_t tiles,
                       bool fringes, int parts) {
  const auto launch = [&](auto kernel, const PartsOfK<T>& parts_of_k) {
    gpu.launch({.grid = {tiles, parts},
                .block = {S::threads},
                .shared_bytes = S::shared_bytes},
               kernel, p, fringes, parts_of_k);
  };
  if constexpr (!ADD && S::slices > 1) {
    if (parts > 1) {
      return launch(
          matmul_warp_tiles<EDGES, ADD, true, T, S>,
          PartsOfK<T>(gpu, tiles, parts, S::block_rows * S::block_cols));
    }
  }
  launch(matmul_warp_tiles<EDGES, ADD, false, T, S>, PartsOfK<T>());
}

// Whether C holds whole tiles of this shape.
template <typename S, typename T>
bool fits(const Matmul::Args<T>& p) {
  return p.m >= S::block_rows && p.n >= S::block_cols;
}

// Tiles down and across, if a single row or column is a fringe and if it has
// tiles of its own.
template <typename S>
struct TileGrid {
  std::int64_t down, across;
  bool fringe_row = false, fringe_col = false;

  template <typename T>
  TileGrid(const Matmul::Args<T>& p, bool fringes)
      : down(ceil_div(p.m, S::block_rows)),
        across(ceil_div(p.n, S::block_cols)) {
    if (!fringes) return;
    fringe_row = without_fringe(p.m, S::block_rows) < p.m;
    fringe_col = without_fringe(p.n, S::block_cols) < p.n;
    down -= fringe_row, across -= fringe_col;
  }
  std::int64_t tiles() const { return down * across; }
  // Roughly, the blocks that have a fringe.
  std::int64_t beside_fringe() const {
    return fringe_row * across + fringe_col * down;
  }
};

// The cost of sharing tiles: of each block of a multiprocessor, in columns of
// A, and once, in elements of C times columns.
constexpr double of_sharing = 80, of_any_sharing = 0.5e6;
// Rows of B that are not aligned: the time of copies by elements, relative to
// vectors. That of an aligned copy of B: for each of its elements, and once, in
// elements of C times columns.
constexpr double of_elements = 1.05, of_copying = 0.7, of_any_copying = 0.5e6;

// The time in units of an element of C. A round is as many blocks as a
// multiprocessor has at once. It takes longer by a warp's tile for each of the
// four schedulers, to account for waiting. One round takes as long as the
// multiprocessor with the most tiles; over many, blocks end one by one, and it
// evens out. As measured on an H200, from 512 to 8193; with less shared memory,
// fewer blocks run at once.
template <typename S, typename T>
double estimate(Gpu& gpu, const Matmul::Args<T>& p, bool fringes,
                int parts = 1) {
  constexpr double waiting = 4.0 * 32 / S::threads;
  const TileGrid<S> grid(p, fringes);
  const std::int64_t blocks = grid.tiles() * parts;
  const auto most = ceil_div(blocks, gpu.multiprocessors());
  const auto rounds = static_cast<double>(ceil_div(most, S::blocks_per_sm));
  const auto fringes_of_one =
      std::min(most, ceil_div(grid.beside_fringe(), gpu.multiprocessors()));
  const double longest = static_cast<double>(most) + rounds * waiting +
                         static_cast<double>(fringes_of_one) * S::fringe;
  const double work = static_cast<double>(blocks) +
                      static_cast<double>(grid.beside_fringe()) * S::fringe;
  const double mean =
      work / gpu.multiprocessors() * (1 + waiting / S::blocks_per_sm);
  constexpr double tile = S::block_rows * S::block_cols * S::share;
  const double sharing =
      parts == 1
          ? 0
          : of_sharing * static_cast<double>(most) * tile + of_any_sharing;
  return (mean + (longest - mean) * 2 / (rounds + 1)) / parts * tile +
         sharing / static_cast<double>(p.k);
}

template <typename S, typename T>
bool fringes_pay(Gpu& gpu, const Matmul::Args<T>& p) {
  return estimate<S>(gpu, p, true) <= estimate<S>(gpu, p, false);
}

// Whether copies and stores need no tests. fringes: a single row or column
// beyond whole tiles is a fringe.
template <typename S, typename T>
bool is_plain(const Matmul::Args<T>& p, bool fringes) {
  return p.n % S::vector == 0 && !TileGrid<S>(p, fringes).fringe_row;
}

template <bool ADD, typename S, typename T>
void launch_whole_tiles(Gpu& gpu, const Matmul::Args<T>& p, int parts) {
  const bool fringes = parts == 1 && fringes_pay<S>(gpu, p);
  const auto tiles = TileGrid<S>(p, fringes).tiles();
  if (is_plain<S>(p, fringes)) {
    launch_warp_tiles<Edges::none, ADD, typename S::WithoutFringe>(
        gpu, p, tiles, false, parts);
  } else {
    launch_warp_tiles<Edges::unaligned, ADD, S>(gpu, p, tiles, fringes, parts);
  }
}

template <typename T>
struct TileShapes {
  using Large = Tiling<T, LargeFloat>;
  using Medium = Tiling<T, MediumFloat>;
  using Small = Tiling<T, SmallFloat>;
  using Tiny = Tiling<T, TinyFloat>;
};
template <>
struct TileShapes<double> {
  using Large = Tiling<double, LargeDouble>;
  using Small = Tiling<double, SmallDouble>;
  using Medium = Small;
  using Tiny = Small;
};

// The tiles that take the least time by the estimate; the largest ones only if
// nearly every multiprocessor gets one. alone: no other product fills the
// device meanwhile, so that several blocks may share a tile.
template <typename T>
TileChoice best_tiles(Gpu& gpu, const Matmul::Args<T>& p, bool alone) {
  TileChoice best;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&]<typename S>(S, TileSize size) {
    const int most = alone && S::slices > 1 ? most_parts(p.k, S::depth) : 1;
    const auto n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    const bool aligned = p.n % S::vector == 0;
    for (int parts = 1; parts <= most; ++parts) {
      double time = estimate<S>(gpu, p, false, parts);
      if (parts == 1 && S::fringe > 0)
        time = std::min(time, estimate<S>(gpu, p, true));
      if (!aligned && size != TileSize::medium) time *= of_elements;
      if (!aligned && size == TileSize::medium)
        time += of_copying * n + of_any_copying / k;
      if (time < least) least = time, best = {size, parts};
    }
  };
  using Shapes = TileShapes<T>;
  using Large = typename Shapes::Large;
  using Small = typename Shapes::Small;
  using Medium = typename Shapes::Medium;
  if (fits<Large>(p) && static_cast<double>(TileGrid<Large>(p, true).tiles()) >=
                            0.9 * gpu.multiprocessors())
    consider(Large(), TileSize::large);
  if (fits<Small>(p)) consider(Small(), TileSize::small);
  consider(typename Shapes::Tiny(), TileSize::tiny);
  if (fits<Medium>(p) && (alone || p.n % Medium::vector == 0))
    consider(Medium(), TileSize::medium);
  return best;
}

// B as rows that are aligned.
template <typename S, typename T>
const T* copy_of_b(Gpu& gpu, const Matmul::Args<T>& p) {
  const std::int64_t pitch = S::pitch(p.n);
  T* const copy = gpu.scratch<T>(p.k * pitch);
  gpu.launch({.grid = {ceil_div(p.k * 32, aligning_threads),
                       blocks_in_y(pitch, aligning_pieces * 32 * S::vector)},
              .block = {aligning_threads}},
             matmul_align_rows<T>, AlignedCopy<T>{p.b, copy, p.k, p.n, pitch},
             AlignedCopy<T>{});
  return copy;
}

template <bool ADD, typename S, typename T>
void launch_medium_tiles(Gpu& gpu, const Matmul::Args<T>& p, int parts) {
  const auto tiles = TileGrid<S>(p, false).tiles();
  if (p.n % S::vector == 0) {
    launch_warp_tiles<Edges::none, ADD, S>(gpu, p, tiles, false, parts);
  } else if constexpr (!ADD) {
    auto aligned = p;
    aligned.b = copy_of_b<S>(gpu, p);
    launch_warp_tiles<Edges::copied, ADD, S>(gpu, aligned, tiles, false, parts);
  }
}

template <bool ADD, typename T>
void launch_choice(Gpu& gpu, const Matmul::Args<T>& p, TileChoice choice) {
  using Large = typename TileShapes<T>::Large;
  using Medium = typename TileShapes<T>::Medium;
  using Small = typename TileShapes<T>::Small;
  using Tiny = typename TileShapes<T>::Tiny;
  const int parts = choice.parts;
  if (choice.size == TileSize::large) {
    launch_whole_tiles<ADD, Large>(gpu, p, parts);
  } else if (choice.size == TileSize::medium) {
    if constexpr (!std::is_same_v<Medium, Small>)
      launch_medium_tiles<ADD, typename Medium::WithoutFringe>(gpu, p, parts);
  } else if (choice.size == TileSize::small) {
    launch_whole_tiles<ADD, Small>(gpu, p, parts);
  } else if (fits<Tiny>(p)) {
    launch_whole_tiles<ADD, Tiny>(gpu, p, parts);
  } else {
    launch_warp_tiles<Edges::any, ADD, Tiny>(
        gpu, p, TileGrid<Tiny>(p, false).tiles(), false, parts);
  }
}

}  // namespace

template <std::uint64_t FILE, typename T>
struct WarpTiles {
  static void multiply(Gpu& gpu, const Matmul::Args<T>& p, TileChoice choice);
  // Adds the product to C.
  static void add(Gpu& gpu, const Matmul::Args<T>& p, TileChoice choice);
};

template <std::uint64_t FILE, typename T>
void WarpTiles<FILE, T>::multiply(Gpu& gpu, const Matmul::Args<T>& p,
                                  TileChoice choice) {
  launch_choice<false>(gpu, p, choice);
}

template <std::uint64_t FILE, typename T>
void WarpTiles<FILE, T>::add(Gpu& gpu, const Matmul::Args<T>& p,
                             TileChoice choice) {
  launch_choice<true>(gpu, p, choice);
}

// See gpu/shared_launch.hpp. Remove these three lines in a copy of this file.
extern template struct WarpTiles<file_hash(__FILE__), float>;
extern template struct WarpTiles<file_hash(__FILE__), double>;
extern template struct WarpTiles<file_hash(__FILE__), int>;

namespace {

// ADD: adds to C instead of writing it. Tiles of this size must fit, except for
// tiny ones; medium ones need aligned rows of B to add.
template <bool ADD, typename T>
void launch_tiles(Gpu& gpu, const Matmul::Args<T>& p, TileChoice choice) {
  using Compiled = WarpTiles<file_hash(__FILE__), T>;
  return ADD ? Compiled::add(gpu, p, choice)
             : Compiled::multiply(gpu, p, choice);
}

template <bool ADD = false, typename T>
void choose_tiles(Gpu& gpu, const Matmul::Args<T>& p) {
  launch_tiles<ADD>(gpu, p, best_tiles(gpu, p, !ADD));
}

}  // namespace
