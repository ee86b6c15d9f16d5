// Shared by the variants on warpgroup products: the tile of C of a block, the
// copies and the products of one stage of shared memory, and the stores of
// sums.
//
// A block computes HEIGHT x EDGE of C (in TF32 EDGE x HEIGHT), HEIGHT 192, 128
// or 64, EDGE 256, 192, 128 or 64. Its first warpgroups multiply, one for every
// 64 of the height, in steps of 128 bytes along k: 64 columns of A, in TF32 32.
// A stage of shared memory holds both tiles as rows of 128 bytes: the rows of
// A; then B in panels of 64 or 32 columns, each with all rows of B's tile. Each
// 8 rows are permuted in pieces of 16 bytes, so that neither copies nor
// products have bank conflicts: piece p of row r lies at p ^ r % 8.
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

template <typename T, int EDGE = 256, int HEIGHT = 128>
struct WarpgroupTile {
  using Element = T;
  static constexpr bool narrow = sizeof(T) == 2;
  static constexpr int rows = narrow ? HEIGHT : EDGE;
  static constexpr int cols = narrow ? EDGE : HEIGHT;
  static constexpr int warps = HEIGHT / 16, threads = 32 * warps;  // multiply
  static constexpr int sums = rows * cols / threads;               // per thread
  // columns of A and rows of B in a stage
  static constexpr int depth = 128 / sizeof(T);
  // A row of a panel of B has 128 bytes, or 64 where that would leave half a
  // panel.
  static constexpr int row_of_b = cols * static_cast<int>(sizeof(T)),
                       panel_row = row_of_b % 128 == 0 ? 128 : 64;
  static_assert(row_of_b % 64 == 0);
  static constexpr int panel_cols = panel_row / sizeof(T),
                       panels = cols / panel_cols;
  static constexpr int a_bytes = rows * 128, panel_bytes = depth * panel_row;
  static constexpr int stage_bytes = a_bytes + panels * panel_bytes;
  // 4 of the largest tiles, 12 of the smallest; 35 KB remain beside them
  static constexpr int stages = 192 * 1024 / stage_bytes;

  // The number of steps is a multiple of this: see the sums in TF32.
  static constexpr int steps_at_once = narrow ? 1 : 2;

  // Pairs of tiles, one below the other, in a group of tiles that are taken
  // together: of about 2048 rows.
  static constexpr int pairs_down = 1024 / rows;
  // of permuted data; dynamic shared memory has less
  static constexpr int alignment = 1024;
  static constexpr int shared_bytes = stages * stage_bytes + alignment;
};

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

// Products of half and bfloat16: warpgroup 0 has the upper 64 rows of C's tile,
// 1 the next ones. Both operands come from shared memory; B is transposed on
// the way.
template <typename Tile, bool = Tile::narrow>
struct WarpgroupSums {
  static constexpr Factor factor =
      std::is_same_v<typename Tile::Element, float16> ? Factor::f16
                                                      : Factor::bf16;

  float sum[Tile::sums];

  // Sums the products of `steps` stages, one after the other along the ring.
  // arrived(ring) returns when the ring's stage can be read; done(stage) is
  // called when it has been read. The products of one stage are still under way
  // when those of the next are started.
  template <typename Arrived, typename Done>
  __device__ __forceinline__ void multiply(const unsigned char* stages,
                                           int steps, Ring<Tile::stages>& ring,
                                           Arrived arrived, Done done) {
    int before = 0;
    _Pragma("unroll 1")
    for (int step = 0; step < steps; ++step) {
      arrived(ring);
      start(stages + ring.stage * Tile::stage_bytes, step > 0);
      wait_for_products<1>();
      if (step > 0) done(before);
      before = ring.stage;
      ring.advance();
    }
    wait_for_products<0>();
    pin_registers(sum);
    done(before);
  }

  // Stores rows of C in whole sectors of 32 bytes.
  __device__ __forceinline__ void store(float* c, std::int64_t m,
                                        std::int64_t n, std::int64_t row0,
                                        std::int64_t col0) const {
    const int thread = threadIdx.x, lane = thread % 32;
    _Pragma("unroll")
    for (int part = 0; part < 2; ++part) {
      const std::int64_t row = row0 + thread / 32 * 16 + part * 8 + lane / 4;
      if (row >= m) continue;
      _Pragma("unroll")
      for (int j = 0; j < Tile::cols / 8; ++j) {
        store_pair(c + row * n, col0 + 8 * j + lane % 4 * 2, n,
                   sum[4 * j + 2 * part], sum[4 * j + 2 * part + 1]);
      }
    }
  }

