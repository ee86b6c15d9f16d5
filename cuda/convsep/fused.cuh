// The kernel of `fused`; fused.cu says how it works. The variant for several
// GPUs uses it too.
#pragma once

#include <cuda_pipeline.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "gpu/gpu.hpp"
#include "gpu/shared_launch.hpp"
#include "workloads/convsep.hpp"

using namespace parlab;

// Rows of b that are computed in one call, and how many rows of a lie above the
// first and below the last of them. Rows farther away are outside the image.
struct RowRange {
  std::int64_t first, rows, above, below;
};

namespace {

__constant__ float convsep_fused_float[Convsep::max_taps];
__constant__ double convsep_fused_double[Convsep::max_taps];

constexpr int stages = 8;  // rows in the ring
constexpr int most_threads = 128;

template <typename T>
__device__ __forceinline__ T weight(int k) {
  if constexpr (std::is_same_v<T, float>) {
    return convsep_fused_float[k];
  } else {
    return convsep_fused_double[k];
  }
}

template <typename T, int n>
struct alignas(n * sizeof(T)) Pixels {
  T at[n];
};

// The unit of one store.
template <std::size_t bytes>
struct StoredWord {
  using type = uint4;
};
template <>
struct StoredWord<8> {
  using type = uint2;
};
template <>
struct StoredWord<4> {
  using type = unsigned;
};

// A warp's strip and its rows in shared memory. MINE: columns per lane.
template <typename T, int RADIUS, int MINE>
struct Strip {
  static constexpr int width = 32 * MINE;
  static constexpr int word = 16 / sizeof(T);  // elements in 16 bytes
  // on the left, and on the right
  static constexpr int apron = (RADIUS + word - 1) / word * word;
  static constexpr int line = width + 2 * apron;  // elements of a row
  static constexpr std::size_t bytes = stages * line * sizeof(T);
};

// values[j] = the row pass at the lane's column j. pixels: begins `apron` left
// of the first column. A column has two sums in double while registers allow
// it, because additions have a longer latency there.
template <typename T, int RADIUS, int MINE>
__device__ __forceinline__ void row_pass(const T* pixels, T (&values)[MINE]) {
  constexpr int apron = Strip<T, RADIUS, MINE>::apron,
                chains = sizeof(T) == 8 && RADIUS <= 32 ? 2 : 1;
  T sums[chains][MINE] = {};
  _Pragma("unroll")
  for (int i = 0; i < MINE + 2 * apron; i += MINE) {
    if (i + MINE <= apron - RADIUS || i > apron + RADIUS + MINE - 1) continue;
    const auto read = *reinterpret_cast<const Pixels<T, MINE>*>(pixels + i);
    _Pragma("unroll")
    for (int e = 0; e < MINE; ++e) {
      _Pragma("unroll")
      for (int j = 0; j < MINE; ++j) {
        const int k = i + e - j - (apron - RADIUS);
        if (k >= 0 && k <= 2 * RADIUS)
          sums[k % chains][j] += weight<T>(k) * read.at[e];
      }
    }
  }

  _Pragma("unroll")
  for (int j = 0; j < MINE; ++j)
    values[j] = chains == 1 ? sums[0][j] : sums[0][j] + sums[chains - 1][j];
}

// A lane's copies from a to the ring. WORD: elements copied at once.
template <typename T, typename Shape, int WORD>
struct RowCopies {
  static constexpr int copies = (Shape::line / WORD + 31) / 32;
  const T* from;
  std::int64_t cols;
  int lane;
  bool inside[copies];

  // row: the first one; col0: the column where a row of the ring begins. Places
  // beside the image are set to zero and stay so.
  __device__ __forceinline__ RowCopies(const T* row, std::int64_t col0,
                                       std::int64_t cols_, T* ring)
      : cols(cols_), lane(threadIdx.x % 32) {
    _Pragma("unroll")
    for (int i = 0; i < copies; ++i) {
      const int at = (i * 32 + lane) * WORD;
      inside[i] = at < Shape::line && col0 + at >= 0 && col0 + at < cols;
      if (at >= Shape::line || inside[i]) continue;
      for (T* line = ring; line < ring + stages * Shape::line;
           line += Shape::line) {
        for (int e = 0; e < WORD; ++e)
          line[at + e] = 0;
      }
    }
    from = row + col0 + lane * WORD;
  }

