// `tensor` with stages that bulk tensor copies fill. In `tensor`, warps that
// multiply also copy and wait for each other at every stage. Here one thread of
// a third warpgroup asks for both pieces of a stage, a box each; eight warps
// multiply; barriers in shared memory tell which stage has arrived and which is
// free. The next tile's stages thus arrive while the last one is stored. Blocks
// share tiles as in `balanced`, but begin with the shared ones. Tiles have 64 x
// 64 to 128 x 128; smaller problems are left to `tensor`.
#include <algorithm>

#include "gpu/warpgroup.hpp"
#include "tensor.cuh"

using namespace parlab;

namespace {

// As in tensor.cuh; share and begin as measured on an H200. early: the barrier
// of the next stage is tested one group of products before the stage is needed,
// so that the answer is there by then.
struct LargeBulk {
  static constexpr int size = 128, warp_rows = 64, warp_cols = 32;
  static constexpr int deep = 16, product = 8, slices = 1, stages = 6,
                       blocks_per_sm = 1, least_steps = 4;
  static constexpr bool early = true;
  static constexpr double share = 0.9, begin = 100;
};
struct MiddleBulk {
  static constexpr int size = 96, warp_rows = 48, warp_cols = 24;
  static constexpr int deep = 16, product = 8, slices = 1, stages = 8,
                       blocks_per_sm = 1, least_steps = 4;
  static constexpr bool early = false;
  static constexpr double share = 0.9, begin = 160;
};
struct SmallBulk {
  static constexpr int size = 64, warp_rows = 32, warp_cols = 16;
  static constexpr int deep = 16, product = 8, slices = 1, stages = 8,
                       blocks_per_sm = 1, least_steps = 8;
  static constexpr bool early = false;
  static constexpr double share = 1.08, begin = 200;
};

constexpr int bulk_threads = 384, bulk_copier = 256;  // the thread that copies

// The tile in panels of 16 columns, 128 bytes a row: first those of the left
// piece, then those of the right one. The copies permute pieces of 16 bytes in
// each eight rows: piece p of row r lies at p ^ r % 8.
template <typename Tile>
struct BulkTile : TensorTile<Tile> {
  static_assert(TensorTile<Tile>::threads == bulk_copier);
  static constexpr int row_bytes = 128, panel_bytes = Tile::deep * row_bytes,
                       panels = Tile::size / 16,
                       piece_bytes = panels * panel_bytes,
                       stage_bytes = 2 * piece_bytes;
  static constexpr int aligned_bytes = Tile::stages * stage_bytes + 1024;
};

// A unit of a block's work: some steps of a tile, all or a part of them.
struct BulkPiece {
  int tile, begin, steps;
  bool ends_with;  // as in balanced.cuh
};

// The most pieces that a block can have: two of shared tiles, which come first
// so that their parts are stored when the others end, and the whole tiles.
__device__ __forceinline__ int pieces(const BalancedShares& shares) {
  const int grid = gridDim.x, block = blockIdx.x,
            left = static_cast<int>(shares.first_tile) - block;
  return 2 + max(0, (left + grid - 1) / grid);
}

// Piece i of this block; no steps means that there is none. It is computed
// again at each use, because the sums need the registers.
__device__ __forceinline__ BulkPiece piece_of(const BalancedShares& shares,
                                              int of_tile, int i) {
  const int block = blockIdx.x, grid = gridDim.x,
            first_tile = static_cast<int>(shares.first_tile);
  if (i >= 2) return {block + (i - 2) * grid, 0, of_tile, false};
  if (shares.steps == 0) return {0, 0, 0, false};

  const int begin = static_cast<int>(shares.first_step(block)),
            end = static_cast<int>(shares.first_step(block + 1));
  const int middle = min(end, (begin / of_tile + 1) * of_tile);
  const int from = i == 0 ? begin : middle, to = i == 0 ? middle : end;
  return {first_tile + from / of_tile, from % of_tile, to - from, i == 1};
}

// As in tensor.cuh; a lane has 2 t and 2 t + 1 of each eight observations.
template <typename S>
struct BulkOperands {
  using Pair = CovarianceVector<double>;
  Pair left[2][2];
  double right[2][S::across][2];
  // byte offsets in a stage: per two observations, and for even and odd eights
  int left_at[2], right_at[2][2];

  __device__ __forceinline__ BulkOperands() {
    const int thread = threadIdx.x, g = thread % 32 / 4, t = thread % 4;
    const int panel = S::warp_row(thread) / 16, eight = S::warp_col(thread) / 8;
    for (int j = 0; j < 2; ++j) {
      const int row = 2 * t + j;
      left_at[j] = panel * S::panel_bytes + row * S::row_bytes + (g ^ row) * 16;
      for (int i = 0; i < 2; ++i) {
        const int piece = (eight + i) % 2 * 4 + g / 2;
        right_at[i][j] = S::piece_bytes + (eight + i) / 2 * S::panel_bytes +
                         row * S::row_bytes + (piece ^ row) * 16 + g % 2 * 8;
      }
    }
  }

