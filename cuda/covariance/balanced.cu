// The kernel of `register` with the work shared out in equal parts. With a tile a block, the blocks
// run in waves, and in the last one a part of the device has nothing to do: at 3000 there are 2.1
// waves on an H200, and at 1000 a quarter of one. Here there are exactly as many blocks as run at
// once. All steps down the columns, of all tiles one after another, are cut into as many equal
// pieces: a block finishes the tile that the one before it began, computes some whole ones, and
// begins one that the next finishes. Parts of tiles go to scratch memory; a second kernel adds them
// up, in the order of the blocks, so that the result does not depend on who was first. (Osama et
// al., Stream-K, 2023.)
#include <cuda_pipeline.h>

#include "centred.cuh"

using namespace parlab;

template <typename T, int EDGE>
struct BalancedTiling {
  static constexpr int edge = EDGE, deep = 8, per_thread = 8, stages = 4;
  static constexpr int threads = edge * edge / (per_thread * per_thread);
  static constexpr int vector = 16 / sizeof(T), vectors = per_thread / vector;
  static constexpr int warp_rows = 32, warp_cols = 64, lanes_down = 4, lanes_across = 8;
  static constexpr int row_step = lanes_down * vector, col_step = lanes_across * vector;
  static constexpr int stage = 2 * deep * edge;  // elements: both pieces
  static constexpr int shared_bytes = stages * stage * sizeof(T);
  static constexpr int blocks_per_sm = edge == 64 ? (sizeof(T) == 8 ? 4 : 8) : 1;

  // A thread's rows and columns of a tile: its first ones, and the distance of the others to them.
  // Lanes are 4 down and 8 across, in each half of the warp 2 down and 8 across, down first.
  __device__ static int first_row(int thread) {
    const int warp = thread / 32 % (edge / warp_rows), lane = thread % 32;
    return warp * warp_rows + (lane / 16 * 2 + lane % 2) * vector;
  }
  __device__ static int first_col(int thread) {
    const int warp = thread / 32 / (edge / warp_rows), lane = thread % 32;
    return warp * warp_cols + lane % 16 / 2 * vector;
  }
  __device__ static constexpr int further_row(int r) { return r / vector * row_step + r % vector; }
  __device__ static constexpr int further_col(int s) { return s / vector * col_step + s % vector; }
};

template <typename T>
struct alignas(16) BalancedVector {
  T element[16 / sizeof(T)];
};

// Steps are numbered through all tiles; block b has those from first_step(b) on. The inverse says
// whose a step is.
struct BalancedShares {
  std::int64_t steps, blocks;  // steps of all tiles
  __host__ __device__ std::int64_t first_step(std::int64_t block) const {
    return block * steps / blocks;
  }
  __host__ __device__ std::int64_t block_of(std::int64_t step) const {
    return ((step + 1) * blocks - 1) / steps;
  }
};

// Part of a tile: two slots a block, for what it begins with and for what it ends with; in each,
// element e of all threads side by side.
template <typename S>
__device__ std::int64_t balanced_part(std::int64_t block, bool ends_with, int e, int thread) {
  return ((block * 2 + ends_with) * S::per_thread * S::per_thread + e) * S::threads + thread;
}

template <typename T>
__device__ void balanced_store(T* cov, std::int64_t i, std::int64_t j, std::int64_t n, T value) {
  // On the diagonal the tile is its own mirror image.
  if (i > j || j >= n) return;
  cov[i * n + j] = value;
  cov[j * n + i] = value;
}