  // Starts the copies of the next row.
  __device__ __forceinline__ void start(T* to, bool wanted) {
    _Pragma("unroll")
    for (int i = 0; i < copies; ++i) {
      if (wanted && inside[i]) {
        __pipeline_memcpy_async(to + (i * 32 + lane) * WORD,
                                from + i * 32 * WORD, WORD * sizeof(T));
      }
    }
    __pipeline_commit();  // even without copies: groups are counted
    from += cols;
  }
};

// The unfinished sums of b, in registers, and the stores of the finished ones.
// Uses the weights FIRST to FIRST + TAPS - 1 of the column pass.
template <typename T, int MINE, int FIRST, int TAPS, bool ALIGNED>
struct ColumnPass {
  T sums[TAPS][MINE] = {};  // sums[0]: of the row of b that is complete
  T* to;
  std::int64_t col, cols;

  __device__ __forceinline__ ColumnPass(T* row, std::int64_t col_,
                                        std::int64_t cols_)
      : to(row + col_), col(col_), cols(cols_) {}

  __device__ __forceinline__ void add(int step, const T (&values)[MINE]) {
    _Pragma("unroll")
    for (int i = 0; i < TAPS; ++i) {
      _Pragma("unroll")
      for (int j = 0; j < MINE; ++j) {
        const T above = i + 1 < TAPS ? sums[i + 1 < TAPS ? i + 1 : i][j] : T{0};
        sums[i][j] = above + weight<T>(FIRST + TAPS - 1 - i) * values[j];
      }
    }
    if (step >= TAPS - 1) store();
    to += cols;
  }

