// Products of residues, and how they are put together.
//
// Warpgroup products of bytes as in `overlapped`: persistent blocks in
// clusters of two that share their reads of B, a warp that copies, two
// warpgroups that multiply. All tiles of C modulo one number come before those
// modulo the next. A sum, which an int holds exactly, is reduced to its
// remainder, one byte. Each thread stores its sums of a tile in its own order,
// in pieces of 16 bytes beside those of the other threads; another kernel puts
// the pieces together.
//
// (Warps beside those that multiply could put tiles together at once. On an
// H100, beside uninterrupted products, such a warp issues one instruction in
// 15 to 20 cycles, and three of them do not keep up.)
//
// A Product has pairs(), the number of pairs of tiles of C, the two of a pair
// below one another; place(pair, row, col), where a pair is, in tiles; and
// store(row, col, left, right) for two neighbouring sums, with an even col,
// which may lie outside.
#pragma once

#include <algorithm>

#include "gpu/warpgroup.hpp"
#include "place.cuh"
#include "residues.cuh"
#include "warpgroup.cuh"

using namespace parlab;

namespace {

struct ResidueTile {
  static constexpr int rows = 128, cols = 256, depth = 128;
  static constexpr int threads = 256, sums = rows * cols / threads;
  static constexpr int pieces = sums / 16;  // per thread
  static constexpr int bytes = rows * cols;
  // B: the half that each block of a cluster asks for
  static constexpr int a_bytes = rows * depth, b_bytes = cols / 2 * depth;
  static constexpr int stage_bytes = a_bytes + 2 * b_bytes;
  static constexpr int stages = 4;
  static constexpr int shared_bytes = stages * stage_bytes + 1024;

  // Row and column in the tile of a thread's sum i; sums 2 i and 2 i + 1 are
  // neighbours in a row.
  static constexpr __host__ __device__ int row(int thread, int i) {
    return thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
  }
  static constexpr __host__ __device__ int col(int thread, int i) {
    return i / 4 * 8 + thread % 4 * 2 + i % 2;
  }
};

// The residues of C: for each modulus all tiles, 2 * pair and 2 * pair + 1.
struct TileResidues {
  uint4* pieces;
  std::int64_t of_modulus;  // pieces