// centred: steps_of_tile * deep x stride, stride a multiple of edge.
template <typename T, int EDGE>
__global__ void __launch_bounds__(BalancedTiling<T, EDGE>::threads,
                                  BalancedTiling<T, EDGE>::blocks_per_sm)
    covariance_balanced(const T* centred, T* cov, T* parts, BalancedShares shares,
                        std::int64_t steps_of_tile, std::int64_t n, std::int64_t stride,
                        T divisor) {
  using S = BalancedTiling<T, EDGE>;
  using Vector = BalancedVector<T>;
  T* const shared = shared_memory<T>();
  const int thread = threadIdx.x;
  constexpr int step_rows = S::threads * S::vector / S::edge;
  static_assert(S::deep % step_rows == 0);
  const int copy_k = thread * S::vector / S::edge, copy_col = thread * S::vector % S::edge;
  const int row = S::first_row(thread), col = S::first_col(thread);

  const std::int64_t first = shares.first_step(blockIdx.x),
                     last = shares.first_step(blockIdx.x + 1);
  for (std::int64_t at = first; at < last;) {
    const std::int64_t tile = at / steps_of_tile, begin = at - tile * steps_of_tile;
    const int steps = static_cast<int>(min(steps_of_tile - begin, last - at));
    const auto place = Covariance::packed_place(tile, stride / S::edge);
    const std::int64_t i0 = place.row * S::edge, j0 = place.col * S::edge;

    const T* const from_row = centred + (begin * S::deep + copy_k) * stride + copy_col;
    const T* from_left = from_row + i0;
    const T* from_right = from_row + j0;
    const auto copy = [&](T* stage) {
#pragma unroll
      for (int k = 0; k < S::deep; k += step_rows) {
        T* const to = stage + (copy_k + k) * S::edge + copy_col;
        __pipeline_memcpy_async(to, from_left + k * stride, sizeof(Vector));
        __pipeline_memcpy_async(to + S::deep * S::edge, from_right + k * stride, sizeof(Vector));
      }
      from_left += S::deep * stride;
      from_right += S::deep * stride;
    };
    Vector left[2][S::vectors], right[2][S::vectors];
    const auto read = [&](int set, const T* stage, int k) {
#pragma unroll
      for (int v = 0; v < S::vectors; ++v) {
        left[set][v] =
            *reinterpret_cast<const Vector*>(stage + k * S::edge + row + v * S::row_step);
        right[set][v] = *reinterpret_cast<const Vector*>(stage + (S::deep + k) * S::edge + col +
                                                         v * S::col_step);
      }
    };

    T sum[S::per_thread][S::per_thread] = {};
#pragma unroll
    for (int step = 0; step < S::stages - 1; ++step) {
      if (step < steps) copy(shared + step * S::stage);
      __pipeline_commit();
    }
    __pipeline_wait_prior(S::stages - 2);
    __syncthreads();
    const T* from = shared;
    T* to = shared + (S::stages - 1) * S::stage;
    T* const end = shared + S::stages * S::stage;
    read(0, from, 0);
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
#pragma unroll
      for (int k = 0; k < S::deep; ++k) {
        if (k == S::deep - 1) {
          // The next stage has arrived, for all threads; and none reads this one any more, which
          // is the one that is filled next.
          __pipeline_wait_prior(S::stages - 2);
          __syncthreads();
          from = from + S::stage == end ? shared : from + S::stage;
        }
        if (k < S::deep - 1 || step + 1 < steps) read((k + 1) % 2, from, (k + 1) % S::deep);
        if (k == 0) {
          if (step + S::stages - 1 < steps) copy(to);
          __pipeline_commit();
          to = to + S::stage == end ? shared : to + S::stage;
        }
#pragma unroll
        for (int r = 0; r < S::per_thread; ++r) {
#pragma unroll
          for (int s = 0; s < S::per_thread; ++s) {
            sum[r][s] += left[k % 2][r / S::vector].element[r % S::vector] *
                         right[k % 2][s / S::vector].element[s % S::vector];
          }
        }
      }
    }

    const bool whole = steps == steps_of_tile;
#pragma unroll
    for (int r = 0; r < S::per_thread; ++r) {
#pragma unroll
      for (int s = 0; s < S::per_thread; ++s) {
        if (whole) {
          balanced_store(cov, i0 + row + S::further_row(r), j0 + col + S::further_col(s), n,
                         sum[r][s] / divisor);
        } else {
          parts[balanced_part<S>(blockIdx.x, at != first, r * S::per_thread + s, thread)] =
              sum[r][s];
        }
      }
    }
    at += steps;
    __syncthreads();  // nobody reads a stage any more when the next tile fills it
  }
}