  __device__ __forceinline__ void store() const {
    if (ALIGNED && FIRST == 0) {
      Pixels<T, MINE> whole;
      _Pragma("unroll")
      for (int j = 0; j < MINE; ++j)
        whole.at[j] = sums[0][j];
      using Word = typename StoredWord<sizeof(whole)>::type;
      if (col < cols)
        __stcs(reinterpret_cast<Word*>(to), std::bit_cast<Word>(whole));
    } else {
      _Pragma("unroll")
      for (int j = 0; j < MINE; ++j) {
        if (col + j < cols)
          to[j] = FIRST == 0 ? sums[0][j] : to[j] + sums[0][j];
      }
    }
  }
};

// Computes rows of b with the weights FIRST to FIRST + TAPS - 1 of the column
// pass, and adds to what is there if this is not the first piece. ALIGNED: the
// rows of a and b start at multiples of 16 bytes. A block: blockDim.x / 32
// strips side by side, from row blockIdx.y * height on.
template <typename T, int RADIUS, int MINE, int FIRST, int TAPS, bool ALIGNED>
__global__ void __launch_bounds__(most_threads,
                                  RADIUS == 64 && sizeof(T) == 8 ? 3 : 1)
    convsep_fused(const T* a, T* b, std::int64_t rows, std::int64_t cols,
                  int above, int below, int height) {
  using Shape = Strip<T, RADIUS, MINE>;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t strip =
      std::int64_t{blockIdx.x} * (blockDim.x / 32) + warp;
  if (strip * Shape::width >= cols) return;  // the whole warp

  T* const ring = shared_memory<T>() + warp * (stages * Shape::line);
  T* const ring_end = ring + stages * Shape::line;

  // Step s handles row row0 + s of a; from step TAPS - 1 on, each completes a
  // row of b. Steps before `first` and from `last` on handle rows above and
  // below the image: zeros. There are `above` rows of the image before row 0 of
  // a, and `below` after the last.
  const std::int64_t top = std::int64_t{blockIdx.y} * height,
                     row0 = top - RADIUS + FIRST;
  const int steps =
      static_cast<int>(min(std::int64_t{height}, rows - top)) + TAPS - 1;
  const int first = static_cast<int>(max(-above - row0, std::int64_t{0}));
  const int last = max(
      static_cast<int>(min(rows + below - row0, std::int64_t{steps})), first);

  RowCopies<T, Shape, ALIGNED ? Shape::word : 1> copies(
      a + (row0 + first) * cols, strip * Shape::width - Shape::apron, cols,
      ring);
  for (int i = 0; i < stages - 1; ++i)
    copies.start(ring + i * Shape::line, first + i < last);
  ColumnPass<T, MINE, FIRST, TAPS, ALIGNED> column_pass(
      b + (top - TAPS + 1 + first) * cols, strip * Shape::width + lane * MINE,
      cols);

  T *arrived = ring, *used = ring_end - Shape::line;
  _Pragma("unroll 1")
  for (int step = first; step < last; ++step) {
    __pipeline_wait_prior(stages - 2);
    // the other lanes' copies too; they have read the row replaced now
    __syncwarp();
    copies.start(used, step + stages - 1 < last);
    T values[MINE];
    row_pass<T, RADIUS, MINE>(arrived + lane * MINE, values);
    column_pass.add(step, values);
    used = arrived;
    arrived = arrived + Shape::line == ring_end ? ring : arrived + Shape::line;
  }

  _Pragma("unroll 1")
  for (int step = last; step < steps; ++step)
    column_pass.add(step, {});
}

template <typename T, int RADIUS, int MINE, int FIRST, int TAPS, bool ALIGNED>
void launch_piece(Gpu& gpu, const Convsep::Args<T>& p, const Tunables& tunables,
                  const RowRange& range) {
  using Shape = Strip<T, RADIUS, MINE>;
  const auto kernel = convsep_fused<T, RADIUS, MINE, FIRST, TAPS, ALIGNED>;
  const auto block = tunables["block"], warps = block / 32;
  auto shared_bytes = static_cast<std::size_t>(warps) * Shape::bytes;
  const auto across = ceil_div(ceil_div(p.cols, Shape::width), warps);

  // Blocks per multiprocessor: enough for 8 or 12 warps. Doubles with a large
  // radius get as many as fit, for they have the most to compute.
  constexpr int warps_wanted = RADIUS <= 4                     ? 12
                               : sizeof(T) == 4 || RADIUS <= 8 ? 8
                                                               : 64;
  const auto blocks = std::min<std::int64_t>(
      gpu.resident_blocks(kernel, static_cast<int>(block), shared_bytes),
      ceil_div(warps_wanted, warps));
  const bool in_l2 =
      2 * range.rows * p.cols * static_cast<std::int64_t>(sizeof(T)) <=
      static_cast<std::int64_t>(gpu.l2_bytes());
  auto height = tunables["strip"];
  if (height == 0 && RADIUS <= 4) {
    height = in_l2 ? 16 : 8 + 4 * RADIUS;
  } else if (height == 0) {
    const auto parts =
        std::max<std::int64_t>(1, gpu.multiprocessors() * blocks / across);
    height = std::max<std::int64_t>(ceil_div(range.rows, parts), RADIUS);
  }

  // Short strips make more blocks than that. Each block asks for so much shared
  // memory that no further block fits.
  if (RADIUS <= 4 && !in_l2) {
    shared_bytes = std::max<std::size_t>(shared_bytes,
                                         gpu.max_shared_bytes() / (blocks + 1));
  }

  height = std::max(height, ceil_div(range.rows, most_blocks_in_y));
  gpu.launch({.grid = {across, ceil_div(range.rows, height)},
              .block = {block},
              .shared_bytes = shared_bytes},
             kernel, p.a + range.first * p.cols, p.b + range.first * p.cols,
             range.rows, p.cols, static_cast<int>(range.above),
             static_cast<int>(range.below), static_cast<int>(height));
}

template <typename T, int RADIUS, int MINE, int FIRST, int TAPS>
void launch_piece(Gpu& gpu, const Convsep::Args<T>& p, const Tunables& tunables,
                  const RowRange& range) {
  if (p.cols % (16 / sizeof(T)) == 0) {
    launch_piece<T, RADIUS, MINE, FIRST, TAPS, true>(gpu, p, tunables, range);
  } else {
    launch_piece<T, RADIUS, MINE, FIRST, TAPS, false>(gpu, p, tunables, range);
  }
}

// Copies the weights to the middle of 2 RADIUS + 1.
template <int RADIUS, typename T>
void copy_weights(Gpu& gpu, const Convsep::Args<T>& p) {
  const T* weights = p.w;
  if (p.radius < RADIUS) {
    T* filled = gpu.scratch<T>(2 * RADIUS + 1);
    gpu.clear(filled, (2 * RADIUS + 1) * sizeof(T));
    gpu.copy(filled + RADIUS - p.radius, p.w,
             static_cast<std::size_t>(2 * p.radius + 1) * sizeof(T));
    weights = filled;
  }

  if constexpr (std::is_same_v<T, float>) {
    gpu.copy_to_constant(convsep_fused_float, weights, 2 * RADIUS + 1);
  } else {
    gpu.copy_to_constant(convsep_fused_double, weights, 2 * RADIUS + 1);
  }
}

// As many columns per lane as 16 bytes hold, or fewer if their sums need more
// than 128 registers.
template <int RADIUS, typename T>
void launch_fused(Gpu& gpu, const Convsep::Args<T>& p, const Tunables& tunables,
                  const std::vector<RowRange>& ranges) {
  copy_weights<RADIUS>(gpu, p);
  constexpr int taps = 2 * RADIUS + 1, words = sizeof(T) / 4;
  for (const auto& range : ranges) {
    if (range.rows <= 0) continue;
    if constexpr (words * taps > 130) {
      constexpr int half = RADIUS + 1;
      launch_piece<T, RADIUS, 1, 0, half>(gpu, p, tunables, range);
      launch_piece<T, RADIUS, 1, half, taps - half>(gpu, p, tunables, range);
    } else {
      constexpr int mine = RADIUS > 32 / words ? 1
                           : RADIUS > 16       ? 2 / words
                                               : 4 / words;
      launch_piece<T, RADIUS, mine, 0, taps>(gpu, p, tunables, range);
    }
  }
}

}  // namespace

