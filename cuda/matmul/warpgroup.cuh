// Shared by the variants on warpgroup products: the tile of C of a block, the
// copies and the products of one stage of shared memory, and the stores of
// sums.
//
// A block computes ROWS x COLS of C. Its first warpgroups multiply, each 64 of
// the columns, in steps of 128 bytes along k: 64 columns of A, in TF32 32. A
// stage of shared memory holds both tiles as rows of 128 bytes: the rows of A;
// then B in panels of 64 or 32 columns, each with all rows of B's tile. Each 8
// rows are permuted in pieces of 16 bytes, so that neither copies nor products
// have bank conflicts: piece p of row r lies at p ^ r % 8.
//
// C^T = B^T A^T is computed, because in TF32 only the first operand of a
// product may come from registers (see there). So the columns of C count in
// 64, and its rows, those of A^T's columns, in 8.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "aligned.cuh"
#include "gpu/warpgroup.hpp"
#include "place.cuh"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

// The blocks of a cluster and their tiles, DOWN x ACROSS. Those side by side
// share a tile of A, those below one another a tile of B.
template <int DOWN, int ACROSS>
struct ClusterOfTiles {
  static constexpr int blocks_down = DOWN, blocks_across = ACROSS,
                       cluster = DOWN * ACROSS;
  // blocks that share a tile with a given one, and itself
  static constexpr int sharing = DOWN + ACROSS - 1;
};

// TEAMS: each has a tile of its own; of two, each is one warpgroup that
// multiplies all columns.
template <typename T, int ROWS = 256, int COLS = 128, int DOWN = 1,
          int ACROSS = 1, int TEAMS = 1>
struct WarpgroupTile : ClusterOfTiles<DOWN, ACROSS> {
  using Element = T;
  static constexpr int rows = ROWS, cols = COLS, teams = TEAMS;
  // of 64 columns, that a warpgroup multiplies
  static constexpr int blocks = teams == 2 ? cols / 64 : 1;
  static constexpr int warps = cols / blocks / 16, threads = 32 * warps;
  static constexpr int sums = rows * cols / threads;  // per thread
  // columns of A and rows of B in a stage, columns of a panel of B
  static constexpr int depth = 128 / sizeof(T), panel_cols = depth;
  static constexpr int panels = cols / panel_cols;
  static constexpr int a_bytes = rows * 128, panel_bytes = depth * 128;
  static constexpr int stage_bytes = a_bytes + panels * panel_bytes;
  // 4 of the largest tiles, 12 of the smallest; 35 KB remain beside them
  static constexpr int stages = 192 * 1024 / stage_bytes;

  // The number of steps is a multiple of this: see the sums in TF32.
  static constexpr int steps_at_once = sizeof(T) == 2 ? 1 : 2;

  // Clusters, one below the other, in a group of tiles that are taken together:
  // of about 2048 rows.
  static constexpr int clusters_down = 2048 / rows;
  // of permuted data; dynamic shared memory has less
  static constexpr int alignment = 1024;
  static constexpr int shared_bytes = stages * stage_bytes + alignment;
};

// This thread among those that multiply its tile.
template <typename Tile>
__device__ __forceinline__ int thread_of_tile() {
  return Tile::teams == 1 ? threadIdx.x : threadIdx.x % Tile::threads;
}

// The number of steps along k of a tile.
template <typename Tile>
__device__ __forceinline__ int warpgroup_steps(std::int64_t k) {
  const std::int64_t at_once = Tile::depth * Tile::steps_at_once;
  return static_cast<int>(ceil_div(k, at_once)) * Tile::steps_at_once;
}

// Dynamic shared memory from its first aligned address on.
__device__ __forceinline__ unsigned char* aligned_shared_memory() {
  unsigned char* const shared = shared_memory<unsigned char>();
  return shared + (1024 - shared_address(shared) % 1024) % 1024;
}

