// The kernel of `warp_tiles`; warp_tiles.cu says how it works. Its shapes,
// copies and sums, and the choice of tiles have files of their own. The
// variants for several GPUs use it too.
#pragma once

#include <cuda_pipeline.h>

#include <type_traits>

#include "aligned.cuh"
#include "gpu/gpu.hpp"
#include "gpu/shared_launch.hpp"
#include "parts.cuh"
#include "slices.cuh"
#include "warp_choice.cuh"
#include "warp_copies.cuh"
#include "warp_sums.cuh"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

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
