// Specialised warps: one warp only asks for copies, two warpgroups only
// multiply, and barriers in shared memory replace the block's own: `full`
// says that a stage has arrived, `empty` that all warps have used it. Nobody
// waits for all others: a warpgroup that is ahead starts on the next stage
// while the other still multiplies, and copies are requested as soon as a
// stage is free. Registers that the copying warpgroup does not need go to the
// others.
//
// Matrices whose rows are not aligned to 16 bytes are copied first.
#include "warpgroup.cuh"

using namespace parlab;

namespace {

template <typename T>
__global__ void __launch_bounds__(384, 1)
    matmul_specialised(const PARLAB_GRID_CONSTANT TensorMap a,
                       const PARLAB_GRID_CONSTANT TensorMap b, float* c,
                       std::int64_t m, std::int64_t k, std::int64_t n) {
  using Tile = WarpgroupTile<T>;
  unsigned char* const stages = aligned_shared_memory();
  __shared__ Barrier full[Tile::stages], empty[Tile::stages];
  std::int64_t tile_row, tile_col;
  place_of_block(ceil_div(m, Tile::rows), ceil_div(n, Tile::cols), tile_row,
                 tile_col);
  const auto row0 = static_cast<int>(tile_row * Tile::rows);
  const auto col0 = static_cast<int>(tile_col * Tile::cols);
  const int steps = warpgroup_steps<Tile>(k);

  if (threadIdx.x == 0) {
    for (Barrier& barrier : full)
      init_barrier(barrier, 1);
    for (Barrier& barrier : empty)
      init_barrier(barrier, Tile::warps);
    publish_barriers();
  }

  __syncthreads();

  Ring<Tile::stages> ring;
  if (threadIdx.x >= Tile::threads) {  // ---- the third warpgroup copies
    give_registers<40>();
    if (threadIdx.x == Tile::threads) {
      for (int step = 0; step < steps; ++step, ring.advance()) {
        wait(empty[ring.stage], ring.parity ^ 1);  // no wait at first
        copy_stage<Tile>(stages + ring.stage * Tile::stage_bytes,
                         full[ring.stage], a, b, step, row0, col0);
      }
    }
  } else {  // ---- two multiply
    take_registers<232>();
    WarpgroupSums<Tile> sums;
    sums.multiply(
        stages, steps, ring,
        [&](const Ring<Tile::stages>& r) { wait(full[r.stage], r.parity); },
        [&](int stage) {
          if (threadIdx.x % 32 == 0) arrive(empty[stage]);
        });
    sums.store(c, m, n, row0, col0);
  }
}

}  // namespace

const Register<Matmul, float16, bfloat16, float> variant(
    {.rung = 12,
     .idea = "one warp copies, two warpgroups multiply, barriers between them",
     .arithmetic = Arithmetic::tf32,
     .units = tensor_units(),
     .hardware = "warpgroup products and bulk tensor copies"},
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      using Tile = WarpgroupTile<T>;
      refuse_without_warpgroups();
      const auto [a, b] = align_operands(gpu, p);
      gpu.launch(
          {.grid = {ceil_div(p.m, Tile::rows) * ceil_div(p.n, Tile::cols)},
           .block = {Tile::threads + 128},
           .shared_bytes = Tile::shared_bytes},
          matmul_specialised<T>, map_of_a<Tile>(a, p.m, p.k),
          map_of_b<Tile>(b, p.k, p.n), p.c, p.m, p.k, p.n);
    });