// The number in the cluster of the block that lane `lane` tells about a free
// stage: of the blocks that share a tile with this one, and itself.
template <typename Tile>
__device__ __forceinline__ int sharing_block(int lane) {
  constexpr int across = Tile::blocks_across;
  const int rank = block_in_cluster(), row = rank / across;
  if (lane < across) return row * across + lane;
  const int below = lane - across;
  return (below < row ? below : below + 1) * across + rank % across;
}

// The sums of a thread, which has two columns of C in each block of 64:
// neighbours or, in 16 bits, two that are eight apart.
template <typename Tile>
struct SumsOfTile {
  static constexpr int blocks = Tile::blocks;
  static constexpr bool neighbours = sizeof(typename Tile::Element) == 4;

  // of C^T, as the instruction has it
  float sum[blocks][Tile::rows / 2];

  // Stores rows of C in whole sectors of 32 bytes.
  __device__ __forceinline__ void store(float* c, std::int64_t m,
                                        std::int64_t n, std::int64_t row0,
                                        std::int64_t col0) const {
    const int lane = threadIdx.x % 32;
    _Pragma("unroll")
    for (int block = 0; block < blocks; ++block) {
      const std::int64_t col =
          col0 + first_col(block) + lane / 4 * (neighbours ? 2 : 1);
      _Pragma("unroll")
      for (int j = 0; j < Tile::rows / 8; ++j) {
        _Pragma("unroll")
        for (int e = 0; e < 2; ++e) {
          const std::int64_t row = row0 + 8 * j + lane % 4 * 2 + e;
          if (row >= m) continue;
          const float one = sum[block][4 * j + e],
                      other = sum[block][4 * j + 2 + e];
          float* const to = c + row * n;
          if constexpr (neighbours) {
            store_pair(to, col, n, one, other);
          } else {
            if (col < n) to[col] = one;
            if (col + 8 < n) to[col + 8] = other;
          }
        }
      }
    }
  }

  // Two warps share boxes of 32 columns. The place of box q in their part of C,
  // and its contents from this warp, swizzled as bulk copies do it.
  static constexpr int box_rows = Tile::rows % 32 == 0 ? 32 : 16, box_cols = 32,
                       boxes_down = Tile::rows / box_rows,
                       boxes = blocks * boxes_down;
  __device__ __forceinline__ void box(int q, int& row, int& col) const {
    row = q % boxes_down * box_rows;
    col = first_col(q / boxes_down) / box_cols * box_cols;
  }

  template <int q>
  __device__ __forceinline__ void write_box(unsigned char* box) const {
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4,
              half = threadIdx.x / 32 % 2;
    const float* const from =
        sum[q / boxes_down] + q % boxes_down * (box_rows / 2);
    _Pragma("unroll")
    for (int j = 0; j < box_rows / 8; ++j) {
      _Pragma("unroll")
      for (int e = 0; e < 2; ++e) {
        const int row = 2 * t + e;
        unsigned char* const in_row = box + (8 * j + row) * 128;
        const float one = from[4 * j + e], other = from[4 * j + 2 + e];
        if constexpr (neighbours) {
          const int piece = (half * 4 + g / 2) ^ row;
          *reinterpret_cast<float2*>(in_row + piece * 16 + g % 2 * 8) =
              float2{one, other};
        } else {
          const int piece = (half * 4 + g / 4) ^ row;
          float* const to = reinterpret_cast<float*>(in_row) + g % 4;
          to[piece * 4] = one;
          to[(piece ^ 2) * 4] = other;
        }
      }
    }
  }

 protected:
  // The first column of this warp in a block of 64.
  __device__ __forceinline__ static int first_col(int block) {
    const int warp = thread_of_tile<Tile>() / 32;
    if constexpr (blocks == 1) return warp * 16;
    return (warp / 4 * blocks + block) * 64 + warp % 4 * 16;
  }
};

