// The kernel of `tensor` and the choice of its tiles; `tensor_bulk` uses them
// if its own tiles are too large.
#pragma once

#include <cuda_pipeline.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "aligned.cuh"
#include "gpu/overlap.hpp"
#include "parts.cuh"
#include "place.cuh"
#include "slices.cuh"
#include "tensor_copies.cuh"
#include "tensor_shapes.cuh"
#include "tensor_sums.cuh"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

// How often an element of A or B must be used to pay for its copy, and how many
// elements a fringe must have to pay for its blocks.
constexpr std::int64_t uses_that_pay = 1500;

// The division of C among blocks. The blocks of the fringes come first, since
// they are done soonest.
template <typename S>
struct Division {
  std::int64_t down, across, below = 0, right = 0;

  __host__ __device__ Division(std::int64_t m, std::int64_t n) {
    const bool fringes = m >= uses_that_pay && n >= uses_that_pay;
    const std::int64_t rows = fringes ? without_fringe(m, S::rows) : m,
                       cols = fringes ? without_fringe(n, S::cols) : n;
    down = ceil_div(rows, S::rows), across = ceil_div(cols, S::cols);
    if (rows < m) below = ceil_div(n, 32);
    if (cols < n) right = ceil_div(rows, S::threads / 32 * fringe_rows);
  }
  __host__ __device__ std::int64_t tiles() const { return down * across; }
  bool has_fringes() const { return below + right > 0; }
};

// WIDTH: elements copied at once from the rows of A and B, which begin at
// multiples of their pitches; 2 if all rows are aligned to 16 bytes. parts: of
// no use unless several blocks share a tile.
template <int WIDTH, bool SHARED, typename S>
__device__ __forceinline__ void multiply_by_block(
    Matmul::Args<double> p, std::int64_t a_pitch, std::int64_t b_pitch,
    const PartsOfK<double>& parts) {
  double* const shared = shared_memory<double>();
  const Division<S> division(p.m, p.n);
  std::int64_t tile = blockIdx.x, tile_row, tile_col;
  wait_for_launch_before();
  if (tile < division.below) return fringe_below<S>(p, a_pitch, b_pitch, tile);
  tile -= division.below;
  if (tile < division.right) return fringe_right<S>(p, a_pitch, b_pitch, tile);
  tile -= division.right;
  place_of_tile<8>(tile, division.down, division.across, tile_row, tile_col);
  const std::int64_t row0 = tile_row * S::rows, col0 = tile_col * S::cols;
  if constexpr (SHARED) {
    const auto before = [&](int part) {
      return parts.template columns_before<S::depth>(p.k, part);
    };
    const std::int64_t first = before(blockIdx.y);
    p.k = before(blockIdx.y + 1) - first;
    p.a += first, p.b += first * b_pitch;
  }
  Copies<WIDTH, S> copies(p, a_pitch, b_pitch, row0, col0);
  Operands<S> operands;
  double sum[S::down][S::across][2][4] = {};

  // All stages but one are under way before the first is multiplied. The last
  // one need not be full.
  const auto full = static_cast<int>(p.k / S::depth),
             rest = static_cast<int>(p.k % S::depth),
             steps = full + (rest > 0 ? 1 : 0);
  _Pragma("unroll")
  for (int step = 0; step < S::stages - 1; ++step) {
    if (step < steps) copies.start(shared + step * S::stage);
    __pipeline_commit();
  }

  __pipeline_wait_prior(S::stages - 2);
  __syncthreads();

  double* const end = shared + S::stages * S::stage;
  const double* from = shared;
  double* to = shared + (S::stages - 1) * S::stage;
  if (full > 0) {
    operands.read_a(0, from, 0, 0);
    operands.read_b(0, from, 0);
  }
  _Pragma("unroll 1")
  for (int step = 0; step < full; ++step) {
    if (step + S::stages - 1 < steps) copies.start(to);
    __pipeline_commit();
    to = to + S::stage == end ? shared : to + S::stage;
    _Pragma("unroll")
    for (int i = 0; i < S::products; ++i) {
      _Pragma("unroll")
      for (int r = 0; r < S::down; ++r) {
        const int now = (i * S::down + r) % 2;
        if (r < S::down - 1) {
          operands.read_a(1 - now, from, i, r + 1);
        } else {
          if (i == S::products - 1) {
            // The next stage has arrived for all threads, and all have read
            // this one, which is refilled next.
            __pipeline_wait_prior(S::stages - 2);
            __syncthreads();
            from = from + S::stage == end ? shared : from + S::stage;
          }
          if (i < S::products - 1 || step + 1 < full) {
            operands.read_a(1 - now, from, (i + 1) % S::products, 0);
            operands.read_b((i + 1) % 2, from, (i + 1) % S::products);
          }
        }
        operands.multiply_add(now, i % 2, sum[r]);
      }
    }
  }

  const int rest_of_slice = rest - operands.slice * S::slice_depth;
  _Pragma("unroll")
  for (int i = 0; i < S::products; ++i) {
    if (i * S::product >= rest_of_slice) break;
    operands.read_b(0, from, i);
    _Pragma("unroll")
    for (int r = 0; r < S::down; ++r) {
      operands.read_a(0, from, i, r);
      operands.multiply_add(0, 0, sum[r]);
    }
  }

  if constexpr (S::slices > 1) {
    add_slices<S, sizeof sum / sizeof(double)>(operands.slice, shared,
                                               &sum[0][0][0][0]);
    if (!SHARED && operands.slice > 0) return;
  }
  if constexpr (SHARED) {
    constexpr int count = sizeof sum / sizeof(double);
    double* const all = &sum[0][0][0][0];
    if (operands.slice == 0) parts.template leave<S::slice_threads, count>(all);
    if (!parts.all_ended() || operands.slice > 0) return;
    parts.template add<S::slice_threads, count>(all);
  }
  store<S>(p.c, p.m, p.n, row0 + operands.row, col0 + operands.col, sum);
}