  // The place of box q in a warp's part of C, and its contents, swizzled as
  // bulk copies do it.
  static constexpr int box_rows = 16, box_cols = 32, boxes = Tile::cols / 32;
  __device__ __forceinline__ void box(int q, int& row, int& col) const {
    row = threadIdx.x / 32 * 16;
    col = 32 * q;
  }

  template <int q>
  __device__ __forceinline__ void write_box(unsigned char* box) const {
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    _Pragma("unroll")
    for (int j = 0; j < 4; ++j) {
      const int piece = (2 * j + t / 2) ^ g;
      _Pragma("unroll")
      for (int part = 0; part < 2; ++part) {
        const float* const pair = sum + 4 * (4 * q + j) + 2 * part;
        *reinterpret_cast<float2*>(box + (g + 8 * part) * 128 + piece * 16 +
                                   t % 2 * 8) = float2{pair[0], pair[1]};
      }
    }
  }

 private:
  __device__ __forceinline__ void start(const unsigned char* stage, bool add) {
    const int group = threadIdx.x / 128;
    const std::uint64_t a =
        operand_in_shared<128>(stage + group * 64 * 128, 1024);
    const std::uint64_t b = operand_in_shared<Tile::panel_row>(
        stage + Tile::a_bytes, 8 * Tile::panel_row, Tile::panel_bytes);
    begin_products();
    _Pragma("unroll")
    for (int i = 0; i < Tile::depth / 16; ++i) {  // addresses count in 16 bytes
      multiply_add<factor, true>(sum, a + i * 32 / 16,
                                 b + i * 16 * Tile::panel_row / 16,
                                 add || i > 0);
    }
    end_products();
  }
};

// Products of float in TF32. Elements of four bytes cannot be transposed on
// their way from shared memory, and B would have to be. So C^T = B^T A^T is
// computed, with B^T as the operand that may come from registers, where any
// layout will do. Warpgroup 0 has the left 64 columns of C's tile, each warp 16
// of them, each lane two neighbours: row g of B^T is column 2 g, row g + 8
// column 2 g + 1.
template <typename Tile>
struct WarpgroupSums<Tile, false> {
  float sum[Tile::sums];

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
    pin_registers(sum);
    done(before);
  }

  // Stores rows of C in whole sectors of 32 bytes.
  __device__ __forceinline__ void store(float* c, std::int64_t m,
                                        std::int64_t n, std::int64_t row0,
                                        std::int64_t col0) const {
    const int thread = threadIdx.x, lane = thread % 32;
    const std::int64_t col = col0 + thread / 32 * 16 + lane / 4 * 2;
    _Pragma("unroll")
    for (int j = 0; j < Tile::rows / 8; ++j) {
      _Pragma("unroll")
      for (int e = 0; e < 2; ++e) {
        const std::int64_t row = row0 + 8 * j + lane % 4 * 2 + e;
        if (row < m)
          store_pair(c + row * n, col, n, sum[4 * j + e], sum[4 * j + 2 + e]);
      }
    }
  }

  static constexpr int box_rows = 32, box_cols = 16, boxes = Tile::rows / 32;
  __device__ __forceinline__ void box(int q, int& row, int& col) const {
    row = 32 * q;
    col = threadIdx.x / 32 * 16;
  }

  template <int q>
  __device__ __forceinline__ void write_box(unsigned char* box) const {
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    _Pragma("unroll")
    for (int j = 0; j < 4; ++j) {
      _Pragma("unroll")
      for (int e = 0; e < 2; ++e) {
        const int at = 4 * (4 * q + j) + e, piece = (g / 2) ^ t;
        *reinterpret_cast<float2*>(box + (8 * j + 2 * t + e) * 64 + piece * 16 +
                                   g % 2 * 8) = float2{sum[at], sum[at + 2]};
      }
    }
  }

 private:
  template <int set>
  __device__ __forceinline__ void read(const unsigned char* stage) {
    const int thread = threadIdx.x, lane = thread % 32, g = lane / 4,
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
      multiply_add(sum, b[set][i], a + i * 32 / 16, add || i > 0);
    end_products();
  }

  std::uint32_t b[2][4][4];  // of the stage whose products run, and of the next
};

