// The tiles and products of `tensor`; `tensor_bulk` uses them if its own tiles
// are too large.
#pragma once

#include <algorithm>
#include <limits>

#include "balanced.cuh"
#include "gpu/tensor_cores.hpp"

using namespace parlab;

namespace {

// size: rows and columns of the tile. warp_rows, warp_cols: those of a warp's
// part. deep: observations in a stage of shared memory, divided among the
// slices; a slice is a group of warps that has the whole tile. product:
// observations multiplied at a time. least_steps: the fewest steps that a block
// takes of a shared tile; sharing costs about as much. share: relative time for
// the same work. begin: a multiprocessor's time before and after its tiles, in
// observations.
struct LargeTile {
  static constexpr int size = 128, warp_rows = 64, warp_cols = 32;
  static constexpr int deep = 32, product = 8, slices = 1, stages = 3,
                       blocks_per_sm = 1, least_steps = 4;
  static constexpr double share = 1, begin = 0;
};
struct MiddleTile {
  static constexpr int size = 64, warp_rows = 32, warp_cols = 32;
  static constexpr int deep = 32, product = 8, slices = 2, stages = 4,
                       blocks_per_sm = 1, least_steps = 4;
  static constexpr double share = 1.5, begin = 160;
};
struct TinyTile {
  static constexpr int size = 32, warp_rows = 32, warp_cols = 32;
  static constexpr int deep = 64, product = 8, slices = 4, stages = 3,
                       blocks_per_sm = 2, least_steps = 8;
  static constexpr double share = 1.55, begin = 400;
};

// Constants that follow from a tile, and those that balanced.cuh and
// CovarianceCopies need: see CovarianceTile.
template <typename Tile>
struct TensorTile : Tile {
  static constexpr int size = Tile::size, deep = Tile::deep;
  static constexpr int warps_down = size / Tile::warp_rows;
  // of one slice
  static constexpr int warps = warps_down * (size / Tile::warp_cols),
                       slice_threads = 32 * warps,
                       slice_deep = deep / Tile::slices;
  static constexpr int threads = slice_threads * Tile::slices;
  // products per stage; 16 x 8 blocks of a warp's part, down and across
  static constexpr int products = slice_deep / Tile::product,
                       down = Tile::warp_rows / 16,
                       across = Tile::warp_cols / 8;
  static_assert(products % 2 == 0 && products * Tile::product == slice_deep);

  // The sums of a thread: for the warp's part, and for the columns that are
  // left to it when the slices have added up their sums.
  static constexpr int rows = 2 * down, all_cols = 2 * across,
                       cols = all_cols / Tile::slices;
  static_assert(threads * rows * cols == size * size && cols % 2 == 0);
  static constexpr int vector = 2;

  static constexpr int pair = 2 * size, stage = deep * pair;
  static constexpr int shared_bytes = Tile::stages * stage * sizeof(double);
  static_assert(shared_bytes >=
                Tile::slices * size * size * int{sizeof(double)});

  // Permuted so that four neighbours in each of four rows, which lanes read at
  // the same time, lie in different banks.
  static constexpr int in_stage(int row, int col) {
    return row * pair + (col ^ row % 4 * 4);
  }

  static constexpr std::int64_t count(std::int64_t n) {
    return Covariance::packed_count(ceil_div(n, size));
  }

  // Tiles come in bands of 8 rows, each column by column: blocks that run at
  // the same time form a compact part of the result and find each other's
  // operands in L2.
  static constexpr Covariance::Place place(std::int64_t tile, std::int64_t n) {
    const std::int64_t tiles = ceil_div(n, size);
    std::int64_t first = 0, rows = 0;
    while (true) {
      rows = tiles - first < 8 ? tiles - first : 8;
      const std::int64_t of_band =
          rows * (tiles - first) - rows * (rows - 1) / 2;
      if (tile < of_band || first + rows >= tiles) break;
      tile -= of_band;
      first += rows;
    }
    // The first columns of a band reach the diagonal before its last row.
    std::int64_t col = first, height = 1;
    while (height < rows && tile >= height) {
      tile -= height++;
      ++col;
    }
    return {first + tile % height, col + tile / height};
  }

