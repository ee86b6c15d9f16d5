// Both passes on the tensor cores, as products with a band matrix: the
// kernels of `tensor` and `tf32x3`.
//
// A filter is a matrix W whose columns are the weights, each one row
// farther down than the one before it. In each step a warp takes 16
// rows of a and
//   multiplies 8 columns of a at a time by 8 rows of W, until it has 16
//     columns of t, the row pass (t = a W);
//   stores them in shared memory and reads them as columns of t^T;
//   multiplies 8 rows of t at a time into all tiles of b that they
//     reach (b^T = t^T W), 16 columns and 8 rows each, unfinished ones
//     in registers. The sum of one tile takes the place of the sum of
//     the tile above it as it grows;
//   writes the tiles of b that are complete.
// All groups of eight columns of W look alike, and W is the right
// factor of both products. A lane therefore needs the same few weights
// all the time: it reads them once and keeps them in registers. 8 + 2
// radius products are made where 1 + 2 radius are needed, for a radius
// of 8, 16, 32 or 64; other filters are filled up with zero weights.
//
// The warps of a block are side by side. Asynchronous copies bring
// their rows into a ring in shared memory, with zeros outside the
// image.
//
// This pays where multiply-adds limit `fused`: on an H200 from radius
// 16 on in double and 32 on in float, at 16 up to 4096 x 4096. Pixels
// that are not finite spoil their surroundings, because zeros are
// multiplied by them too.
#pragma once

#include <cuda_pipeline.h>

#include <algorithm>

#include "gpu/gpu.hpp"
#include "gpu/load_async.hpp"
#include "gpu/tensor_cores.hpp"
#include "workloads/convsep.hpp"

using namespace parlab;

namespace {

constexpr int band_stages = 3;  // stages of the ring, 16 rows each

// The shape of a block: its columns of b, 16 per warp, and how many blocks
// share a multiprocessor, as its registers allow. AHEAD: a step multiplies the
// previous step's t into b while it makes its own. This gives two independent
// streams of products, for one step more.
template <int WIDTH, int BLOCKS, bool AHEAD>
struct BandShape {
  static constexpr int width = WIDTH, threads = 2 * WIDTH, blocks = BLOCKS;
  static constexpr bool ahead = AHEAD;
};

// A number as the parts that the tensor cores multiply, with sums of products
// in `chains` that are added up at the end. Lanes hold elements as
// tensor_multiply_add says, but the eight columns of a left factor and the rows
// of a right one are renumbered: the first of a lane's two elements is lane % 4
// * per_lane, the second `to_second` farther.
template <typename T>
struct BandNumber;

template <>
struct BandNumber<double> {
  static constexpr int parts = 1, chains = 1, per_lane = 1, to_second = 4;

  static __device__ __forceinline__ void split(double x, double (&part)[1]) {
    part[0] = x;
  }
  static __device__ __forceinline__ void multiply_add(double (&sum)[1][4],
                                                      const double (&a)[1][4],
                                                      const double (&b)[1][2]) {
    tensor_multiply_add<8>(sum[0], a[0], b[0]);
  }
};

// Products with a small part have a sum of their own, where each addition loses
// little. The tensor cores take 11 bits of the small part.
template <>
struct BandNumber<float> {
  static constexpr int parts = 2, chains = 2, per_lane = 2, to_second = 1;

  static __device__ __forceinline__ void split(float x, float (&part)[2]) {
    part[0] = rounded_to_11_bits(x);
    part[1] = x - part[0];
  }
  static __device__ __forceinline__ void multiply_add(float (&sum)[2][4],
                                                      const float (&a)[2][4],
                                                      const float (&b)[2][2]) {
    tensor_multiply_add(sum[1], a[1], b[0]);
    tensor_multiply_add(sum[1], a[0], b[1]);
    tensor_multiply_add(sum[0], a[0], b[0]);
  }
};

// Sets element i of a lane's part of a factor.
template <typename T, int COUNT>
__device__ __forceinline__ void put(T (&factor)[BandNumber<T>::parts][COUNT],
                                    int i, T x) {
  T part[BandNumber<T>::parts];
  BandNumber<T>::split(x, part);
  _Pragma("unroll")
  for (int p = 0; p < BandNumber<T>::parts; ++p)
    factor[p][i] = part[p];
}

// A lane's elements of eight columns of W: column lane / 4, two of each eight
// rows.
template <typename T, int RADIUS>
struct BandWeights {
  using Number = BandNumber<T>;
  static constexpr int groups = 2 * RADIUS / 8 + 1;  // groups of eight rows
  T at[groups][Number::parts][2];