// Products of half and bfloat16. Both operands come from shared memory; B is
// transposed on the way.
template <typename Tile, typename T = typename Tile::Element>
struct WarpgroupSums : SumsOfTile<Tile> {
  static constexpr Factor factor =
      std::is_same_v<T, float16> ? Factor::f16 : Factor::bf16;
  using SumsOfTile<Tile>::sum, SumsOfTile<Tile>::blocks;

  // Sums the products of `steps` stages, one after the other along the ring.
  // arrived(ring) returns when the ring's stage can be read; done(stage) is
  // called when it has been read. The products of one stage are still under way
  // when those of the next are started.
  template <typename Arrived, typename Done>
  __device__ __forceinline__ void multiply(const unsigned char* stages,
                                           int steps, Ring<Tile::stages>& ring,
                                           Arrived arrived, Done done) {
    const int group = thread_of_tile<Tile>() / 128;
    const std::uint32_t a = low_half(stages),
                        b = low_half(stages + Tile::a_bytes +
                                     group * blocks * Tile::panel_bytes);
    int before = 0;
    _Pragma("unroll 1")
    for (int step = 0; step < steps; ++step) {
      arrived(ring);
      start(a + ring.stage * (Tile::stage_bytes / 16),
            b + ring.stage * (Tile::stage_bytes / 16), step > 0);
      wait_for_products<1>();
      if (step > 0) done(before);
      before = ring.stage;
      ring.advance();
    }
    wait_for_products<0>();
    for (auto& of_block : sum)
      pin_registers(of_block);
    done(before);
  }

 private:
  // Operands are described in 64 bits. The lower half has the address, in
  // units of 16 bytes, and the only one that changes: 32 bits are added faster.
  __device__ __forceinline__ static std::uint32_t low_half(
      const unsigned char* operand) {
    return static_cast<std::uint32_t>(operand_in_shared<128>(operand, 1024));
  }
  __device__ __forceinline__ static std::uint64_t whole(std::uint32_t low) {
    return operand_in_shared<128>(nullptr, 1024) >> 32 << 32 | low;
  }

  __device__ __forceinline__ void start(std::uint32_t a, std::uint32_t b,
                                        bool add) {
    begin_products();
    _Pragma("unroll")
    for (int i = 0; i < Tile::depth / 16; ++i) {
      _Pragma("unroll")
      for (int block = 0; block < blocks; ++block) {
        multiply_add<factor, false, true>(
            sum[block],
            whole(b + (block * Tile::panel_bytes + i * 16 * 128) / 16),
            whole(a + i * 32 / 16), add || i > 0);
      }
    }
    end_products();
  }
};

// Products of float in TF32. Elements of four bytes cannot be transposed on
// their way from shared memory, and B has to be. So B^T comes from registers,
// where any layout will do: of a warp's 16 columns, each lane has two
// neighbours: row g of B^T is column 2 g, row g + 8 column 2 g + 1.
template <typename Tile>
struct WarpgroupSums<Tile, float> : SumsOfTile<Tile> {
  using SumsOfTile<Tile>::sum;
  static_assert(Tile::blocks == 1);

  // As above. Two sets of registers take turns, without a condition between
  // them: the compiler has to see that none is refilled while products use it.
  // A last stage beyond the end is all zeros.
  template <typename Arrived, typename Done>
  __device__ __forceinline__ void multiply(const unsigned char* stages,
                                           int steps, Ring<Tile::stages>& ring,
                                           Arrived arrived, Done done) {
    int before = 0;
    const auto advance = [&]<int set>(int step) {
      arrived(ring);
      read<set>(stages + ring.stage * Tile::stage_bytes);
      start<set>(stages + ring.stage * Tile::stage_bytes, step > 0);
      wait_for_products<1>();
      if (step > 0) done(before);
      before = ring.stage;
      ring.advance();
    };
    _Pragma("unroll 1")
    for (int step = 0; step < steps; step += 2) {
      advance.template operator()<0>(step);
      advance.template operator()<1>(step + 1);
    }
    wait_for_products<0>();
    pin_registers(sum[0]);
    done(before);
  }