template <std::uint64_t FILE, typename T>
struct ConvsepFused {
  // Computes these rows of b.
  static void launch(Gpu& gpu, const Convsep::Args<T>& p,
                     const Tunables& tunables,
                     const std::vector<RowRange>& ranges);
};

template <std::uint64_t FILE, typename T>
void ConvsepFused<FILE, T>::launch(Gpu& gpu, const Convsep::Args<T>& p,
                                   const Tunables& tunables,
                                   const std::vector<RowRange>& ranges) {
  if (tunables["block"] > most_threads) {
    cannot_run("this kernel of convsep has at most %d threads per block",
               most_threads);
  }

  if (p.radius <= 1) return launch_fused<1>(gpu, p, tunables, ranges);
  if (p.radius <= 2) return launch_fused<2>(gpu, p, tunables, ranges);
  if (p.radius <= 4) return launch_fused<4>(gpu, p, tunables, ranges);
  if (p.radius <= 8) return launch_fused<8>(gpu, p, tunables, ranges);
  if (p.radius <= 16) return launch_fused<16>(gpu, p, tunables, ranges);
  if (p.radius <= 32) return launch_fused<32>(gpu, p, tunables, ranges);
  return launch_fused<64>(gpu, p, tunables, ranges);
}

// See gpu/shared_launch.hpp. Remove these two lines in a copy of this file.
extern template struct ConvsepFused<file_hash(__FILE__), float>;
extern template struct ConvsepFused<file_hash(__FILE__), double>;

namespace {

template <typename T>
void launch_ranges(Gpu& gpu, const Convsep::Args<T>& p,
                   const Tunables& tunables,
                   const std::vector<RowRange>& ranges) {
  ConvsepFused<file_hash(__FILE__), T>::launch(gpu, p, tunables, ranges);
}

inline ShortList<TunableSpec> tunables_of_fused() {
  return {block_size(128, 32),
          {.name = "strip", .fallback = 0, .min = 0, .max = 65536}};
}

}  // namespace
