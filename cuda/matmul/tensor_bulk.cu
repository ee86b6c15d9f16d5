// `tensor` with stages that bulk tensor copies fill. In `tensor`, warps that
// multiply also copy and wait for each other at every stage. Here one thread of
// a third warpgroup asks for boxes of A and B; eight warps multiply; barriers
// in shared memory tell which stage has arrived and which is free. A block has
// a multiprocessor to itself and stays for all its tiles. A tile is 128 x 128,
// which needs two thirds of the L2 reads of two tiles of 128 x 64. It is
// smaller if less of the device is idle then. Large tiles that are left over
// when all blocks have equally many are cut along k into equal shares, one per
// block; parts of tiles go to scratch memory, and a second kernel adds them up,
// in order. (Osama et al., Stream-K, 2023.) If there are fewer tiles than
// blocks, all are cut. A last column of tiles with few columns of C costs less
// and is divided accordingly: columns outside C are neither copied nor
// multiplied.
//
// Bulk copies need rows aligned to 16 bytes. If a matrix has others, all
// threads of the third warpgroup copy its elements. Problems too small for
// these tiles are left to `tensor`.
#include "bulk_shapes.cuh"
#include "bulk_shares.cuh"
#include "bulk_stages.cuh"
#include "bulk_sums.cuh"
#include "gpu/warpgroup.hpp"
#include "tensor.cuh"

using namespace parlab;