  // In each 16 x 8 of a warp's part a thread has columns 2 t and 2 t + 1 and
  // rows 2 g and 2 g + 1, where the instruction has rows g and g + 8. The left
  // operand is thus read, and results are written, 16 bytes at a time.
  __device__ static int slice(int thread) { return thread / slice_threads; }
  __device__ static int warp_row(int thread) {
    return thread / 32 % warps_down * Tile::warp_rows;
  }
  __device__ static int warp_col(int thread) {
    return thread % slice_threads / 32 / warps_down * Tile::warp_cols;
  }
  __device__ static int first_row(int thread) {
    return warp_row(thread) + thread % 32 / 4 * 2;
  }
  __device__ static int first_col(int thread) {
    return warp_col(thread) + slice(thread) * cols * 4 + thread % 4 * 2;
  }
  __device__ static constexpr int further_row(int r) {
    return r / 2 * 16 + r % 2;
  }
  __device__ static constexpr int further_col(int s) {
    return s / 2 * 8 + s % 2;
  }
};

// A lane's elements for the products of one group of 16 rows, twice: while
// one group is multiplied, the left elements of the next are read, and the
// right ones too if the next group belongs to other observations. A lane has
// observations t, t + 4 and so on of each product. Two neighbours in a row
// lie in neighbouring registers, as the instruction wants its left operand.
// Its right operand has two observations there, so it is read 8 bytes at a
// time.
template <typename S>
struct TensorOperands {
  using Vector = CovarianceVector<double>;
  static constexpr int fours = S::product / 4;
  Vector left[2][fours];
  double right[2][S::across][fours];
  // in a stage: for the left one, and for even and odd eights of the right one
  int left_at, right_at[2];

  __device__ __forceinline__ TensorOperands() {
    const int thread = threadIdx.x, g = thread % 32 / 4,
              row = S::slice(thread) * S::slice_deep + thread % 4;
    left_at = S::in_stage(row, S::warp_row(thread) + 2 * g);
    for (int i = 0; i < 2; ++i)
      right_at[i] = S::in_stage(row, S::size + S::warp_col(thread) + i * 8 + g);
  }

  // i: which of the slice's products of a stage. r: which group of rows.
  __device__ __forceinline__ void read_left(int set, const double* stage, int i,
                                            int r) {
    _Pragma("unroll")
    for (int f = 0; f < fours; ++f) {
      left[set][f] = *reinterpret_cast<const Vector*>(
          stage + left_at + (i * S::product + f * 4) * S::pair + r * 16);
    }
  }

  __device__ __forceinline__ void read_right(int set, const double* stage,
                                             int i) {
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      _Pragma("unroll")
      for (int f = 0; f < fours; ++f) {
        right[set][s][f] =
            stage[right_at[s % 2] + (i * S::product + f * 4) * S::pair +
                  s / 2 * 16];
      }
    }
  }

  // sum: for two rows of the group.
  __device__ __forceinline__ void multiply_add(
      int set_left, int set_right, double (&sum)[2][S::all_cols]) const {
    double factor[2 * fours];
    _Pragma("unroll")
    for (int i = 0; i < 2 * fours; ++i)
      factor[i] = left[set_left][i / 2].element[i % 2];
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      double part[4] = {sum[0][2 * s], sum[0][2 * s + 1], sum[1][2 * s],
                        sum[1][2 * s + 1]};
      tensor_multiply_add<S::product>(part, factor, right[set_right][s]);
      sum[0][2 * s] = part[0], sum[0][2 * s + 1] = part[1];
      sum[1][2 * s] = part[2], sum[1][2 * s + 1] = part[3];
    }
  }
};

// Each slice passes its sums on in shared memory and adds those of all slices,
// in order, for its own part of the columns.
template <typename S>
__device__ __forceinline__ void add_slices(
    const double (&own)[S::down][2][S::all_cols], double* shared,
    double (&sum)[S::rows][S::cols]) {
  using Vector = CovarianceVector<double>;
  const int thread = threadIdx.x, slice = S::slice(thread);
  const auto place = [&](int of, int row, int col) {
    return reinterpret_cast<Vector*>(shared) +
           ((of * S::rows + row) * S::across + col / 2) * S::slice_threads +
           thread % S::slice_threads;
  };
  __syncthreads();  // all have read the stages
  _Pragma("unroll")
  for (int r = 0; r < S::rows; ++r) {
    _Pragma("unroll")
    for (int s = 0; s < S::all_cols; s += 2)
      *place(slice, r, s) = {own[r / 2][r % 2][s], own[r / 2][r % 2][s + 1]};
  }

  __syncthreads();
  _Pragma("unroll")
  for (int of = 0; of < S::slices; ++of) {
    _Pragma("unroll")
    for (int r = 0; r < S::rows; ++r) {
      _Pragma("unroll")
      for (int s = 0; s < S::cols; s += 2) {
        const Vector part = *place(of, r, slice * S::cols + s);
        sum[r][s] += part.element[0];
        sum[r][s + 1] += part.element[1];
      }
    }
  }
}