 private:
  template <int set>
  __device__ __forceinline__ void read(const unsigned char* stage) {
    const int thread = thread_of_tile<Tile>(), lane = thread % 32, g = lane / 4,
              t = lane % 4;
    const int warp = thread / 32, piece = warp % 2 * 4 + g / 2;
    const unsigned char* const panel =
        stage + Tile::a_bytes + warp / 2 * Tile::panel_bytes;

    // Some lanes read their two rows of B in the other order to avoid bank
    // conflicts.
    const bool swap = g / 2 % 2 != 0;
    const int first = swap ? t + 4 : t, second = first ^ 4;
    const unsigned char* const from_first =
        panel + first * 128 + (piece ^ first) * 16 + g % 2 * 8;
    const unsigned char* const from_second =
        panel + second * 128 + (piece ^ second) * 16 + g % 2 * 8;
    _Pragma("unroll")
    for (int i = 0; i < 4; ++i) {
      const uint2 one = *reinterpret_cast<const uint2*>(from_first + i * 1024);
      const uint2 two = *reinterpret_cast<const uint2*>(from_second + i * 1024);
      b[set][i][0] = swap ? two.x : one.x;
      b[set][i][1] = swap ? two.y : one.y;
      b[set][i][2] = swap ? one.x : two.x;
      b[set][i][3] = swap ? one.y : two.y;
      pin_registers(b[set][i]);  // loaded now, not at their first use
    }
  }

  template <int set>
  __device__ __forceinline__ void start(const unsigned char* stage, bool add) {
    const std::uint64_t a = operand_in_shared<128>(stage, 1024);
    begin_products();
    _Pragma("unroll")
    for (int i = 0; i < 4; ++i)
      multiply_add(sum[0], b[set][i], a + i * 32 / 16, add || i > 0);
    end_products();
  }

  std::uint32_t b[2][4][4];  // of the stage whose products run, and of the next
};

// ---- copies by the copy engine, each requested by one thread

// The blocks from `first` on, `count` of them, `apart` from each other.
__device__ __forceinline__ std::uint16_t blocks_of_cluster(int first, int count,
                                                           int apart) {
  std::uint16_t blocks = 0;
  _Pragma("unroll")
  for (int i = 0; i < count; ++i)
    blocks |= std::uint16_t(1 << (first + i * apart));
  return blocks;
}

// A stage: A's tile from row0 on and B's from col0 on, for this step along k.
// Blocks that share a tile each ask for a part of its rows, which arrives in
// all of them.
template <typename Tile>
__device__ __forceinline__ void copy_stage(unsigned char* stage, Barrier& full,
                                           const TensorMap& a,
                                           const TensorMap& b, int step,
                                           int row0, int col0) {
  constexpr int down = Tile::blocks_down, across = Tile::blocks_across;
  const int rank = Tile::cluster > 1 ? block_in_cluster() : 0,
            block_row = rank / across, block_col = rank % across;
  arrive_expecting(full, Tile::stage_bytes);
  if constexpr (across > 1) {
    const int row = block_col * (Tile::rows / across);
    load_box(stage + row * 128, a, full,
             blocks_of_cluster(block_row * across, across, 1),
             step * Tile::depth, row0 + row, 0);
  } else {
    load_box(stage, a, full, step * Tile::depth, row0);
  }
  unsigned char* panel = stage + Tile::a_bytes;
  _Pragma("unroll")
  for (int p = 0; p < Tile::panels; ++p, panel += Tile::panel_bytes) {
    const int col = col0 + p * Tile::panel_cols;
    if constexpr (down > 1) {
      const int row = block_row * (Tile::depth / down);
      load_box(panel + row * 128, b, full,
               blocks_of_cluster(block_col, down, across), col,
               step * Tile::depth + row, 0);
    } else {
      load_box(panel, b, full, col, step * Tile::depth);
    }
  }
}

// ---- persistent blocks, in clusters

