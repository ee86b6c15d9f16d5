// Warpgroup products (Hopper): four warps together multiply 64 x 16 by 16 x 256
// elements with one instruction, which reads both from shared memory by itself
// and runs on while the warps continue. A block's tile of C, 256 x 128, lies in
// the registers of two warpgroups. Compared with products by single warps, no
// operand passes through registers, and one instruction does the work of 64.
//
// Asynchronous copies of 16 bytes per thread bring the tiles into four stages,
// with one barrier per step. Matrices whose rows are not aligned to 16 bytes
// are copied first.
#include <cuda_pipeline.h>

#include "warpgroup.cuh"

using namespace parlab;

namespace {

template <typename T>
__global__ void __launch_bounds__(256, 1)
    matmul_warpgroup(const T* a, std::int64_t a_pitch, const T* b,
                     std::int64_t b_pitch, float* c, std::int64_t m,
                     std::int64_t k, std::int64_t n) {
  using Tile = WarpgroupTile<T>;
  constexpr int width = 16 / sizeof(T);  // elements of a piece
  unsigned char* const stages = aligned_shared_memory();
  std::int64_t tile_row, tile_col;
  place_of_block(ceil_div(m, Tile::rows), ceil_div(n, Tile::cols), tile_row,
                 tile_col);
  const std::int64_t row0 = tile_row * Tile::rows, col0 = tile_col * Tile::cols;

  // ---- copies: this thread's first piece of each tile, then every 256th.
  const int thread = threadIdx.x, piece = thread % 8;
  const auto put = [](unsigned char* to, const T* from, bool there,
                      const T* somewhere) {
    __pipeline_memcpy_async(to, there ? from : somewhere, 16, there ? 0 : 16);
  };
  const auto copy = [&](int step) {
    unsigned char* const stage =
        stages + step % Tile::stages * Tile::stage_bytes;
    const std::int64_t k0 = std::int64_t{step} * Tile::depth;
    _Pragma("unroll")
    for (int row = 0; row < Tile::rows; row += 32) {
      const int r = row + thread / 8;
      const std::int64_t at_row = row0 + r, at_col = k0 + piece * width;
      put(stage + r * 128 + (piece ^ r % 8) * 16, a + at_row * a_pitch + at_col,
          at_row < m && at_col < k, a);
    }
    _Pragma("unroll")
    for (int i = 0; i < Tile::panels * Tile::depth; i += 32) {
      const int panel = i / Tile::depth, r = i % Tile::depth + thread / 8;
      const std::int64_t at_row = k0 + r;
      const std::int64_t at_col =
          col0 + panel * Tile::panel_cols + piece * width;
      put(stage + Tile::a_bytes + panel * Tile::panel_bytes + r * 128 +
              (piece ^ r % 8) * 16,
          b + at_row * b_pitch + at_col, at_row < k && at_col < n, b);
    }
  };

  // ---- the steps along k
  const int steps = warpgroup_steps<Tile>(k);
  constexpr int ahead = Tile::stages - 2;
  _Pragma("unroll")
  for (int step = 0; step < ahead; ++step) {
    if (step < steps) copy(step);
    __pipeline_commit();
  }

  WarpgroupSums<Tile> sums;
  Ring<Tile::stages> ring;
  int step = 0;
  const auto arrived = [&](const Ring<Tile::stages>&) {
    // The stage has arrived for all threads, and products can see it. All
    // threads have waited for the products of the stage that is refilled, two
    // steps back.
    __pipeline_wait_prior(ahead - 1);
    fence_for_copies();
    __syncthreads();
    if (step + ahead < steps) copy(step + ahead);
    __pipeline_commit();
    ++step;
  };
  sums.multiply(stages, steps, ring, arrived, [](int) {});
  sums.store(c, m, n, row0, col0);
}

}  // namespace

const Register<Matmul, float16, bfloat16, float> variant(
    {.rung = 10,
     .idea = "products by warpgroups, straight from shared memory",
     .arithmetic = Arithmetic::tf32,
     .units = tensor_units(),
     .hardware = "warpgroup products"},
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      using Tile = WarpgroupTile<T>;
      refuse_without_warpgroups();
      const auto [a, b] = align_operands(gpu, p);
      gpu.launch(
          {.grid = {ceil_div(p.m, Tile::rows) * ceil_div(p.n, Tile::cols)},
           .block = {Tile::threads},
           .shared_bytes = Tile::shared_bytes},
          matmul_warpgroup<T>, static_cast<const T*>(a.data),
          a.pitch / static_cast<std::int64_t>(sizeof(T)),
          static_cast<const T*>(b.data),
          b.pitch / static_cast<std::int64_t>(sizeof(T)), p.c, p.m, p.k, p.n);
    });