  __device__ __forceinline__ BandWeights(const T* w, int radius) {
    const int lane = threadIdx.x % 32;
    _Pragma("unroll")
    for (int s = 0; s < groups; ++s) {
      _Pragma("unroll")
      for (int i = 0; i < 2; ++i) {
        const int k = 8 * s + lane % 4 * Number::per_lane +
                      i * Number::to_second - lane / 4 - (RADIUS - radius);
        put(at[s], i, k >= 0 && k <= 2 * radius ? w[k] : T{0});
      }
    }
  }
};

template <typename T, int CHAINS>
__device__ __forceinline__ T total(const T (&sum)[CHAINS][4], int element) {
  return CHAINS == 1 ? sum[0][element]
                     : sum[0][element] + sum[CHAINS - 1][element];
}

// Neighbours that are read and written at once.
template <typename T>
struct alignas(2 * sizeof(T)) BandPair {
  T at[2];
};

__device__ __forceinline__ void store_streaming(float* to,
                                                const BandPair<float>& pair) {
  __stcs(reinterpret_cast<float2*>(to), make_float2(pair.at[0], pair.at[1]));
}
__device__ __forceinline__ void store_streaming(double* to,
                                                const BandPair<double>& pair) {
  __stcs(reinterpret_cast<double2*>(to), make_double2(pair.at[0], pair.at[1]));
}

// A block's shared memory: the ring, each row of which begins RADIUS left of
// the block's columns, then 16 rows and columns of t for each warp.
template <typename T, int RADIUS, typename Shape>
struct BandMemory {
  static constexpr int line = Shape::width + 2 * RADIUS;
  // Elements from one row to the next, such that lanes which read one or two
  // columns of several rows use different banks.
  static constexpr int period = 128 / sizeof(T),
                       shift = 4 * BandNumber<T>::per_lane,
                       pitch = line + (period + shift - line % period) % period;
  static constexpr int tile_pitch = 20;  // reads have no bank conflict
  static constexpr std::size_t bytes =
      sizeof(T) * 16 * (band_stages * pitch + Shape::threads / 32 * tile_pitch);
};

// A thread's copies from a to the ring: words of one row in each stage, which
// it shares with the other threads of `team`. WORD: elements copied at once.
template <typename T, int RADIUS, typename Shape, int WORD>
struct BandCopies {
  using Memory = BandMemory<T, RADIUS, Shape>;
  static constexpr int team = Shape::threads / 16, apart = team * WORD,
                       copies = (Memory::line - 1) / apart + 1,
                       in_last = Memory::line - (copies - 1) * apart;
  const T* from;
  T* to;
  // The next row to copy, and the rows inside the image, from the strip's first
  // on; the columns inside the image, from the thread's first on.
  int row, first_row, end_row, first_col, end_col;

  // top, left: where the block's part of b begins.
  __device__ __forceinline__ BandCopies(const T* a, T* ring, std::int64_t top,
                                        std::int64_t left, std::int64_t rows,
                                        std::int64_t cols) {
    const int word = threadIdx.x % team * WORD, col = word - RADIUS;
    row = static_cast<int>(threadIdx.x / team) - RADIUS;
    from = a + (top + row) * cols + left + col;
    to = ring + threadIdx.x / team * Memory::pitch + word;
    constexpr std::int64_t far = 1 << 30;
    first_row = static_cast<int>(-min(top, far));
    end_row = static_cast<int>(min(rows - top, far));
    first_col = static_cast<int>(-min(left, far)) - col;
    end_col = static_cast<int>(min(cols - left, far)) - col;
  }