// ---- copies by the copy engine, each requested by one thread

// A stage: A's tile from row0 on and B's from col0 on, for this step along k.
template <typename Tile>
__device__ __forceinline__ void copy_stage(unsigned char* stage, Barrier& full,
                                           const TensorMap& a,
                                           const TensorMap& b, int step,
                                           int row0, int col0) {
  arrive_expecting(full, Tile::stage_bytes);
  load_box(stage, a, full, step * Tile::depth, row0);
  _Pragma("unroll")
  for (int p = 0; p < Tile::panels; ++p) {
    load_box(stage + Tile::a_bytes + p * Tile::panel_bytes, b, full,
             col0 + p * Tile::panel_cols, step * Tile::depth);
  }
}

// The same in a cluster of two blocks whose tiles lie below one another: each
// asks for every other panel of B, which arrives in both.
template <typename Tile>
__device__ __forceinline__ void copy_shared_stage(unsigned char* stage,
                                                  Barrier& full,
                                                  const TensorMap& a,
                                                  const TensorMap& b, int step,
                                                  int row0, int col0) {
  arrive_expecting(full, Tile::stage_bytes);
  load_box(stage, a, full, step * Tile::depth, row0);
  _Pragma("unroll")
  for (int i = 0; i < Tile::panels; i += 2) {
    const int p = i + static_cast<int>(block_in_cluster());
    if (p == Tile::panels) break;
    load_box(stage + Tile::a_bytes + p * Tile::panel_bytes, b, full,
             std::uint16_t{0b11}, col0 + p * Tile::panel_cols,
             step * Tile::depth, 0);
  }
}

// ---- persistent blocks, in clusters of two

// The last act of a copying thread: it waits until all stages are free. By then
// its copies have arrived in the other block, which no longer uses this one's
// barriers: each block may end without the other.
template <int stages>
__device__ __forceinline__ void wait_for_all_stages(Barrier (&empty)[stages],
                                                    Ring<stages> ring) {
  for (int i = 0; i < stages; ++i, ring.advance())
    wait(empty[ring.stage], ring.parity ^ 1);
}

// Calls compute(row0, col0) for the tiles of C of this block, one after the
// other. The two blocks of a cluster have tiles below one another; pairs are
// taken in groups of Tile::pairs_down.
template <typename Tile, typename Compute>
__device__ __forceinline__ void each_tile(std::int64_t m, std::int64_t n,
                                          Compute compute) {
  // pairs of tiles
  const auto down = static_cast<int>(ceil_div(m, 2 * Tile::rows));
  const auto across = static_cast<int>(ceil_div(n, Tile::cols));
  const int rank = block_in_cluster();
  for (int pair = blockIdx.x / 2; pair < down * across; pair += gridDim.x / 2) {
    int row, col;
    place_of_tile<Tile::pairs_down>(pair, down, across, row, col);
    compute((2 * row + rank) * Tile::rows, col * Tile::cols);
  }
}

template <typename Tile>
std::int64_t pairs_of_tiles(std::int64_t m, std::int64_t n) {
  return ceil_div(m, 2 * Tile::rows) * ceil_div(n, Tile::cols);
}

// As many blocks as there are multiprocessors, or tiles if those are fewer.
template <typename Tile>
std::int64_t blocks_that_stay(const Gpu& gpu, std::int64_t m, std::int64_t n) {
  return 2 * std::min<std::int64_t>(pairs_of_tiles<Tile>(m, n),
                                    gpu.multiprocessors() / 2);
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

// A's boxes are a block's part of a stage. B's boxes are panels.
template <typename Tile>
TensorMap map_of_a(const AlignedMatrix& a, std::int64_t m, std::int64_t k) {
  return tensor_map({map_element<typename Tile::Element>(),
                     a.data,
                     {k, m, 1},
                     {a.pitch, m * a.pitch},
                     {Tile::depth, Tile::rows, 1},
                     128});
}
template <typename Tile>
TensorMap map_of_b(const AlignedMatrix& b, std::int64_t k, std::int64_t n) {
  return tensor_map({map_element<typename Tile::Element>(),
                     b.data,
                     {n, k, 1},
                     {b.pitch, k * b.pitch},
                     {Tile::panel_cols, Tile::depth, 1},
                     Tile::panel_row});
}

}  // namespace