  __device__ __forceinline__ uint4* of(int which, int tile, int piece,
                                       int thread) const {
    return pieces + which * of_modulus +
           (std::int64_t{tile} * ResidueTile::pieces + piece) *
               ResidueTile::threads +
           thread;
  }
};

// The remainder of a sum, 0 to modulus - 1. It is exact: a multiple of the
// modulus makes the sum positive and less than 2^31, and 2^39 / modulus errs by
// less than 1.
__device__ __forceinline__ std::uint32_t remainder_of_sum(
    int sum, std::uint32_t modulus, std::uint32_t reciprocal,
    std::uint32_t multiple) {
  const std::uint32_t n = static_cast<std::uint32_t>(sum) + multiple;
  return n - static_cast<std::uint32_t>(std::uint64_t{n} * reciprocal >> 39) *
                 modulus;
}

__device__ __forceinline__ uint4 remainders_of_sums(const int* sum,
                                                    const ResidueSystem& system,
                                                    int which) {
  const auto modulus = static_cast<std::uint32_t>(system.modulus[which]),
             reciprocal = system.reciprocal[which],
             multiple = (1u << 30) / modulus * modulus;
  std::uint32_t word[4] = {};
  _Pragma("unroll")
  for (int i = 0; i < 16; ++i) {
    word[i / 4] |= remainder_of_sum(sum[i], modulus, reciprocal, multiple)
                   << i % 4 * 8;
  }
  return {word[0], word[1], word[2], word[3]};
}

// Persistent blocks in clusters of two. A unit of work is a pair of tiles
// modulo one number.
template <typename Product>
__global__ void PARLAB_CLUSTER(2) __launch_bounds__(384, 1)
    matmul_residue_products(const PARLAB_GRID_CONSTANT TensorMap a,
                            const PARLAB_GRID_CONSTANT TensorMap b,
                            const PARLAB_GRID_CONSTANT ResidueSystem system,
                            const std::uint32_t* uneven, TileResidues residues,
                            Product product, std::int64_t k) {
  using Tile = ResidueTile;
  let_next_launch_begin();
  wait_for_launch_before();
  if (*uneven != 0) return;

  unsigned char* const shared = aligned_shared_memory();
  __shared__ Barrier full[Tile::stages], empty[Tile::stages];
  const auto steps = static_cast<int>(ceil_div(k, Tile::depth));
  const int rank = block_in_cluster();

  // unit(which modulus, pair)
  const auto each_unit = [&](auto unit) {
    const int pairs = product.pairs();
    for (int i = blockIdx.x / 2; i < pairs * moduli_count; i += gridDim.x / 2)
      unit(i / pairs, i % pairs);
  };

  if (threadIdx.x == 0) {
    prefetch(a);
    prefetch(b);
    for (Barrier& barrier : full)
      init_barrier(barrier, 1);
    for (Barrier& barrier : empty)
      init_barrier(barrier, 2 * Tile::threads / 32);
    publish_barriers();
  }

  sync_cluster();

  Ring<Tile::stages> ring;
  if (threadIdx.x >= Tile::threads) {  // ---- the third warpgroup copies
    give_registers<40>();
    if (threadIdx.x == Tile::threads) {
      each_unit([&](int which, int pair) {
        int row, col;
        product.place(pair, row, col);
        for (int step = 0; step < steps; ++step, ring.advance()) {
          wait(empty[ring.stage], ring.parity ^ 1);
          unsigned char* const stage = shared + ring.stage * Tile::stage_bytes;
          arrive_expecting(full[ring.stage], Tile::stage_bytes);
          load_box(stage, a, full[ring.stage], step * Tile::depth,
                   (row + rank) * Tile::rows, which);
          load_box(stage + Tile::a_bytes + rank * Tile::b_bytes, b,
                   full[ring.stage], std::uint16_t{0b11}, step * Tile::depth,
                   col * Tile::cols + rank * Tile::cols / 2, which);
        }
      });
      wait_for_all_stages(empty, ring);
    }
  } else {  // ---- two multiply
    take_registers<232>();
    const int group = threadIdx.x / 128, lane = threadIdx.x % 32;
    each_unit([&](int which, int pair) {
      int sum[Tile::sums];
      int before = 0;
      _Pragma("unroll 1")
      for (int step = 0; step < steps; ++step) {
        wait(full[ring.stage], ring.parity);
        const unsigned char* const stage =
            shared + ring.stage * Tile::stage_bytes;
        const std::uint64_t a_part = operand_in_shared<Tile::depth>(
                                stage + group * 64 * Tile::depth,
                                8 * Tile::depth),
                            b_part = operand_in_shared<Tile::depth>(
                                stage + Tile::a_bytes, 8 * Tile::depth);
        begin_products();
        _Pragma("unroll")
        for (int i = 0; i < Tile::depth / 32; ++i) {  // in 16 bytes
          multiply_add<Factor::int8>(sum, a_part + i * 2, b_part + i * 2,
                                     step > 0 || i > 0);
        }
        end_products();
        wait_for_products<1>();
        if (step > 0 && lane < 2) arrive_in_cluster(empty[before], lane);
        before = ring.stage;
        ring.advance();
      }
      wait_for_products<0>();
      pin_registers(sum);
      if (lane < 2) arrive_in_cluster(empty[before], lane);
      _Pragma("unroll")
      for (int piece = 0; piece < Tile::pieces; ++piece) {
        *residues.of(which, 2 * pair + rank, piece, threadIdx.x) =
            remainders_of_sums(sum + 16 * piece, system, which);
      }
    });
  }
}

struct alignas(16) SixteenResidues {
  std::int8_t of[16];
};

// The same by threads alone, for emulation, from residues with rows of `pitch`
// bytes, of which those behind k are 0. Each thread makes one piece.
template <typename Product>
__global__ void __launch_bounds__(ResidueTile::threads)
    matmul_plain_residue_products(const SixteenResidues* a, std::int64_t a_rows,
                                  const SixteenResidues* b, std::int64_t b_rows,
                                  std::int64_t pitch, ResidueSystem system,
                                  const std::uint32_t* uneven,
                                  TileResidues residues, Product product) {
  using Tile = ResidueTile;
  let_next_launch_begin();
  wait_for_launch_before();
  if (*uneven != 0) return;

  const int tile = blockIdx.x, piece = blockIdx.y, which = blockIdx.z,
            thread = threadIdx.x;
  int tile_row, tile_col;
  product.place(tile / 2, tile_row, tile_col);
  int sum[16] = {};
  for (int i = 0; i < 16; ++i) {
    const int at = 16 * piece + i;
    const std::int64_t row = std::int64_t{tile_row + tile % 2} * Tile::rows +
                             Tile::row(thread, at),
                       col = std::int64_t{tile_col} * Tile::cols +
                             Tile::col(thread, at);
    if (row >= a_rows || col >= b_rows) continue;
    const auto *const x = a + (which * a_rows + row) * pitch / 16,
                      *const y = b + (which * b_rows + col) * pitch / 16;
    for (std::int64_t l = 0; l < pitch / 16; ++l) {
      const SixteenResidues u = x[l], v = y[l];
      for (int byte = 0; byte < 16; ++byte)
        sum[i] += u.of[byte] * v.of[byte];
    }
  }
  *residues.of(which, tile, piece, thread) =
      remainders_of_sums(sum, system, which);
}

// Each thread makes four sums, from a word of residues for each modulus.
template <typename Product>
__global__ void __launch_bounds__(ResidueTile::threads)
    matmul_from_residues(TileResidues residues, ResidueSystem system,
                         const std::uint32_t* uneven, Product product) {
  using Tile = ResidueTile;
  let_next_launch_begin();
  wait_for_launch_before();
  if (*uneven != 0) return;

  const int tile = blockIdx.x, piece = blockIdx.y / 4,
            in_piece =
                blockIdx.y % 4 * Tile::threads + static_cast<int>(threadIdx.x),
            thread = in_piece / 4, four = 4 * piece + in_piece % 4;
  std::uint32_t word[moduli_count];
  _Pragma("unroll")
  for (int i = 0; i < moduli_count; ++i) {
    word[i] = reinterpret_cast<const std::uint32_t*>(
        residues.of(i, tile, piece, 0))[in_piece];
  }
  int tile_row, tile_col;
  product.place(tile / 2, tile_row, tile_col);
  const std::int64_t row = std::int64_t{tile_row + tile % 2} * Tile::rows +
                           Tile::row(thread, 0),
                     col = std::int64_t{tile_col} * Tile::cols +
                           Tile::col(thread, 4 * four);
  _Pragma("unroll")
  for (int half = 0; half < 2; ++half) {
    product.store(row + 8 * half, col, from_residues(word, 16 * half, system),
                  from_residues(word, 16 * half + 8, system));
  }
}

// ---- on the host

// The device memory that the kernels need.
struct ResidueScratch {
  std::int64_t a_rows, b_rows, pitch;  // bytes
  Line *rows, *cols;
  std::uint32_t *uneven, *b, *a;  // a: a_rows rows of pitch per modulus