namespace {

// The number of groups of 16 columns of a warp's part of a tile that are in C.
template <typename S>
__device__ __forceinline__ int groups_across(const Matmul::Args<double>& p,
                                             const Shares& shares, int tile) {
  int row0, col0;
  place_of_piece<S>(shares, tile, row0, col0);
  const int warp = threadIdx.x / 32;
  const std::int64_t there = p.n - col0 - warp / S::warps_down * S::warp_cols;
  return static_cast<int>(
      max(std::int64_t{0}, min((there + 15) / 16, std::int64_t{S::across})));
}

// Signals that a stage has been read. BULK: copies into it wait for one arrival
// of each warp. Otherwise all threads arrive: compute-sanitizer counts only a
// thread's own reads before its arrival, not those of its warp.
template <bool BULK>
__device__ __forceinline__ void arrive_after_reads(Barrier& empty) {
  if (BULK) __syncwarp();
  if (!BULK || threadIdx.x % 32 == 0) arrive(empty);
}

// The products of a warp. While one group of rows is multiplied, the next is
// read.
template <typename S, bool BULK>
__device__ __forceinline__ void multiply_all(
    int steps, const unsigned char* stages, Barrier* full, Barrier* empty,
    Ring<S::stages>& ring, BulkOperands<S>& operands,
    double (&sum)[S::down][S::across][S::eights][4]) {
  // The group of rows before which the ring moves on to the next stage.
  constexpr int moves_on = S::down - (S::early ? 2 : 1);
  wait(full[ring.stage], ring.parity);
  const unsigned char* from = stages + ring.stage * S::stage_bytes;
  operands.read_a(0, from, 0, 0);
  operands.read_b(0, from, 0);
  _Pragma("unroll 1")
  for (int step = 0; step < steps; ++step) {
    Barrier& done = empty[ring.stage];
    const bool more = step + 1 < steps;
    std::uint32_t arrived = 0;
    _Pragma("unroll")
    for (int i = 0; i < 2; ++i) {
      _Pragma("unroll")
      for (int r = 0; r < S::down; ++r) {
        const int now = (i * S::down + r) % 2;
        if (i == 1 && r == moves_on) {
          ring.advance();
          if (S::early && more)
            arrived = has_arrived(full[ring.stage], ring.parity);
        }
        if (r < S::down - 1) {
          operands.read_a(1 - now, from, i, r + 1);
        } else {
          if (i == 1 && more) {
            if (arrived == 0) wait(full[ring.stage], ring.parity);
            from = stages + ring.stage * S::stage_bytes;
          }
          if (i == 0 || more) {
            operands.read_a(1 - now, from, 1 - i, 0);
            operands.read_b(1 - i, from, 1 - i);
          }
        }
        operands.multiply_add(now, i, sum[r]);
      }
    }
    arrive_after_reads<BULK>(done);
  }
}

// The same if only some groups of columns are in C: each is read first.
template <typename S, bool BULK>
__device__ __forceinline__ void multiply_some(
    int across, int steps, const unsigned char* stages, Barrier* full,
    Barrier* empty, Ring<S::stages>& ring, BulkOperands<S>& operands,
    double (&sum)[S::down][S::across][S::eights][4]) {
  _Pragma("unroll 1")
  for (int step = 0; step < steps; ++step, ring.advance()) {
    wait(full[ring.stage], ring.parity);
    const unsigned char* const from = stages + ring.stage * S::stage_bytes;
    _Pragma("unroll")
    for (int i = 0; i < 2; ++i) {
      if (across == 0) continue;
      operands.read_b(i, from, i, across);
      _Pragma("unroll")
      for (int r = 0; r < S::down; ++r) {
        operands.read_a(r % 2, from, i, r);
        operands.multiply_add(r % 2, i, sum[r], across);
      }
    }
    arrive_after_reads<BULK>(empty[ring.stage]);
  }
}

// NARROW: the last column of tiles has few columns of C. This is a separate
// kernel, because two ways to multiply in one slow each by up to 3 %.
template <typename S, bool BULK, bool NARROW>
__global__ void __launch_bounds__(bulk_threads, 1)
    matmul_tensor_bulk(const PARLAB_GRID_CONSTANT TensorMap a,
                       const PARLAB_GRID_CONSTANT TensorMap b,
                       Matmul::Args<double> p, double* parts, Shares shares) {
  unsigned char* const shared = shared_memory<unsigned char>();
  // Aligned, because the permutation depends on addresses.
  unsigned char* const stages =
      shared + (1024 - shared_address(shared) % 1024) % 1024;
  __shared__ Barrier full[S::stages], empty[S::stages];
  let_next_launch_begin();
  if (threadIdx.x == 0) {
    if (BULK || p.k % 2 == 0) prefetch(a);
    if (BULK || p.n % 2 == 0) prefetch(b);
    for (Barrier& barrier : full)
      init_barrier(barrier, BULK ? 1 : 1 + bulk_copiers);
    for (Barrier& barrier : empty)
      init_barrier(barrier, BULK ? bulk_copier / 32 : bulk_copier);
    publish_barriers();
  }
  __syncthreads();

  if (threadIdx.x >= bulk_copier) {  // ---- the third warpgroup copies
    give_registers<BULK ? 40 : 80>();
    copy_stages<S, BULK, NARROW>(a, b, p, shares, stages, full, empty);
    return;
  }

  take_registers<BULK ? 232 : 208>();  // ---- two multiply
  Ring<S::stages> ring;
  const Pieces pieces(shares);
  BulkOperands<S> operands;
  _Pragma("unroll 1")
  for (int number = 0; number < pieces.count; ++number) {
    const Piece piece = pieces.at(shares, number);
    double sum[S::down][S::across][S::eights][4] = {};
    const int across =
        NARROW ? groups_across<S>(p, shares, piece.tile) : S::across;
    if (across < S::across) {
      multiply_some<S, BULK>(across, piece.steps, stages, full, empty, ring,
                             operands, sum);
    } else {
      multiply_all<S, BULK>(piece.steps, stages, full, empty, ring, operands,
                            sum);
    }
    store_piece<S>(p, parts, shares, pieces, number, sum);
  }
}

// Adds the parts of shared tile blockIdx.x, for four sums of each thread, which
// blockIdx.y selects. Threads find the parts, one each, before these are
// there; then the reads of a part need not wait for those of another.
template <typename S>
__global__ void __launch_bounds__(bulk_copier)
    matmul_tensor_bulk_add(Matmul::Args<double> p, double* parts,
                           Shares shares) {
  const int begin = blockIdx.x * shares.steps_of_tile,
            end = begin + shares.steps_of_tile;
  const int first = shares.block_of(begin),
            count = shares.block_of(end - 1) - first + 1;

  // 0: a block without steps, if there are fewer steps than blocks. 2: a block
  // that had steps of another tile before these.
  __shared__ unsigned char kinds[bulk_copier];
  if (static_cast<int>(threadIdx.x) < count) {
    const int block = first + static_cast<int>(threadIdx.x);
    const int from = shares.first_step(block);
    kinds[threadIdx.x] =
        from == shares.first_step(block + 1) ? 0 : (from < begin ? 2 : 1);
  }
  wait_for_launch_before();
  if (count == 1) return;  // computed by one block, which stored it

  __syncthreads();
  const int four = blockIdx.y;
  double sum[4] = {};
  _Pragma("unroll 4")
  for (int i = 0; i < count; ++i) {
    const int kind = kinds[i];
    if (kind == 0) continue;
    _Pragma("unroll")
    for (int half = 0; half < 2; ++half) {
      const Pair part =
          *bulk_part<S>(parts, first + i, kind == 2, four * 2 + half);
      sum[2 * half] += part.element[0];
      sum[2 * half + 1] += part.element[1];
    }
  }

  int row, col;
  place_of_piece<S>(shares, shares.first_tile + static_cast<int>(blockIdx.x),
                    row, col);
  const int e = four % S::eights, s = four / S::eights % S::across,
            r = four / S::eights / S::across;
  row += first_row<S>() + (r * S::eights + e) * 8;
  col += first_col<S>() + s * 16;
  store(p, row, col, sum[0], sum[2]);
  store(p, row + 4, col, sum[1], sum[3]);
}

// BULK: no matrix has rows of odd length.
template <typename S, bool BULK>
void launch_bulk(Gpu& gpu, const Matmul::Args<double>& p) {
  const Shares shares = shares_of<S>(gpu, p);
  double* const parts = shares.any()
                            ? gpu.scratch<double>(std::int64_t{shares.blocks} *
                                                  2 * S::rows * S::cols)
                            : nullptr;
  const auto map = [](const double* data, std::int64_t rows, std::int64_t cols,
                      int box_rows) {
    if (cols % 2 != 0) return TensorMap{};  // threads copy it
    const auto pitch = cols * static_cast<std::int64_t>(sizeof(double));
    return tensor_map({.element = MapElement::float64,
                       .data = data,
                       .extent = {cols, rows, 1},
                       .pitch = {pitch, rows * pitch},
                       .box = {16, box_rows, 1},
                       .swizzle = S::row_bytes});
  };
  auto kernel = matmul_tensor_bulk<S, BULK, false>;
  if constexpr (S::narrow) {
    if (shares.inner_across < shares.across)
      kernel = matmul_tensor_bulk<S, BULK, true>;
  }
  gpu.launch({.grid = {shares.blocks},
              .block = {bulk_threads},
              .shared_bytes = S::shared_bytes},
             kernel, map(p.a, p.m, p.k, S::rows), map(p.b, p.k, p.n, S::depth),
             p, parts, shares);
  if (!shares.any()) return;
  gpu.launch({.grid = {shares.tiles() - shares.first_tile, S::sums / 4},
              .block = {bulk_copier},
              .overlaps = true},
             matmul_tensor_bulk_add<S>, p, parts, shares);
}

// For rows of odd length. of_copy: the time in which `tensor` copies a row of A
// or a column of B, in multiply-adds of a multiprocessor per column of A.
// unaligned: how much longer `tensor` takes on whole tiles if rows are no
// multiples of 32 bytes. of_odd_rows: how much longer these tiles take per
// matrix that threads copy, at 1009 on an H200; less at larger sizes.
constexpr double of_copy = 1.2, unaligned = 1.25, of_odd_rows = 0.05;

}  // namespace

