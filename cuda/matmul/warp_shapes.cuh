// The shapes of `warp_tiles`, the place of a block's tile in C and of a lane's
// part in the tile.
#pragma once

#include <cstdint>

#include "gpu/gpu.hpp"
#include "place.cuh"

using namespace parlab;

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

}  // namespace