// The last act of a copying thread: it waits until all stages are free. By then
// its copies have arrived in the other block, which no longer uses this one's
// barriers: each block may end without the other.
template <int stages>
__device__ __forceinline__ void wait_for_all_stages(Barrier* empty,
                                                    Ring<stages> ring) {
  for (int i = 0; i < stages; ++i, ring.advance())
    wait(empty[ring.stage], ring.parity ^ 1);
}

// The tiles of C of this block, one after the other. A cluster has neighbouring
// tiles; clusters are taken in groups of Tile::clusters_down.
template <typename Tile>
class TilesOfBlock {
 public:
  __device__ __forceinline__ TilesOfBlock(std::int64_t m, std::int64_t n)
      : down_(ceil_div(static_cast<int>(m), height)),
        across_(ceil_div(static_cast<int>(n), width)),
        cluster_(blockIdx.x / Tile::cluster) {
    find_place();
  }

  // Calls compute(row0, col0) for each tile.
  template <typename Compute>
  __device__ __forceinline__ void each(Compute compute) {
    while (true) {
      compute(row0_, col0_);
      cluster_ += gridDim.x / Tile::cluster;
      if (cluster_ >= down_ * across_) return;
      find_place();
    }
  }

 private:
  static constexpr int height = Tile::blocks_down * Tile::rows,
                       width = Tile::blocks_across * Tile::cols;

  __device__ __forceinline__ void find_place() {
    const int rank = Tile::cluster > 1 ? block_in_cluster() : 0;
    int row, col;
    place_of_tile<Tile::clusters_down>(cluster_, down_, across_, row, col);
    row0_ = row * height + rank / Tile::blocks_across * Tile::rows;
    col0_ = col * width + rank % Tile::blocks_across * Tile::cols;
  }

  int down_, across_, cluster_, row0_, col0_;
};

template <typename Tile>
std::int64_t clusters_of_tiles(std::int64_t m, std::int64_t n) {
  return ceil_div(m, Tile::blocks_down * Tile::rows) *
         ceil_div(n, Tile::blocks_across * Tile::cols);
}

// The clusters that run at once. One of eight blocks does not fit, because
// clusters do not cross the parts of the chip.
template <typename Tile>
std::int64_t clusters_at_once(const Gpu& gpu) {
  return gpu.multiprocessors() / Tile::cluster - (Tile::cluster == 8 ? 1 : 0);
}

// As many blocks as run at once, or tiles if those are fewer.
template <typename Tile>
std::int64_t blocks_that_stay(const Gpu& gpu, std::int64_t m, std::int64_t n) {
  return Tile::cluster *
         std::min(clusters_of_tiles<Tile>(m, n), clusters_at_once<Tile>(gpu));
}

// ---- on the host

// Float is rounded to TF32.
inline ShortList<UnitOfDtype> tensor_units() {
  return {{Dtype::f16, "tensor half"},
          {Dtype::bf16, "tensor bfloat16"},
          {Dtype::f32, "tensor tf32"}};
}

template <typename T>
constexpr MapElement map_element() {
  if constexpr (std::is_same_v<T, float16>) {
    return MapElement::f16;
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return MapElement::bf16;
  } else {
    return MapElement::tf32;
  }
}

// A's boxes are what a block asks for in a stage. B's boxes are panels.
template <typename Tile>
TensorMap map_of_a(const AlignedMatrix& a, std::int64_t m, std::int64_t k) {
  return tensor_map({map_element<typename Tile::Element>(),
                     a.data,
                     {k, m, 1},
                     {a.pitch, m * a.pitch},
                     {Tile::depth, Tile::rows / Tile::blocks_across, 1},
                     128});
}
template <typename Tile>
TensorMap map_of_b(const AlignedMatrix& b, std::int64_t k, std::int64_t n) {
  return tensor_map({map_element<typename Tile::Element>(),
                     b.data,
                     {n, k, 1},
                     {b.pitch, k * b.pitch},
                     {Tile::panel_cols, Tile::depth / Tile::blocks_down, 1},
                     128});
}

}  // namespace