const Register<Matmul, double> variant(
    {
        .rung = 18,
        .idea = "as tensor, with stages that bulk copies fill, tiles up to 128 "
                "x 128, the last ones shared",
        .units = {{Dtype::f64, "tensor double"}},
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      refuse_without_warpgroups();
      TensorPlan plan = plan_tensor(gpu, p);
      const auto odd = static_cast<double>(p.k % 2 + p.n % 2);
      if (odd > 0 && copies_operands(p)) {
        plan.time +=
            of_copy * static_cast<double>(p.k % 2 * p.m + p.n % 2 * p.n);
      } else if (plan.parts == 1 && p.k % 4 + p.n % 4 > 0) {
        plan.time *= unaligned;
      }
      double best = plan.time;
      void (*launch)(Gpu&, const Matmul::Args<double>&) = nullptr;
      const auto enter = [&]<typename S>(S) {
        const double time = estimate_bulk<S>(gpu, p) * (1 + of_odd_rows * odd);
        if (time >= best) return;
        best = time;
        launch = odd > 0 ? launch_bulk<S, false> : launch_bulk<S, true>;
      };
      enter(BulkTiling<SquareTile>());
      enter(BulkTiling<OblongTile>());
      enter(BulkTiling<SmallerTile>());
      enter(BulkTiling<HalfTile>());
      if (launch != nullptr) {
        launch(gpu, p);
      } else {
        multiply(gpu, p, plan);
      }
    });
