// The product with the work divided into equal parts. With one tile per block
// the blocks run in waves, and the last wave leaves part of the device idle: on
// an H200 `register` has 2.1 waves at 3000, and a quarter of one at 1000. Here
// there are exactly as many blocks as run at once. Each first computes equally
// many whole tiles. The steps of the remaining tiles, one tile after another,
// are cut into equal pieces, one per block: a block finishes the tile that the
// previous one began and begins one that the next finishes. A second kernel
// adds the parts, from scratch memory, in the order of the blocks: the result
// does not depend on timing. (Osama et al., Stream-K, 2023.)
//
// S is the tile, with the members that tile.cuh lists and multiply_tile(S,
// ...).
#pragma once

#include <algorithm>

#include "tile.cuh"

using namespace parlab;

namespace {

// The steps of the tiles from first_tile on are numbered; block b has those
// from first_step(b) on. The inverse tells which block has a step.
struct BalancedShares {
  std::int64_t first_tile, steps, blocks;
  __host__ __device__ std::int64_t first_step(std::int64_t block) const {
    return block < blocks ? block * steps / blocks : steps;
  }

  __host__ __device__ std::int64_t block_of(std::int64_t step) const {
    return ((step + 1) * blocks - 1) / steps;
  }
};

// A unit of a block's work: some steps of a tile, all or a part of them.
struct BalancedPiece {
  int i0, j0, begin, steps;  // no steps: the block is done
  bool ends_with;            // the block had other shared steps before
  // what comes next: a whole tile, or a step of shared ones
  std::int64_t whole, at;
};

// Part of a tile: two slots per block, for the tile that it begins with and the
// one that it ends with. Element e of all threads lies side by side.
template <typename T, typename S>
__device__ std::int64_t balanced_part(std::int64_t block, bool ends_with, int e,
                                      int thread) {
  return ((block * 2 + ends_with) * S::rows * S::cols + e) * S::threads +
         thread;
}

// The sums of a whole tile, whose first row and column are i0 and j0.
template <typename T, typename S>
__device__ __forceinline__ void store_tile(T* cov, int i0, int j0,
                                           std::int64_t n, T divisor,
                                           const T (&sum)[S::rows][S::cols]) {
  const int row = i0 + S::first_row(threadIdx.x),
            col = j0 + S::first_col(threadIdx.x);
  _Pragma("unroll")
  for (int r = 0; r < S::rows; r += S::vector) {
    _Pragma("unroll")
    for (int s = 0; s < S::cols; s += S::vector) {
      store_square<T, S::vector>(
          cov, row + S::further_row(r), col + S::further_col(s), n,
          [&](int y, int x) { return sum[r + y][s + x] / divisor; });
    }
  }
}

template <typename T, typename S>
__device__ __forceinline__ void store_part(T* parts, bool ends_with,
                                           const T (&sum)[S::rows][S::cols]) {
  T* const part =
      parts + balanced_part<T, S>(blockIdx.x, ends_with, 0, threadIdx.x);
  _Pragma("unroll")
  for (int r = 0; r < S::rows; ++r) {
    _Pragma("unroll")
    for (int s = 0; s < S::cols; ++s)
      part[(r * S::cols + s) * S::threads] = sum[r][s];
  }
}

// centred: steps_of_tile * deep x stride, stride a multiple of the tile's size.
template <typename T, typename S>
__global__ void __launch_bounds__(S::threads, S::blocks_per_sm)
    covariance_balanced(const T* centred, T* cov, T* parts,
                        BalancedShares shares, int steps_of_tile,
                        std::int64_t n, std::int64_t stride, T divisor) {
  // In shared memory, because the product needs all registers.
  __shared__ BalancedPiece piece;
  const auto next_piece = [&] {
    const std::int64_t last = shares.first_step(blockIdx.x + 1);
    std::int64_t tile = piece.whole;
    piece.begin = 0;
    piece.steps = steps_of_tile;
    if (tile < shares.first_tile) {
      piece.whole += gridDim.x;
    } else {
      tile = shares.first_tile + piece.at / steps_of_tile;
      piece.begin = static_cast<int>(piece.at % steps_of_tile);
      piece.steps = static_cast<int>(
          min(std::int64_t{steps_of_tile} - piece.begin, last - piece.at));
      piece.ends_with = piece.at != shares.first_step(blockIdx.x);
      piece.at += piece.steps;
    }
    if (piece.steps == 0) return;
    const auto place = S::place(tile, n);
    piece.i0 = static_cast<int>(place.row * S::size);
    piece.j0 = static_cast<int>(place.col * S::size);
  };

  let_next_launch_begin();
  if (threadIdx.x == 0) {
    piece.whole = blockIdx.x;
    piece.at = shares.first_step(blockIdx.x);
    next_piece();
  }
  wait_for_launch_before();
  __syncthreads();
  while (piece.steps > 0) {
    T sum[S::rows][S::cols] = {};
    multiply_tile(S{}, centred + std::int64_t{piece.begin} * S::deep * stride,
                  piece.i0, piece.j0, stride, piece.steps, shared_memory<T>(),
                  sum);

    if (piece.steps == steps_of_tile) {
      store_tile<T, S>(cov, piece.i0, piece.j0, n, divisor, sum);
    } else {
      store_part<T, S>(parts, piece.ends_with, sum);
    }
    // all have read the stages and the piece before the next ones come
    __syncthreads();
    if (threadIdx.x == 0) next_piece();
    __syncthreads();
  }
}

// A block adds up the parts of a square of vector x vector elements of each
// thread, those from (blockIdx.y, blockIdx.z) * vector on, of shared tile
// blockIdx.x.
template <typename T, typename S>
__global__ void __launch_bounds__(S::threads)
    covariance_balanced_add(T* cov, const T* parts, BalancedShares shares,
                            int steps_of_tile, std::int64_t n, T divisor) {
  const std::int64_t begin = std::int64_t{blockIdx.x} * steps_of_tile;
  const std::int64_t first = shares.block_of(begin);
  const std::int64_t last = shares.block_of(begin + steps_of_tile - 1);
  // whether the first block had other steps before these
  const bool first_ends = shares.first_step(first) < begin;
  const auto place = S::place(shares.first_tile + blockIdx.x, n);
  wait_for_launch_before();
  if (first == last) return;  // computed by one block, which stored it

  const int thread = threadIdx.x, r = blockIdx.y * S::vector,
            s = blockIdx.z * S::vector;
  T sum[S::vector][S::vector] = {};
  const auto add = [&](std::int64_t block, bool ends_with) {
    _Pragma("unroll")
    for (int y = 0; y < S::vector; ++y) {
      _Pragma("unroll")
      for (int x = 0; x < S::vector; ++x) {
        const int e = (r + y) * S::cols + s + x;
        sum[y][x] += parts[balanced_part<T, S>(block, ends_with, e, thread)];
      }
    }
  };
  // The first block ends with this tile, unless it began with it. The others
  // begin with it.
  add(first, first_ends);
  _Pragma("unroll 4")  // unrolled so that several reads are under way
  for (std::int64_t block = first + 1; block <= last; ++block)
    add(block, false);

  store_square<T, S::vector>(
      cov, place.row * S::size + S::first_row(thread) + S::further_row(r),
      place.col * S::size + S::first_col(thread) + S::further_col(s), n,
      [&](int y, int x) { return sum[y][x] / divisor; });
}

// Divides the tiles S among that many blocks that run at once. The tiles left
// over when all blocks have equally many whole ones are not shared if sharing
// saves less than it costs, which is the time of some steps.
template <typename S, typename T>
BalancedShares balanced_shares(const Covariance::Args<T>& p,
                               std::int64_t at_once) {
  const auto tiles = S::count(p.n), steps_of_tile = ceil_div(p.m, S::deep);
  const auto left = tiles % at_once, steps = left * steps_of_tile;
  const auto blocks =
      std::clamp<std::int64_t>(steps / S::least_steps, 1, at_once);
  if (steps_of_tile - ceil_div(steps, blocks) < S::least_steps) {
    return {tiles, 0, 1};
  }
  return {tiles - left, steps, blocks};
}

// Adds up the tiles that blocks have shared.
template <typename S, typename T>
void add_shared(Gpu& gpu, const Covariance::Args<T>& p,
                const BalancedShares& shares, const T* parts) {
  const auto tiles = S::count(p.n) - shares.first_tile;
  if (tiles == 0) return;
  gpu.launch({.grid = {tiles, S::rows / S::vector, S::cols / S::vector},
              .block = {S::threads},
              .overlaps = true},
             covariance_balanced_add<T, S>, p.cov, parts, shares,
             static_cast<int>(ceil_div(p.m, S::deep)), p.n, p.divisor);
}

// The covariance from tiles S, with as many blocks as run at once.
template <typename S, typename T>
void launch_balanced(Gpu& gpu, const Covariance::Args<T>& p) {
  const auto stride = ceil_div(p.n, S::size) * S::size;
  const auto steps_of_tile = ceil_div(p.m, S::deep);
  const T* const centred =
      centred_copy(gpu, p, steps_of_tile * S::deep, stride);
  const std::int64_t at_once = std::int64_t{gpu.multiprocessors()} *
                               gpu.resident_blocks(covariance_balanced<T, S>,
                                                   S::threads, S::shared_bytes);
  const auto shares = balanced_shares<S>(p, at_once);
  T* const parts = gpu.scratch<T>(shares.blocks * 2 * S::size * S::size);
  gpu.launch(
      {.grid = {std::max(std::min(shares.first_tile, at_once), shares.blocks)},
       .block = {S::threads},
       .shared_bytes = S::shared_bytes,
       .overlaps = true},
      covariance_balanced<T, S>, centred, p.cov, parts, shares,
      static_cast<int>(steps_of_tile), p.n, stride, p.divisor);
  add_shared<S, T>(gpu, p, shares, parts);
}

}  // namespace
