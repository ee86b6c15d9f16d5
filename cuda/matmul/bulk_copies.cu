// Bulk tensor copies (TMA): one thread asks for a whole tile of A or B, with
// one instruction per box. The copy engine computes the addresses, writes zeros
// beyond the edges, permutes the pieces of rows, and tells a barrier in shared
// memory of the bytes as they arrive. Compared with copies of 16 bytes per
// thread, this saves the instructions and registers of addresses, and no thread
// waits for its own copies: a stage is ready when its barrier says so.
//
// A ring of four stages. Matrices whose rows are not aligned to 16 bytes are
// copied first.
#include "warpgroup.cuh"

using namespace parlab;

namespace {

template <typename T>
__global__ void __launch_bounds__(256, 1)
    matmul_bulk(const PARLAB_GRID_CONSTANT TensorMap a,
                const PARLAB_GRID_CONSTANT TensorMap b, float* c,
                std::int64_t m, std::int64_t k, std::int64_t n) {
  using Tile = WarpgroupTile<T>;
  unsigned char* const stages = aligned_shared_memory();
  __shared__ Barrier full[Tile::stages];
  std::int64_t tile_row, tile_col;
  place_of_block(ceil_div(m, Tile::rows), ceil_div(n, Tile::cols), tile_row,
                 tile_col);
  const auto row0 = static_cast<int>(tile_row * Tile::rows);
  const auto col0 = static_cast<int>(tile_col * Tile::cols);
  const int steps = warpgroup_steps<Tile>(k);

  const auto copy = [&](int step) {  // by one thread
    const int s = step % Tile::stages;
    copy_stage<Tile>(stages + s * Tile::stage_bytes, full[s], a, b, step, row0,
                     col0);
  };
  if (threadIdx.x == 0) {
    for (Barrier& barrier : full)
      init_barrier(barrier, 1);
    publish_barriers();
    for (int step = 0; step < Tile::stages && step < steps; ++step)
      copy(step);
  }

  __syncthreads();

  WarpgroupSums<Tile> sums;
  Ring<Tile::stages> ring;
  int next = Tile::stages;
  const auto arrived = [&](const Ring<Tile::stages>& r) {
    wait(full[r.stage], r.parity);
  };
  const auto done = [&](int) {
    // When all threads have used the stage, it is refilled.
    __syncthreads();
    if (threadIdx.x == 0 && next < steps) copy(next);
    ++next;
  };
  sums.multiply(stages, steps, ring, arrived, done);
  sums.store(c, m, n, row0, col0);
}

}  // namespace

const Register<Matmul, float16, bfloat16, float> variant(
    {.rung = 11,
     .idea = "one thread requests whole tiles by bulk tensor copies",
     .arithmetic = Arithmetic::tf32,
     .units = tensor_units(),
     .hardware = "warpgroup products and bulk tensor copies"},
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      using Tile = WarpgroupTile<T>;
      refuse_without_warpgroups();
      const auto [a, b] = align_operands(gpu, p);
      gpu.launch(
          {.grid = {ceil_div(p.m, Tile::rows) * ceil_div(p.n, Tile::cols)},
           .block = {Tile::threads},
           .shared_bytes = Tile::shared_bytes},
          matmul_bulk<T>, map_of_a<Tile>(a, p.m, p.k),
          map_of_b<Tile>(b, p.k, p.n), p.c, p.m, p.k, p.n);
    });