  // Starts the copies of the next 16 rows.
  __device__ __forceinline__ void start(int stage, std::int64_t cols) {
    const bool row_there = row >= first_row && row < end_row;
    T* const here = to + stage * (16 * Memory::pitch);
    _Pragma("unroll")
    for (int i = 0; i < copies; ++i) {
      if (i + 1 == copies && in_last < apart &&
          static_cast<int>(threadIdx.x) % team * WORD >= in_last) {
        continue;
      }
      const bool there =
          row_there && i * apart >= first_col && i * apart < end_col;
      load_async<WORD * sizeof(T)>(here + i * apart, from + i * apart,
                                   there ? WORD * sizeof(T) : 0);
    }
    from += 16 * cols;
    row += 16;
  }
};

// A block: Shape::width columns of b, rows from blockIdx.y * height on. height:
// a multiple of 16. ALIGNED: rows begin at multiples of 16 bytes.
template <typename Shape, int RADIUS, bool ALIGNED, typename T>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    convsep_band(const T* a, const T* w, T* b, std::int64_t rows,
                 std::int64_t cols, int radius, int height) {
  using Number = BandNumber<T>;
  using Memory = BandMemory<T, RADIUS, Shape>;
  using Pair = BandPair<T>;
  constexpr int groups = BandWeights<T, RADIUS>::groups, parts = Number::parts,
                chains = Number::chains;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::int64_t top = std::int64_t{blockIdx.y} * height,
                     left = std::int64_t{blockIdx.x} * Shape::width;
  const int tall = static_cast<int>(min(std::int64_t{height}, rows - top));
  // ceil(tall / 8) + groups - 1 groups of eight rows
  const int steps = ((tall + 7) / 8 + groups) / 2 + Shape::ahead;

  T* const ring = shared_memory<T>();
  BandCopies<T, RADIUS, Shape, ALIGNED ? 16 / sizeof(T) : 1> copies(
      a, ring, top, left, rows, cols);
  for (int step = 0; step < band_stages - 1; ++step) {
    if (step < steps) copies.start(step, cols);
    __pipeline_commit();  // even without copies: groups are counted
  }

  // The lane's first elements: in a as a left factor, in t as a sum and as a
  // left factor, and in b.
  const T* const pixels =
      ring + lane / 4 * Memory::pitch + 16 * warp + lane % 4 * Number::per_lane;
  T* const tile =
      ring + 16 * (band_stages * Memory::pitch + warp * Memory::tile_pitch);
  T* const stored = tile + lane / 4 * Memory::tile_pitch + lane % 4 * 2;
  const T* const read =
      tile + lane % 4 * Number::per_lane * Memory::tile_pitch + lane / 4 * 2;
  const std::int64_t col = left + 16 * warp + lane / 4 * 2;
  // counted from top
  int row = lane % 4 * 2 - 8 * (groups - 1) - 16 * Shape::ahead;
  T* to = b + (top + row) * cols + col;

  const auto store_tile = [&](const T(&t)[2][chains][4]) {
    __syncwarp();  // the tile before this one has been read
    _Pragma("unroll")
    for (int i = 0; i < 4; ++i) {
      const auto& sum = t[i / 2];
      *reinterpret_cast<Pair*>(stored + i / 2 * 8 +
                               i % 2 * 8 * Memory::tile_pitch) =
          Pair{total(sum, i % 2 * 2), total(sum, i % 2 * 2 + 1)};
    }
    __syncwarp();
  };
  if (Shape::ahead) store_tile({});

  const BandWeights<T, RADIUS> weights(w, radius);
  // sums[0]: of the complete tile; the last stays zero
  T sums[groups + 1][chains][4] = {};
  int stage = 0, free_stage = band_stages - 1;
  _Pragma("unroll 1")
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(band_stages - 2);
    // all copies have arrived, and all have read the stage replaced now
    __syncthreads();
    if (step + band_stages - 1 < steps) copies.start(free_stage, cols);
    __pipeline_commit();

    T across[2][chains][4] = {};
    const T* const here = pixels + stage * (16 * Memory::pitch);
    _Pragma("unroll")
    for (int s = 0; s <= groups; ++s) {
      T factor[parts][4];
      _Pragma("unroll")
      for (int half = 0; half < 2; ++half) {
        const T* const at = here + half * 8 * Memory::pitch + 8 * s;
        if constexpr (Number::to_second == 1) {
          const auto pair = *reinterpret_cast<const Pair*>(at);
          put(factor, half, pair.at[0]);
          put(factor, 2 + half, pair.at[1]);
        } else {
          put(factor, half, at[0]);
          put(factor, 2 + half, at[Number::to_second]);
        }
      }
      if (s < groups)
        Number::multiply_add(across[0], factor, weights.at[s < groups ? s : 0]);
      if (s > 0)
        Number::multiply_add(across[1], factor, weights.at[s > 0 ? s - 1 : 0]);
    }
    free_stage = stage;
    stage = stage + 1 == band_stages ? 0 : stage + 1;

    if (!Shape::ahead) store_tile(across);

    // One after the other if registers do not suffice for both.
    _Pragma("unroll (RADIUS * sizeof(T) > 256 ? 1 : 2)")
    for (int half = 0; half < 2; ++half) {
      T factor[parts][4];
      _Pragma("unroll")
      for (int i = 0; i < 2; ++i) {
        const auto pair = *reinterpret_cast<const Pair*>(
            read + (half * 8 + i * Number::to_second) * Memory::tile_pitch);
        put(factor, 2 * i, pair.at[0]);
        put(factor, 2 * i + 1, pair.at[1]);
      }
      _Pragma("unroll")
      for (int i = 0; i < groups; ++i) {
        _Pragma("unroll")
        for (int c = 0; c < chains; ++c) {
          _Pragma("unroll")
          for (int e = 0; e < 4; ++e)
            sums[i][c][e] = sums[i + 1][c][e];
        }
        Number::multiply_add(sums[i], factor, weights.at[groups - 1 - i]);
      }

      _Pragma("unroll")
      for (int i = 0; i < 2; ++i) {
        if (row < 0 || row + i >= tall) continue;
        const Pair pair{total(sums[0], i), total(sums[0], 2 + i)};
        if (ALIGNED) {
          if (col < cols) store_streaming(to + i * cols, pair);
        } else {
          if (col < cols) __stcs(to + i * cols, pair.at[0]);
          if (col + 1 < cols) __stcs(to + i * cols + 1, pair.at[1]);
        }
      }
      row += 8;
      to += 8 * cols;
    }
    if (Shape::ahead) store_tile(across);
  }
}