  // For A of m rows and B of n columns, of k elements each; m = 0: both are the
  // same lines.
  ResidueScratch(Gpu& gpu, std::int64_t m, std::int64_t n, std::int64_t k)
      : a_rows(m > 0 ? m : n),
        b_rows(n),
        pitch(ceil_div(k, 16) * 16),
        rows(m > 0 ? gpu.scratch<Line>(m) : nullptr),
        cols(gpu.scratch<Line>(n)),
        uneven(gpu.scratch<std::uint32_t>(1)),
        b(gpu.scratch<std::uint32_t>(moduli_count * n * pitch / 4)),
        a(m > 0 ? gpu.scratch<std::uint32_t>(moduli_count * m * pitch / 4)
                : b) {}
};

inline void split_rows(Gpu& gpu, const double* a, std::int64_t m,
                       std::int64_t k, const ResidueSystem& system,
                       const ResidueScratch& scratch) {
  gpu.launch({.grid = {m}, .block = {row_threads}}, matmul_residues_of_rows, a,
             m, k, scratch.pitch, system, scratch.rows, scratch.a,
             scratch.uneven);
}

inline void split_columns(Gpu& gpu, const double* b, std::int64_t k,
                          std::int64_t n, std::int64_t stride,
                          const ResidueSystem& system,
                          const ResidueScratch& scratch) {
  gpu.launch({.grid = {ceil_div(n, 32)}, .block = {256}}, matmul_sample_columns,
             b, k, n, stride, system, scratch.cols);
  gpu.launch({.grid = {ceil_div(n, 32), ceil_div(scratch.pitch, 128)},
              .block = {256},
              .overlaps = true},
             matmul_residues_of_columns, b, k, n, stride, scratch.pitch, system,
             scratch.cols, scratch.b);
  gpu.launch({.grid = {ceil_div(n, 256)}, .block = {256}, .overlaps = true},
             matmul_judge_lines, scratch.cols, n, k, system.norm,
             scratch.uneven);
}

template <typename Product>
void launch_residue_products(Gpu& gpu, const Product& product,
                             const ResidueSystem& system,
                             const ResidueScratch& scratch,
                             [[maybe_unused]] std::int64_t k) {
  const int tiles = 2 * product.pairs();
  const std::int64_t of_modulus =
      std::int64_t{tiles} * ResidueTile::pieces * ResidueTile::threads;
  const TileResidues residues{gpu.scratch<uint4>(moduli_count * of_modulus),
                              of_modulus};
#ifdef PARLAB_EMULATED
  gpu.launch(
      {.grid = {tiles, ResidueTile::pieces, moduli_count},
       .block = {ResidueTile::threads},
       .overlaps = true},
      matmul_plain_residue_products<Product>,
      reinterpret_cast<const SixteenResidues*>(scratch.a), scratch.a_rows,
      reinterpret_cast<const SixteenResidues*>(scratch.b), scratch.b_rows,
      scratch.pitch, system, scratch.uneven, residues, product);
#else
  const auto map = [&](const std::uint32_t* data, std::int64_t rows) {
    return tensor_map({MapElement::int8,
                       data,
                       {k, rows, moduli_count},
                       {scratch.pitch, rows * scratch.pitch},
                       {ResidueTile::depth, 128, 1},
                       ResidueTile::depth});
  };
  gpu.launch(
      {.grid = {std::min(tiles * moduli_count, gpu.multiprocessors() / 2 * 2)},
       .block = {ResidueTile::threads + 128},
       .shared_bytes = ResidueTile::shared_bytes,
       .overlaps = true},
      matmul_residue_products<Product>, map(scratch.a, scratch.a_rows),
      map(scratch.b, scratch.b_rows), system, scratch.uneven, residues, product,
      k);
#endif
  gpu.launch({.grid = {tiles, 4 * ResidueTile::pieces},
              .block = {ResidueTile::threads},
              .overlaps = true},
             matmul_from_residues<Product>, residues, system, scratch.uneven,
             product);
}

}  // namespace