template <int WIDTH, bool SHARED, typename S>
__global__ void __launch_bounds__(S::threads, S::blocks_per_sm)
    matmul_tensor(Matmul::Args<double> p, std::int64_t a_pitch,
                  std::int64_t b_pitch, PartsOfK<double> parts) {
  multiply_by_block<WIDTH, SHARED, S>(p, a_pitch, b_pitch, parts);
}

// The cost of sharing tiles: of each block of a multiprocessor, in columns of
// A, and once, in elements of C times columns.
constexpr double of_sharing_tiles = 200, of_any_sharing = 0.5e6;

// The time for each column of A, in units of an element of C, for the
// multiprocessor with the most tiles, or parts of tiles. If no other block fits
// beside one, tiles wait for those of fringes.
template <typename S>
double estimate(Gpu& gpu, const Matmul::Args<double>& p, int parts) {
  const Division<S> division(p.m, p.n);
  const auto of_one = static_cast<double>(
      ceil_div(division.tiles() * parts, gpu.multiprocessors()));
  const bool waits = S::blocks_per_sm == 1 && division.has_fringes();
  constexpr double tile = S::rows * S::cols * S::share;
  const double sharing =
      parts == 1 ? 0 : of_sharing_tiles * of_one * tile + of_any_sharing;
  return (of_one + S::waiting + (waits ? 0.1 : 0)) / parts * tile +
         (S::begin + sharing) / static_cast<double>(p.k);
}

// A choice of tiles. parts: the blocks that share a tile. copied: the previous
// launch copied A or B.
struct TensorPlan {
  double time = std::numeric_limits<double>::infinity();
  int parts = 1;
  void (*launch)(Gpu&, const Matmul::Args<double>&, std::int64_t a_pitch,
                 std::int64_t b_pitch, int parts, bool copied) = nullptr;
};

template <typename S>
void launch_tensor(Gpu& gpu, const Matmul::Args<double>& p,
                   std::int64_t a_pitch, std::int64_t b_pitch, int parts,
                   bool copied) {
  const bool aligned = a_pitch % 2 == 0 && b_pitch % 2 == 0;
  const Division<S> division(p.m, p.n);
  const auto launch = [&](auto kernel, const PartsOfK<double>& parts_of_k) {
    gpu.launch(
        {.grid = {division.below + division.right + division.tiles(), parts},
         .block = {S::threads},
         .shared_bytes = S::shared_bytes,
         .overlaps = copied},
        kernel, p, a_pitch, b_pitch, parts_of_k);
  };
  if (parts > 1) {
    launch(aligned ? matmul_tensor<2, true, S> : matmul_tensor<1, true, S>,
           {gpu, division.tiles(), parts, S::rows * S::cols});
  } else {
    launch(aligned ? matmul_tensor<2, false, S> : matmul_tensor<1, false, S>,
           {});
  }
}

// The plan with the least estimated time. Tiles are shared only if at least
// half the device would be idle: 64 x 4096 x 4096 took longer with three times
// as many blocks.
inline TensorPlan plan_tensor(Gpu& gpu, const Matmul::Args<double>& p) {
  TensorPlan plan;
  const auto enter = [&]<typename S>(S) {
    const Division<S> division(p.m, p.n);
    const bool few = 2 * division.tiles() <= gpu.multiprocessors();
    const int most =
        few && !division.has_fringes() ? most_parts(p.k, S::depth) : 1;
    for (int parts = 1; parts <= most; ++parts) {
      const double time = estimate<S>(gpu, p, parts);
      if (time < plan.time) plan = {time, parts, launch_tensor<S>};
    }
  };
  enter(Tiling<LargeTile>());
  enter(Tiling<WholeTile>());
  enter(Tiling<BroadTile>());
  enter(Tiling<MiddleTile>());
  enter(Tiling<SmallTile>());
  enter(Tiling<TallTile>());
  enter(Tiling<TinyTile>());
  return plan;
}

inline bool copies_operands(const Matmul::Args<double>& p) {
  return std::min(p.m, p.n) >= uses_that_pay;
}

inline void multiply(Gpu& gpu, const Matmul::Args<double>& p,
                     const TensorPlan& plan) {
  Matmul::Args<double> with_copies = p;
  std::int64_t a_pitch = p.k, b_pitch = p.n;
  if (copies_operands(p)) {
    const auto [a, b] = align_operands(gpu, p);
    constexpr auto size = static_cast<std::int64_t>(sizeof(double));
    with_copies.a = static_cast<const double*>(a.data);
    a_pitch = a.pitch / size;
    with_copies.b = static_cast<const double*>(b.data);
    b_pitch = b.pitch / size;
  }
  const bool copied = with_copies.a != p.a || with_copies.b != p.b;
  plan.launch(gpu, with_copies, a_pitch, b_pitch, plan.parts, copied);
}

}  // namespace