  // i: which eight observations. r: which group of rows.
  __device__ __forceinline__ void read_left(int set, const unsigned char* stage,
                                            int i, int r) {
    _Pragma("unroll")
    for (int j = 0; j < 2; ++j) {
      left[set][j] = *reinterpret_cast<const Pair*>(
          stage + left_at[j] + r * S::panel_bytes + i * 8 * S::row_bytes);
    }
  }

  __device__ __forceinline__ void read_right(int set,
                                             const unsigned char* stage,
                                             int i) {
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      _Pragma("unroll")
      for (int j = 0; j < 2; ++j) {
        right[set][s][j] = *reinterpret_cast<const double*>(
            stage + right_at[s % 2][j] + s / 2 * S::panel_bytes +
            i * 8 * S::row_bytes);
      }
    }
  }

  __device__ __forceinline__ void multiply_add(int set_left, int set_right,
                                               double (&one)[S::cols],
                                               double (&two)[S::cols]) const {
    const Pair(&pair)[2] = left[set_left];
    const double factor[4] = {pair[0].element[0], pair[0].element[1],
                              pair[1].element[0], pair[1].element[1]};
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      const int col = 2 * s;
      double part[4] = {one[col], one[col + 1], two[col], two[col + 1]};
      tensor_multiply_add<8>(part, factor, right[set_right][s]);
      one[col] = part[0], one[col + 1] = part[1];
      two[col] = part[2], two[col + 1] = part[3];
    }
  }
};

template <typename S>
__device__ __forceinline__ void store_piece(
    double* cov, double* parts, const BalancedShares& shares, int steps_of_tile,
    int i, std::int64_t n, double divisor,
    const double (&sum)[S::rows][S::cols]) {
  const BulkPiece piece = piece_of(shares, steps_of_tile, i);
  if (piece.steps == steps_of_tile) {
    const auto place = S::place(piece.tile, n);
    store_tile<double, S>(cov, static_cast<int>(place.row) * S::size,
                          static_cast<int>(place.col) * S::size, n, divisor,
                          sum);
  } else {
    store_part<double, S>(parts, piece.ends_with, sum);
  }
}

// One stage, in groups of rows: while a group is multiplied, the operands of
// the next are read; at the end, those of the next stage if there is more.
// from: the stage, and on return the next one.
template <typename S>
__device__ __forceinline__ void multiply_stage(
    BulkOperands<S>& operands, double (&sum)[S::rows][S::cols],
    Ring<S::stages>& ring, const unsigned char*& from, bool more,
    const unsigned char* stages, Barrier* full) {
  // The group of rows before which the ring moves on to the next stage.
  constexpr int moves_on = S::down - (S::early ? 2 : 1);
  std::uint32_t arrived = 0;
  _Pragma("unroll")
  for (int group = 0; group < 2 * S::down; ++group) {
    const int i = group / S::down, r = group % S::down, now = group % 2;
    if (i == 1 && r == moves_on) {
      ring.advance();
      if (S::early && more)
        arrived = has_arrived(full[ring.stage], ring.parity);
    }
    if (r < S::down - 1) {
      operands.read_left(1 - now, from, i, r + 1);
    } else {
      if (i == 1 && more) {
        if (arrived == 0) wait(full[ring.stage], ring.parity);
        from = stages + ring.stage * S::stage_bytes;
      }
      if (i == 0 || more) {
        operands.read_left(1 - now, from, 1 - i, 0);
        operands.read_right(1 - i, from, 1 - i);
      }
    }
    operands.multiply_add(now, i, sum[2 * r], sum[2 * r + 1]);
  }
}