// As in tile.cuh, copies of all stages but one are under way. A stage is
// multiplied `product` observations at a time, in groups of rows of the tile.
// While one group is multiplied, the operands of the next are read. At the end
// of a stage these are in the next stage, which has arrived by then.
template <typename Tile, typename S = TensorTile<Tile>>
__device__ void multiply_tile(TensorTile<Tile>, const double* rows, int i0,
                              int j0, std::int64_t stride, int steps,
                              double* shared, double (&sum)[S::rows][S::cols]) {
  double* const end = shared + S::stages * S::stage;
  CovarianceCopies<double, S> copies(rows, i0, j0, stride, shared);
  constexpr int copies_of_stage = S::deep / copies.at_once;
  static_assert(copies.at_once % 4 == 0, "rows permuted alike");
  static_assert(copies_of_stage % S::products == 0);
  TensorOperands<S> operands;
  double own[S::down][2][S::all_cols] = {};

  _Pragma("unroll")
  for (int step = 0; step < S::stages - 1; ++step) {
    _Pragma("unroll")
    for (int copy = 0; copy < copies_of_stage; ++copy) {
      if (step < steps) copies.next_rows();
    }
    __pipeline_commit();
  }

  __pipeline_wait_prior(S::stages - 2);
  __syncthreads();
  const double* from = shared;
  operands.read_left(0, from, 0, 0);
  operands.read_right(0, from, 0);
  _Pragma("unroll 1")
  for (int step = 0; step < steps; ++step) {
    const bool more = step + S::stages - 1 < steps;
    _Pragma("unroll")
    for (int i = 0; i < S::products; ++i) {
      if (more) {
        _Pragma("unroll")
        for (int copy = 0; copy < copies_of_stage / S::products; ++copy)
          copies.next_rows();
      }
      _Pragma("unroll")
      for (int r = 0; r < S::down; ++r) {
        const int now = (i * S::down + r) % 2;
        if (r < S::down - 1) {
          operands.read_left(1 - now, from, i, r + 1);
        } else {
          if (i == S::products - 1) {
            // The next stage has arrived for all threads, and all have read
            // this one, which is filled next.
            __pipeline_commit();
            __pipeline_wait_prior(S::stages - 2);
            __syncthreads();
            from = from + S::stage == end ? shared : from + S::stage;
          }
          if (i < S::products - 1 || step + 1 < steps) {
            operands.read_left(1 - now, from, (i + 1) % S::products, 0);
            operands.read_right((i + 1) % 2, from, (i + 1) % S::products);
          }
        }
        operands.multiply_add(now, i % 2, own[r]);
      }
    }
    if (copies.to >= end) copies.to -= S::stages * S::stage;
  }

  if constexpr (S::slices > 1) {
    add_slices<S>(own, shared, sum);
  } else {
    _Pragma("unroll")
    for (int r = 0; r < S::rows; ++r) {
      _Pragma("unroll")
      for (int s = 0; s < S::cols; ++s)
        sum[r][s] += own[r / 2][r % 2][s];
    }
  }
}

// The estimated time, in units of one multiply-add of a multiprocessor with the
// large tile. Either the busiest multiprocessor takes longest, or the reads of
// all from L2. products_of_read: how many multiply-adds take as long as reading
// one element from L2 while all multiprocessors read.
template <typename S>
double estimate(Gpu& gpu, const Covariance::Args<double>& p,
                double products_of_read) {
  const std::int64_t sms = gpu.multiprocessors(),
                     steps_of_tile = ceil_div(p.m, S::deep);
  const auto shares = balanced_shares<S>(p, sms * S::blocks_per_sm);
  auto most = ceil_div(shares.first_tile, sms) * steps_of_tile;
  double around = S::begin;
  if (shares.steps > 0) {
    most +=
        ceil_div(shares.blocks, sms) * ceil_div(shares.steps, shares.blocks);
    around += S::least_steps * S::deep;
  }
  constexpr double elements = S::size * S::size;
  const double reads = static_cast<double>(S::count(p.n) * p.m) * 2 * S::size /
                       static_cast<double>(sms);
  return std::max(static_cast<double>(most * S::deep) * elements * S::share,
                  reads * products_of_read) +
         around * elements;
}

// The tiles with the least estimated time among those that fit shared memory.
struct TensorPlan {
  double time = std::numeric_limits<double>::infinity();
  // If not even the smallest tile fits, launch() reports it.
  void (*launch)(Gpu&, const Covariance::Args<double>&) =
      launch_balanced<TensorTile<TinyTile>, double>;
};
inline TensorPlan plan_tensor(Gpu& gpu, const Covariance::Args<double>& p) {
  TensorPlan plan;
  const auto enter = [&]<typename S>(S) {
    constexpr std::size_t needed = S::shared_bytes + sizeof(BalancedPiece);
    if (needed > gpu.max_shared_bytes()) return;
    const double time = estimate<S>(gpu, p, 50);
    if (time < plan.time) plan = {time, launch_balanced<S, double>};
  };
  enter(TensorTile<LargeTile>());
  enter(TensorTile<MiddleTile>());
  enter(TensorTile<TinyTile>());
  return plan;
}

}  // namespace