// Rows of a strip, a multiple of 16, for which the device needs the fewest
// steps: each strip has radius / 8 steps more than its rows need. resident:
// blocks that run on the device at once.
inline std::int64_t height_of_strips(std::int64_t rows, std::int64_t across,
                                     std::int64_t resident, int radius) {
  const auto needed = ceil_div(rows, 16);
  std::int64_t fewest = 0, height = 0;
  for (std::int64_t strips = 1; strips <= needed; ++strips) {
    const auto of_strip = ceil_div(needed, strips);
    const auto waves = ceil_div(across * ceil_div(needed, of_strip), resident);
    const auto steps = waves * (of_strip + radius / 8);
    if (fewest == 0 || steps < fewest) {
      fewest = steps;
      height = 16 * of_strip;
    }
    // more strips need more waves, and no fewer steps than these
    if (across * needed + waves * (radius / 8) * resident >= fewest * resident)
      break;
  }
  return height;
}

template <typename Shape, int RADIUS, bool ALIGNED, typename T>
void launch_band(Gpu& gpu, const Convsep::Args<T>& p,
                 const Tunables& tunables) {
  const auto kernel = convsep_band<Shape, RADIUS, ALIGNED, T>;
  constexpr auto shared_bytes = BandMemory<T, RADIUS, Shape>::bytes;
  const auto across = ceil_div(p.cols, Shape::width);

  auto height = ceil_div(tunables["strip"], 16) * 16;
  if (height == 0) {
    const auto blocks =
        gpu.resident_blocks(kernel, Shape::threads, shared_bytes);
    height = height_of_strips(p.rows, across, gpu.multiprocessors() * blocks,
                              RADIUS);
  }
  height =
      std::max(height, ceil_div(ceil_div(p.rows, most_blocks_in_y), 16) * 16);
  gpu.launch({.grid = {across, ceil_div(p.rows, height)},
              .block = {Shape::threads},
              .shared_bytes = shared_bytes},
             kernel, p.a, p.w, p.b, p.rows, p.cols, p.radius,
             static_cast<int>(height));
}

template <typename Shape, int RADIUS, typename T>
void launch_band(Gpu& gpu, const Convsep::Args<T>& p,
                 const Tunables& tunables) {
  if (p.cols % (16 / sizeof(T)) == 0) {
    launch_band<Shape, RADIUS, true>(gpu, p, tunables);
  } else {
    launch_band<Shape, RADIUS, false>(gpu, p, tunables);
  }
}

template <typename T>
void multiply_by_bands(Gpu& gpu, const Convsep::Args<T>& p,
                       const Tunables& tunables) {
  constexpr bool single = sizeof(T) == 4;
  using Small = BandShape<128, 2, false>;
  using Large = BandShape<128, 1, false>;
  if (p.radius <= 8) return launch_band<Small, 8>(gpu, p, tunables);
  if (p.radius <= 16) {
    using Shape = std::conditional_t<single, Small, Large>;
    return launch_band<Shape, 16>(gpu, p, tunables);
  }
  if (p.radius <= 32) {
    using Shape = std::conditional_t<single, BandShape<64, 2, true>, Large>;
    return launch_band<Shape, 32>(gpu, p, tunables);
  }
  return launch_band<Large, 64>(gpu, p, tunables);
}

inline ShortList<TunableSpec> tunables_of_band() {
  return {{.name = "strip", .fallback = 0, .min = 0, .max = 65536}};
}

}  // namespace