// One thread of the third warpgroup asks for the stages of all pieces, in the
// order in which they are multiplied, as soon as each is free. Two warpgroups
// multiply them and store the sums of each piece. centred: 16 columns of a row,
// rows, panels of 16 columns.
template <typename S>
__global__ void __launch_bounds__(bulk_threads, 1)
    covariance_tensor_bulk(const PARLAB_GRID_CONSTANT TensorMap centred,
                           double* cov, double* parts, BalancedShares shares,
                           int steps_of_tile, std::int64_t n, double divisor) {
  unsigned char* const shared = shared_memory<unsigned char>();
  // Aligned, because the permutation depends on addresses.
  unsigned char* const stages =
      shared + (1024 - shared_address(shared) % 1024) % 1024;
  __shared__ Barrier full[S::stages], empty[S::stages];
  let_next_launch_begin();
  if (threadIdx.x == 0) {
    prefetch(centred);
    for (Barrier& barrier : full)
      init_barrier(barrier, 1);
    for (Barrier& barrier : empty)
      init_barrier(barrier, bulk_copier / 32);
    publish_barriers();
  }
  __syncthreads();
  wait_for_launch_before();

  Ring<S::stages> ring;
  const int count = pieces(shares);
  if (threadIdx.x >= bulk_copier) {  // the third warpgroup copies
    give_registers<40>();
    if (threadIdx.x > bulk_copier) return;
    for (int i = 0; i < count; ++i) {
      const BulkPiece piece = piece_of(shares, steps_of_tile, i);
      const auto place = S::place(piece.tile, n);
      const int left = static_cast<int>(place.row) * S::panels,
                right = static_cast<int>(place.col) * S::panels;
      for (int step = 0; step < piece.steps; ++step, ring.advance()) {
        wait(empty[ring.stage], ring.parity ^ 1);  // no wait at first
        unsigned char* const stage = stages + ring.stage * S::stage_bytes;
        Barrier& arrived = full[ring.stage];
        const int row = (piece.begin + step) * S::deep;
        arrive_expecting(arrived, S::stage_bytes);
        load_box(stage, centred, arrived, 0, row, left);
        load_box(stage + S::piece_bytes, centred, arrived, 0, row, right);
      }
    }
    return;
  }

  take_registers<232>();  // two multiply
  BulkOperands<S> operands;
  _Pragma("unroll 1")
  for (int piece = 0; piece < count; ++piece) {
    const int steps = piece_of(shares, steps_of_tile, piece).steps;
    if (steps == 0) continue;
    double sum[S::rows][S::cols] = {};
    wait(full[ring.stage], ring.parity);
    const unsigned char* from = stages + ring.stage * S::stage_bytes;
    operands.read_left(0, from, 0, 0);
    operands.read_right(0, from, 0);
    _Pragma("unroll 1")
    for (int step = 0; step < steps; ++step) {
      Barrier& done = empty[ring.stage];
      multiply_stage<S>(operands, sum, ring, from, step + 1 < steps, stages,
                        full);
      __syncwarp();
      if (threadIdx.x % 32 == 0) arrive(done);
    }
    store_piece<S>(cov, parts, shares, steps_of_tile, piece, n, divisor, sum);
  }
}

template <typename S>
void launch_bulk(Gpu& gpu, const Covariance::Args<double>& p) {
  const auto stride = ceil_div(p.n, S::size) * S::size;
  const auto steps_of_tile = ceil_div(p.m, S::deep),
             rows = steps_of_tile * S::deep;
  const double* const centred = centred_copy(gpu, p, rows, stride);
  const std::int64_t at_once = gpu.multiprocessors();
  const auto shares = balanced_shares<S>(p, at_once);
  double* const parts =
      gpu.scratch<double>(shares.blocks * 2 * S::size * S::size);
  constexpr auto row_bytes = std::int64_t{S::row_bytes};
  const TensorMap map =
      tensor_map({.element = MapElement::float64,
                  .data = centred,
                  .extent = {16, rows, stride / 16},
                  .pitch = {stride / 16 * row_bytes, row_bytes},
                  .box = {16, S::deep, S::panels},
                  .swizzle = S::row_bytes});
  gpu.launch(
      {.grid = {std::max(std::min(shares.first_tile, at_once), shares.blocks)},
       .block = {bulk_threads},
       .shared_bytes = S::aligned_bytes,
       .overlaps = true},
      covariance_tensor_bulk<S>, map, p.cov, parts, shares,
      static_cast<int>(steps_of_tile), p.n, p.divisor);
  add_shared<S, double>(gpu, p, shares, parts);
}

}  // namespace

const Register<Covariance, double> variant(
    {
        .rung = 9,
        .idea = "as tensor, with stages that bulk copies fill, tiles of 64 x "
                "64 to 128 x 128",
        .units = {{Dtype::f64, "tensor double"}},
    },
    []<typename T>(Gpu& gpu, const Covariance::Args<T>& p, const Tunables&) {
      refuse_without_warpgroups();
      auto [best, launch] = plan_tensor(gpu, p);
      const auto enter = [&]<typename S>(S) {
        const double time = estimate<S>(gpu, p, 40);
        if (time < best) best = time, launch = launch_bulk<S>;
      };
      enter(BulkTile<LargeBulk>());
      enter(BulkTile<MiddleBulk>());
      enter(BulkTile<SmallBulk>());
      launch(gpu, p);
    });