// A block adds up the parts of row blockIdx.y of all threads' elements of tile blockIdx.x.
template <typename T, int EDGE>
__global__ void covariance_balanced_add(T* cov, const T* parts, BalancedShares shares,
                                        std::int64_t steps_of_tile, std::int64_t n,
                                        std::int64_t stride, T divisor) {
  using S = BalancedTiling<T, EDGE>;
  const std::int64_t begin = blockIdx.x * steps_of_tile;
  const std::int64_t first = shares.block_of(begin);
  const std::int64_t last = shares.block_of(begin + steps_of_tile - 1);
  if (first == last) return;  // computed by one block, which stored it
  const int thread = threadIdx.x, r = blockIdx.y;
  T sum[S::per_thread] = {};
  for (std::int64_t block = first; block <= last; ++block) {
    // The first of them ends with this tile, unless it has begun with it; the others begin with it.
    const bool ends_with = shares.first_step(block) < begin;
#pragma unroll
    for (int s = 0; s < S::per_thread; ++s) {
      sum[s] += parts[balanced_part<S>(block, ends_with, r * S::per_thread + s, thread)];
    }
  }
  const auto place = Covariance::packed_place(blockIdx.x, stride / S::edge);
  const std::int64_t i = place.row * S::edge + S::first_row(thread) + S::further_row(r);
  const std::int64_t j0 = place.col * S::edge + S::first_col(thread);
#pragma unroll
  for (int s = 0; s < S::per_thread; ++s) {
    balanced_store(cov, i, j0 + S::further_col(s), n, sum[s] / divisor);
  }
}

namespace {

template <int EDGE, typename T>
void launch_balanced(Gpu& gpu, const Covariance::Args<T>& p) {
  using S = BalancedTiling<T, EDGE>;
  const auto edges = ceil_div(p.n, S::edge), stride = edges * S::edge;
  const auto tiles = Covariance::packed_count(edges), steps_of_tile = ceil_div(p.m, S::deep);
  const T* const centred = centred_copy(gpu, p, steps_of_tile * S::deep, stride);
  // With fewer steps a block does little but fill its stages.
  constexpr std::int64_t least_steps = 2 * S::stages;
  const std::int64_t at_once =
      std::int64_t{gpu.multiprocessors()} *
      gpu.resident_blocks(covariance_balanced<T, EDGE>, S::threads, S::shared_bytes);
  const BalancedShares shares{
      tiles * steps_of_tile,
      std::max<std::int64_t>(std::min(tiles * steps_of_tile / least_steps, at_once), 1)};
  T* const parts = gpu.scratch<T>(shares.blocks * 2 * S::per_thread * S::per_thread * S::threads);
  gpu.launch({.grid = {shares.blocks}, .block = {S::threads}, .shared_bytes = S::shared_bytes},
             covariance_balanced<T, EDGE>, centred, p.cov, parts, shares, steps_of_tile, p.n,
             stride, p.divisor);
  gpu.launch({.grid = {tiles, S::per_thread}, .block = {S::threads}},
             covariance_balanced_add<T, EDGE>, p.cov, parts, shares, steps_of_tile, p.n, stride,
             p.divisor);
}

}  // namespace

const Register<Covariance, float, double> variant(
    {.rung = 6,
     .id = 5,
     .idea = "the same with all steps of all tiles shared equally by as many blocks as run at once",
     .tunables = {{.name = "tile", .fallback = 64, .min = 64, .max = 128, .power_of_two = true}}},
    []<typename T>(Gpu& gpu, const Covariance::Args<T>& p, const Tunables& tunables) {
      tunables["tile"] == 64 ? launch_balanced<64>(gpu, p) : launch_balanced<128>(gpu, p);
    });
